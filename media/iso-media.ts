/** What the header of an MP4, MOV or M4A says of its film. */
export interface Film {
  /** Of the largest picture, as shown (turned where the camera was); 0: sound only. */
  readonly width: number;
  readonly height: number;
  /** Pictures a second, 0 where unknown. */
  readonly framesPerS: number;
}

interface Box {
  readonly type: string;
  /** Where the box begins, its content, its end. */
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

/** A file has some dozens; more is an attack. */
const BOXES_MAX = 10_000;
/** Say where a film was made, by whom, with what: nobody else's business. */
const PRIVATE = new Set(['udta', 'meta', 'uuid']);

/**
 * Reads sizes out of ISO media (ISO/IEC 14496-12 §4.2, 8.3), and blanks, in place, what says where and with what it was made:
 * such a box becomes a free one of zeros, so that nothing moves. Undefined: it is not well formed.
 */
export function readFilm(bytes: Buffer): Film | undefined {
  const budget = { left: BOXES_MAX };
  const top = boxes(bytes, 0, bytes.length, budget);
  const movie = top?.find(({ type }) => type === 'moov');
  const inside = movie && boxes(bytes, movie.from, movie.to, budget);
  if (top === undefined || inside === undefined) return undefined;
  const found = { width: 0, height: 0, framesPerS: 0 };
  for (const box of [...top, ...inside]) blankPrivate(bytes, box);
  for (const track of inside.filter(({ type }) => type === 'trak')) {
    const parts = boxes(bytes, track.from, track.to, budget);
    if (parts === undefined) return undefined;
    for (const box of parts) blankPrivate(bytes, box);
    const size = trackSize(bytes, parts);
    if (size.width * size.height <= found.width * found.height) continue;
    Object.assign(found, size, { framesPerS: frameRate(bytes, parts, budget) });
  }
  return found;
}

/** Undefined where a box reaches past its surroundings. */
function boxes(bytes: Buffer, start: number, end: number, budget: { left: number }): Box[] | undefined {
  const found: Box[] = [];
  for (let at = start; at + 8 <= end; ) {
    if (budget.left-- <= 0) return undefined;
    const type = bytes.toString('latin1', at + 4, at + 8);
    let size = bytes.readUInt32BE(at);
    let from = at + 8;
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

function blankPrivate(bytes: Buffer, { type, at, from, to }: Box): void {
  if (!PRIVATE.has(type)) return;
  bytes.write('free', at + 4, 'latin1');
  bytes.fill(0, from, to);
}

/** Of a track's header; sound has no size. */
function trackSize(bytes: Buffer, parts: readonly Box[]): { width: number; height: number } {
  const header = parts.find(({ type }) => type === 'tkhd');
  if (header === undefined || header.to - header.from < 84) return { width: 0, height: 0 };
  const [width, height] = [bytes.readUInt32BE(header.to - 8) >>> 16, bytes.readUInt32BE(header.to - 4) >>> 16];
  // The matrix before them: a quarter turn has nothing on its diagonal.
  const isTurned = bytes.readInt32BE(header.to - 44) === 0 && bytes.readInt32BE(header.to - 28) === 0;
  return isTurned ? { width: height, height: width } : { width, height };
}

/** Samples by time: how many pictures stand in how many ticks. */
function frameRate(bytes: Buffer, parts: readonly Box[], budget: { left: number }): number {
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
