/** A GIF that contains nothing but its frames. */
export interface CleanGif {
  readonly bytes: Uint8Array;
  /** The logical screen, at whose size browsers show it, or more if a frame extends beyond it. */
  readonly width: number;
  readonly height: number;
  readonly frames: number;
}

/**
 * Returns the GIF without its comments, texts, application data other than the loop count, and bytes after its end
 * (GIF89a §12-27). Frames are copied as they are. Undefined: it is not well formed.
 */
export function cleanGif(bytes: Uint8Array): CleanGif | undefined {
  const kept: Uint8Array[] = [];
  const keep = (from: number, to: number) => void kept.push(bytes.subarray(from, to));
  let at = 13 + tableBytes(bytes[10]);
  keep(0, at);
  let frames = 0;
  let { width, height } = screen(bytes);
  while (at < bytes.length) {
    const start = at;
    switch (bytes[at]) {
      case TRAILER:
        if (frames === 0) return undefined;
        keep(at, at + 1);
        return { bytes: Buffer.concat(kept), frames, width, height };
      case IMAGE:
        width = Math.max(width, wordAt(bytes, at + 1) + wordAt(bytes, at + 5));
        height = Math.max(height, wordAt(bytes, at + 3) + wordAt(bytes, at + 7));
        // Descriptor, local colour table, minimum code size.
        at = endOfBlocks(bytes, at + 10 + tableBytes(bytes[at + 9]) + 1);
        frames += 1;
        break;
      case EXTENSION:
        at = endOfBlocks(bytes, at + 2);
        if (!isNeeded(bytes, start)) continue;
        break;
      default:
        return undefined;
    }
    if (at > bytes.length) return undefined;
    keep(start, at);
  }
  return undefined;
}

/** Reads the logical screen descriptor (GIF89a §18). */
function screen(bytes: Uint8Array): { readonly width: number; readonly height: number } {
  return { width: wordAt(bytes, 6), height: wordAt(bytes, 8) };
}

const wordAt = (bytes: Uint8Array, at: number): number => (bytes[at] ?? 0) + 256 * (bytes[at + 1] ?? 0);

const TRAILER = 0x3b;
const IMAGE = 0x2c;
const EXTENSION = 0x21;
const GRAPHIC_CONTROL = 0xf9;
const APPLICATION = 0xff;

/** Returns the size of the colour table that the packed field announces. */
function tableBytes(packed = 0): number {
  return (packed & 0x80) === 0 ? 0 : 3 * 2 ** ((packed & 0x07) + 1);
}

/** Returns the offset after the sub-blocks that begin at `from`; infinity if they are incomplete. */
function endOfBlocks(bytes: Uint8Array, from: number): number {
  let at = from;
  for (let size = bytes[at]; size !== undefined; size = bytes[at]) {
    at += 1 + size;
    if (size === 0) return at;
  }
  return Number.POSITIVE_INFINITY;
}

function isNeeded(bytes: Uint8Array, at: number): boolean {
  if (bytes[at + 1] === GRAPHIC_CONTROL) return true;
  if (bytes[at + 1] !== APPLICATION) return false;
  const name = Buffer.from(bytes.subarray(at + 3, at + 14)).toString('latin1');
  return name === 'NETSCAPE2.0' || name === 'ANIMEXTS1.0';
}
