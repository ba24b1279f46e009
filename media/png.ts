import { IMAGE_BYTES_MAX } from '../actors/domain/media.js';

/** The signature that every PNG starts with (PNG 3rd edition §5.2). */
const SIGNATURE_BYTES = 8;
/** Length, type and checksum of a chunk. */
const CHUNK_OVERHEAD_BYTES = 12;
/**
 * Chunks of the still picture. Every other chunk is dropped before the decoder sees it: each text chunk may unpack to 8
 * MB in the decoder's memory, and nobody reads the texts.
 */
const NEEDED = new Set(['IHDR', 'PLTE', 'IDAT', 'IEND', 'tRNS', 'gAMA', 'cHRM', 'sRGB']);
/** Chunks that are copied up to a size. A colour profile has some kilobytes, the orientation needs some hundred. */
const BOUNDED: Readonly<Record<string, number>> = { iCCP: 1_048_576, eXIf: 65_536 };
/** Chunks of an animation, as many as it has frames. They are dropped: the still picture is stored. */
const ANIMATION = new Set(['acTL', 'fcTL', 'fdAT']);
/** Maximum number of other chunks; files of cameras and editors have some dozens. */
const OTHER_CHUNKS_MAX = 1_000;
/** Maximum number of data chunks. Encoders write chunks of 8 KB and more. */
const DATA_CHUNKS_MAX = IMAGE_BYTES_MAX / 1_024;

/** Returns the PNG with the chunks that decoding needs. Undefined: the file is malformed, or has too many chunks. */
export function withoutExtras(bytes: Uint8Array): Uint8Array | undefined {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const kept: Uint8Array[] = [file.subarray(0, SIGNATURE_BYTES)];
  const seen = new Map<string, number>();
  let [others, pieces] = [0, 0];
  for (let at = SIGNATURE_BYTES; at + CHUNK_OVERHEAD_BYTES <= file.length; ) {
    const length = file.readUInt32BE(at);
    const type = file.toString('latin1', at + 4, at + 8);
    const end = at + CHUNK_OVERHEAD_BYTES + length;
    if (end > file.length) return undefined;
    if (type === 'IDAT') pieces += 1;
    else if (!ANIMATION.has(type)) others += 1;
    if (others > OTHER_CHUNKS_MAX || pieces > DATA_CHUNKS_MAX) return undefined;
    const times = (seen.get(type) ?? 0) + 1;
    seen.set(type, times);
    // All chunks except the data chunks occur once.
    if (isKept(type, length) && (times === 1 || type === 'IDAT')) kept.push(file.subarray(at, end));
    if (type === 'IEND') return Buffer.concat(kept);
    at = end;
  }
  return undefined;
}

const isKept = (type: string, length: number): boolean => NEEDED.has(type) || length <= (BOUNDED[type] ?? -1);
