import { withoutComments } from './ogg-tags.js';
import type { Format } from './sniff.js';
import { withoutElements } from './webm-tags.js';

/** Maximum number of a file's chunks, blocks and tags: files have some dozens, and each costs time to skip. */
const PARTS_MAX = 1_000;
/** Maximum number of consecutive tags at the start or end of a file: tags of another kind may follow one. */
const TAGS_MAX = 8;

/**
 * Returns a sound without information about its maker: titles, names, programs, pictures. Works in place if sizes or
 * positions of other parts would change, and copies nothing. It steps from part to part and does not read each byte.
 * Undefined: malformed, or too many parts. ISO media have functions of their own (iso-media.ts).
 */
export function withoutTags(bytes: Buffer, format: Format): Buffer | undefined {
  if (format === 'wav') return withoutChunks(bytes);
  if (format === 'flac') return withoutBlocks(withoutTrailers(bytes));
  if (format === 'ogg') return withoutComments(bytes);
  if (format === 'webm') return withoutElements(bytes);
  return format === 'mp3' || format === 'aac' ? withoutTrailers(bytes) : bytes;
}

/** Returns the bytes after the ID3v2 tags that may precede sounds of every format (ID3v2.4 §3.1). */
export function afterId3(bytes: Buffer): Buffer {
  let rest = bytes;
  for (let tags = 0; tags < TAGS_MAX && rest.toString('latin1', 0, 3) === 'ID3' && rest.length >= 10; tags++) {
    const footerBytes = ((rest[5] ?? 0) & 0x10) === 0 ? 0 : 10;
    rest = rest.subarray(10 + synchsafe(rest, 6) + footerBytes);
  }
  return rest;
}

/** Reads four bytes of seven bits each. */
const synchsafe = (bytes: Buffer, at: number): number =>
  [0, 1, 2, 3].reduce((sum, index) => sum * 128 + ((bytes[at + index] ?? 0) & 0x7f), 0);

/** RIFF (Multimedia Programming Interface 1.0 §2-3): everything except the samples and their format becomes `JUNK`. */
const WAVE_CHUNKS: Readonly<Record<string, number>> = { 'fmt ': 1_024, fact: 64, data: Number.POSITIVE_INFINITY };

function withoutChunks(bytes: Buffer): Buffer | undefined {
  let parts = 0;
  for (let at = 12; at + 8 <= bytes.length; ) {
    if (++parts > PARTS_MAX) return undefined;
    const type = bytes.toString('latin1', at, at + 4);
    const length = bytes.readUInt32LE(at + 4);
    const end = at + 8 + length;
    const isNeeded = length <= (WAVE_CHUNKS[type] ?? -1);
    if (end > bytes.length) {
      // Programs that write to a pipe do not know the length of the samples.
      return type === 'data' ? bytes : bytes.subarray(0, at);
    }
    if (!isNeeded) {
      bytes.write('JUNK', at, 'latin1');
      bytes.fill(0, at + 8, end);
    }
    at = end + (length % 2);
  }
  return bytes;
}

const FLAC_PADDING = 1;
/** STREAMINFO and SEEKTABLE. The other blocks contain texts and pictures, or belong to one program. */
const FLAC_NEEDED = new Set([0, FLAC_PADDING, 3]);

/** FLAC (RFC 9639 §8): unnecessary blocks become padding. */
function withoutBlocks(bytes: Buffer): Buffer | undefined {
  let parts = 0;
  for (let at = 4; at + 4 <= bytes.length; ) {
    if (++parts > PARTS_MAX) return undefined;
    const head = bytes[at] ?? 0;
    const end = at + 4 + bytes.readUIntBE(at + 1, 3);
    if (end > bytes.length) return undefined;
    if (!FLAC_NEEDED.has(head & 0x7f)) {
      bytes[at] = (head & 0x80) | FLAC_PADDING;
      bytes.fill(0, at + 4, end);
    }
    if ((head & 0x80) !== 0) return bytes;
    at = end;
  }
  return undefined;
}

/** Return the size of a tag at the end, one function per kind of tag; 0: no such tag. */
const TRAILERS: readonly ((bytes: Buffer) => number)[] = [
  // ID3v1
  (bytes) => (textBefore(bytes, 128, 3) === 'TAG' ? 128 : 0),
  // ID3v2.4 §3.4, a footer after a tag and its header
  (bytes) => (textBefore(bytes, 10, 3) === '3DI' ? 20 + synchsafe(bytes, bytes.length - 4) : 0),
  // APEv2: a footer of 32 bytes, which the size counts, and perhaps a header, which it does not count
  (bytes) => {
    if (textBefore(bytes, 32, 8) !== 'APETAGEX') return 0;
    const hasHeader = (bytes.readUInt32LE(bytes.length - 12) & 0x8000_0000) !== 0;
    return bytes.readUInt32LE(bytes.length - 20) + (hasHeader ? 32 : 0);
  },
  // Lyrics3v2: six digits of size, which exclude themselves and the mark
  (bytes) => (textBefore(bytes, 9, 9) === 'LYRICS200' ? 15 + Number(textBefore(bytes, 15, 6)) : 0),
];

function withoutTrailers(bytes: Buffer): Buffer {
  let rest = bytes;
  for (let tags = 0; tags < TAGS_MAX; tags++) {
    const size = TRAILERS.map((sizeOf) => sizeOf(rest)).find((found) => found > 0);
    if (size === undefined || size > rest.length) break;
    rest = rest.subarray(0, rest.length - size);
  }
  return rest;
}

/** Returns the text that begins so many bytes before the end. */
function textBefore(bytes: Buffer, distance: number, length: number): string {
  const from = bytes.length - distance;
  return from < 0 ? '' : bytes.toString('latin1', from, from + length);
}
