/** File formats, detected from the first bytes; a client's content type is ignored. */
export type Format =
  | 'png'
  | 'jpg'
  | 'webp'
  | 'avif'
  | 'gif'
  | 'mp4'
  | 'mov'
  | 'm4a'
  | 'webm'
  | 'mp3'
  | 'ogg'
  | 'flac'
  | 'wav'
  | 'aac';

/** Brands of ISO media (ISO/IEC 14496-12 §4.3); other brands count as MP4 if a film is found in them. */
const BRANDS: Readonly<Record<string, Format>> = {
  avif: 'avif',
  avis: 'avif',
  'qt  ': 'mov',
  'M4A ': 'm4a',
  'M4B ': 'm4a',
};
/** HEVC in HEIF, for which there is no decoder because of its patents. */
const UNREADABLE_BRANDS = new Set(['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'mif1', 'msf1']);

/**
 * Detects the format; undefined if it is not supported. It runs in the node and reads at most 32 bytes at fixed places.
 * A library that detects all formats walks containers, which has looped forever on crafted Matroska and ASF files
 * (file-type 17.1.2, 21.3.0).
 */
export function sniff(bytes: Uint8Array): Format | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 32));
  const text = head.toString('latin1');
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (text.startsWith('\xff\xd8\xff')) return 'jpg';
  if (text.startsWith('GIF87a') || text.startsWith('GIF89a')) return 'gif';
  if (text.startsWith('RIFF')) return riff(text.slice(8, 12));
  if (text.slice(4, 8) === 'ftyp') return isoMedia(head);
  if (text.startsWith('\x1a\x45\xdf\xa3')) return 'webm';
  if (text.startsWith('OggS')) return 'ogg';
  if (text.startsWith('fLaC')) return 'flac';
  if (text.startsWith('ID3')) return 'mp3';
  return frameSync(head);
}

function riff(kind: string): Format | undefined {
  if (kind === 'WEBP') return 'webp';
  return kind === 'WAVE' ? 'wav' : undefined;
}

function isoMedia(head: Buffer): Format | undefined {
  const size = Math.min(head.readUInt32BE(0), head.length);
  const brands = [head.toString('latin1', 8, 12)];
  for (let at = 16; at + 4 <= size; at += 4) brands.push(head.toString('latin1', at, at + 4));
  const known = brands.map((brand) => BRANDS[brand]).find((format) => format !== undefined);
  if (known !== undefined) return known;
  return brands.some((brand) => UNREADABLE_BRANDS.has(brand)) ? undefined : 'mp4';
}

/** Recognises the eleven set bits of MPEG audio and of ADTS; the layer distinguishes them. */
function frameSync(head: Buffer): Format | undefined {
  if (head.length < 4 || head[0] !== 0xff) return undefined;
  const second = head[1] ?? 0;
  if ((second & 0xf6) === 0xf0) return 'aac';
  return (second & 0xe0) === 0xe0 && (second & 0x06) !== 0 ? 'mp3' : undefined;
}
