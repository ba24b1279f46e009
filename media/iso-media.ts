/** The header of an MP4, MOV or M4A. */
export interface Film {
  /** The largest picture as shown (rotated if the camera was); 0: sound only. */
  readonly width: number;
  readonly height: number;
  /** 0 if unknown. */
  readonly framesPerS: number;
  /** 0 if unknown. */
  readonly durationS: number;
  /**
   * Byte ranges of the header that identify the place and the device of the recording, relative to the header's start.
   */
  readonly private: readonly Range[];
}

/** A box including its head. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

interface Box {
  readonly type: string;
  /** Offsets of the box, of its content, and of its end. */
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

interface Budget {
  left: number;
}

/** Maximum number of boxes in a header: real ones have some dozens, more is an attack. */
const BOXES_MAX = 10_000;
/** Maximum number of boxes on the outermost level: files have some dozens, a browser's recording two each second. */
const TOP_BOXES_MAX = 10_000;
/** Maximum size of a header: one of two hours takes some megabytes. */
export const MOVIE_BYTES_MAX = 8 * 1_048_576;
/** Maximum number of boxes in fragments: a film of 5,000 fragments has some 8 in each. */
const FRAGMENT_BOXES_MAX = 60_000;
/** The outermost boxes that are needed to show a film. */
const NEEDED = new Set(['ftyp', 'styp', 'moov', 'moof', 'mdat', 'imda', 'sidx', 'ssix', 'mfra', 'wide']);
/** Boxes that name place, time, author or device of a recording, or that contain overwritten data. */
const PRIVATE = new Set(['udta', 'meta', 'uuid', 'emsg', 'prft', 'free', 'skip']);
/** Boxes that contain boxes. */
const CONTAINERS = new Set(['trak', 'mdia', 'minf', 'stbl', 'edts', 'mvex', 'traf']);
/** Maximum nesting: the deepest box that is needed is stbl, in minf, mdia, trak. */
const DEPTH_MAX = 6;
const BOX_HEAD_BYTES = 8;

/**
 * Finds the header (`moov`) of ISO media (ISO/IEC 14496-12 §4.2) and blanks, in place, everything unnecessary beside it
 * and in fragments (`moof`). It reads only the heads of boxes. Undefined: malformed, or without exactly one header of
 * an acceptable size.
 */
export function findMovie(bytes: Buffer): Range | undefined {
  const top = boxes(bytes, 0, bytes.length, { left: TOP_BOXES_MAX });
  const [movie, second] = top?.filter(({ type }) => type === 'moov') ?? [];
  if (top === undefined || movie === undefined || second !== undefined) return undefined;
  if (movie.to - movie.at > MOVIE_BYTES_MAX) return undefined;
  const budget = { left: FRAGMENT_BOXES_MAX };
  for (const { type, at, from, to } of top) {
    if (!NEEDED.has(type)) blank(bytes, { from: at, to });
    if (type !== 'moof') continue;
    const ranges: Range[] = [];
    const inside = boxes(bytes, from, to, budget);
    if (inside === undefined || !collectPrivate(bytes, inside, ranges, budget, DEPTH_MAX)) return undefined;
    for (const range of ranges) blank(bytes, range);
  }
  return { from: movie.at, to: movie.to };
}

/** Turns a box into a free box of zeros, so that nothing moves. The range must be that of a box. */
export function blank(bytes: Buffer, { from, to }: Range): void {
  bytes.write('free', from + 4, 'latin1');
  // A 64-bit size follows the type.
  bytes.fill(0, bytes.readUInt32BE(from) === 1 ? from + 2 * BOX_HEAD_BYTES : from + BOX_HEAD_BYTES, to);
}

/** Reads the header that findMovie found (ISO/IEC 14496-12 §8.2-8.3). Undefined: malformed, or without a track. */
export function readMovie(movie: Buffer): Film | undefined {
  const budget = { left: BOXES_MAX };
  const head = boxes(movie, 0, movie.length, budget)?.[0];
  const inside = head && boxes(movie, head.from, head.to, budget);
  if (inside === undefined) return undefined;
  const ranges: Range[] = [];
  if (!collectPrivate(movie, inside, ranges, budget, DEPTH_MAX)) return undefined;
  const found = { width: 0, height: 0, framesPerS: 0 };
  const tracks = inside.filter(({ type }) => type === 'trak');
  for (const track of tracks) {
    const parts = boxes(movie, track.from, track.to, budget);
    if (parts === undefined) return undefined;
    const size = trackSize(movie, parts);
    if (size.width * size.height <= found.width * found.height) continue;
    Object.assign(found, size, { framesPerS: frameRate(movie, parts, budget) });
  }
  return tracks.length === 0 ? undefined : { ...found, durationS: durationS(movie, inside), private: ranges };
}

/** Collects private boxes. Returns false if the header is malformed, or has more or deeper boxes than any film. */
function collectPrivate(bytes: Buffer, all: readonly Box[], found: Range[], budget: Budget, depth: number): boolean {
  if (depth === 0) return false;
  for (const { type, at, from, to } of all) {
    if (PRIVATE.has(type)) found.push({ from: at, to });
    if (!CONTAINERS.has(type)) continue;
    const inside = boxes(bytes, from, to, budget);
    if (inside === undefined || !collectPrivate(bytes, inside, found, budget, depth - 1)) return false;
  }
  return true;
}

/** Returns the boxes of a range; undefined if one extends beyond it. */
function boxes(bytes: Buffer, start: number, end: number, budget: Budget): Box[] | undefined {
  const found: Box[] = [];
  for (let at = start; at + BOX_HEAD_BYTES <= end; ) {
    if (budget.left-- <= 0) return undefined;
    const type = bytes.toString('latin1', at + 4, at + 8);
    let size = bytes.readUInt32BE(at);
    let from = at + BOX_HEAD_BYTES;
    if (size === 1) {
      if (at + 16 > end) return undefined;
      size = Number(bytes.readBigUInt64BE(at + 8));
      from = at + 16;
    } else if (size === 0) size = end - at;
    if (size < from - at || at + size > end) return undefined;
    found.push({ type, at, from, to: at + size });
    at += size;
  }
  return found;
}

/** Reads the duration from the movie header (§8.2.2). */
function durationS(bytes: Buffer, inside: readonly Box[]): number {
  const header = inside.find(({ type }) => type === 'mvhd');
  if (header === undefined) return 0;
  const isLong = bytes[header.from] === 1;
  if (header.to - header.from < (isLong ? 32 : 20)) return 0;
  const ticksPerS = bytes.readUInt32BE(header.from + (isLong ? 20 : 12));
  const ticks = isLong ? Number(bytes.readBigUInt64BE(header.from + 24)) : bytes.readUInt32BE(header.from + 16);
  const isUnknown = ticks === (isLong ? 2 ** 64 : 2 ** 32 - 1);
  return ticksPerS === 0 || isUnknown ? 0 : ticks / ticksPerS;
}
/** Reads the size from the track header (§8.3.2); sound has none. */
function trackSize(bytes: Buffer, parts: readonly Box[]): { width: number; height: number } {
  const header = parts.find(({ type }) => type === 'tkhd');
  if (header === undefined || header.to - header.from < 84) return { width: 0, height: 0 };
  const [width, height] = [bytes.readUInt32BE(header.to - 8) >>> 16, bytes.readUInt32BE(header.to - 4) >>> 16];
  // The matrix before them: a quarter turn has zeros on its diagonal.
  const isTurned = bytes.readInt32BE(header.to - 44) === 0 && bytes.readInt32BE(header.to - 28) === 0;
  return isTurned ? { width: height, height: width } : { width, height };
}

/** Reads the frame rate from the time-to-sample table (§8.6.1.2). */
function frameRate(bytes: Buffer, parts: readonly Box[], budget: Budget): number {
  const inside = (within: readonly Box[] | undefined, type: string) => {
    const box = within?.find((one) => one.type === type);
    return box && { box, parts: boxes(bytes, box.from, box.to, budget) };
  };
  const media = inside(parts, 'mdia');
  const times = inside(inside(inside(media?.parts, 'minf')?.parts, 'stbl')?.parts, 'stts')?.box;
  const header = media?.parts?.find(({ type }) => type === 'mdhd');
  if (times === undefined || header === undefined || times.to - times.from < 8) return 0;
  const isLong = bytes[header.from] === 1;
  if (header.to - header.from < (isLong ? 32 : 20)) return 0;
  const ticksPerS = bytes.readUInt32BE(header.from + (isLong ? 20 : 12));
  const entries = Math.min(bytes.readUInt32BE(times.from + 4), Math.floor((times.to - times.from - 8) / 8), BOXES_MAX);
  let [pictures, ticks] = [0, 0];
  for (let at = times.from + 8; at < times.from + 8 + entries * 8; at += 8) {
    pictures += bytes.readUInt32BE(at);
    ticks += bytes.readUInt32BE(at) * bytes.readUInt32BE(at + 4);
  }
  return ticks === 0 ? 0 : Math.round((pictures * ticksPerS * 100) / ticks) / 100;
}
