/** Maximum number of elements that are visited; a recording has one per cluster, or per block if sizes are unknown. */
const STEPS_MAX = 10_000;
/** Segment, tracks, track. */
const DEPTH_MAX = 3;

const SEGMENT = 0x18538067;
const INFO = 0x1549a966;
const TRACKS = 0x1654ae6b;
const TRACK = 0xae;
const CLUSTER = 0x1f43b675;
const CHECKSUM = 0xbf;
const VOID = 0xec;
/** Tags, attachments, chapters, and free space that may contain overwritten data. */
const PRIVATE = new Set([0x1254c367, 0x1941a469, 0x1043a770, VOID]);
/** Elements on the level of clusters: each of them ends a cluster of unknown size. */
const TOP = new Set([...PRIVATE, INFO, TRACKS, CLUSTER, 0x1c53bb6b, 0x114d9b74]);
/** Title, date, muxing and writing program, ids and names of this, the previous and the next file, name of a track. */
const TEXTS = new Set([0x7ba9, 0x4461, 0x4d80, 0x5741, 0x73a4, 0x7384, 0x3cb923, 0x3c83ab, 0x3eb923, 0x3e83bb, 0x536e]);
/** Elements that contain texts, or elements with texts. */
const DESCENDED = new Set([SEGMENT, INFO, TRACKS, TRACK]);

/** Remaining steps. */
interface Budget {
  left: number;
}

interface Element {
  readonly id: number;
  readonly at: number;
  /** Offsets of the content's beginning and end. */
  readonly from: number;
  readonly to: number;
  readonly isSized: boolean;
}

/**
 * Empties, in place, what a WebM file (Matroska, RFC 9559) reveals about its maker: tags, attachments, chapters,
 * titles, dates, programs. Nothing moves: elements become Void of the same size, texts become zeros, which end a text
 * (RFC 8794 §7.4).
 */
export function withoutElements(bytes: Buffer): Buffer {
  walk(bytes, 0, bytes.length, { left: STEPS_MAX }, 0);
  return bytes;
}

/**
 * Returns the offset of the first cluster, or the file's end if there is none. Everything that describes the file
 * precedes it.
 */
export function firstCluster(bytes: Buffer): number {
  let at = 0;
  for (let steps = 0; steps < STEPS_MAX; steps++) {
    const element = elementAt(bytes, at, bytes.length);
    if (element === undefined) break;
    if (element.id === CLUSTER) return at;
    at = element.id === SEGMENT ? element.from : element.to;
  }
  return bytes.length;
}

/** Returns the offset where it stopped: the end, or the element that ends a cluster of unknown size. */
function walk(bytes: Buffer, start: number, end: number, budget: Budget, depth: number, isCluster = false): number {
  let at = start;
  while (at < end && budget.left-- > 0) {
    const element = elementAt(bytes, at, end);
    if (element === undefined) return end;
    const { id, from, to, isSized } = element;
    if (isCluster && TOP.has(id)) return at;
    if (isCluster) at = to;
    else if (id === CLUSTER) at = isSized ? to : walk(bytes, from, end, budget, depth, true);
    else if (DESCENDED.has(id) && depth < DEPTH_MAX) at = walk(bytes, from, to, budget, depth + 1);
    else {
      empty(bytes, element);
      at = to;
    }
  }
  return at < end && !isCluster ? end : at;
}

function empty(bytes: Buffer, { id, at, from, to, isSized }: Element): void {
  if (TEXTS.has(id)) bytes.fill(0, from, to);
  // The checksum covers changed bytes.
  else if (id === CHECKSUM || (PRIVATE.has(id) && isSized)) writeVoid(bytes, at, to);
}

/** Maximum length of an element whose size takes one byte. */
const SHORT_BYTES_MAX = 2 + 126;

function writeVoid(bytes: Buffer, at: number, end: number): void {
  const size = end - at;
  bytes[at] = VOID;
  if (size <= SHORT_BYTES_MAX) {
    bytes[at + 1] = 0x80 | (size - 2);
    bytes.fill(0, at + 2, end);
    return;
  }
  bytes.fill(0, at + 1, end);
  bytes[at + 1] = 1;
  bytes.writeUIntBE(size - 9, at + 3, 6);
}

/** Reads an element; undefined if the bytes are none. An element that extends beyond the end is truncated. */
function elementAt(bytes: Buffer, at: number, end: number): Element | undefined {
  const idBytes = lengthOf(bytes[at]);
  if (idBytes > 4 || at + idBytes >= end) return undefined;
  const sizeAt = at + idBytes;
  const sizeBytes = lengthOf(bytes[sizeAt]);
  const from = sizeAt + sizeBytes;
  if (sizeBytes > 8 || from > end) return undefined;
  let size = (bytes[sizeAt] ?? 0) & (0xff >> sizeBytes);
  let isSized = size !== 0xff >> sizeBytes;
  for (let next = sizeAt + 1; next < from; next++) {
    isSized ||= bytes[next] !== 0xff;
    size = size * 256 + (bytes[next] ?? 0);
  }
  return { id: bytes.readUIntBE(at, idBytes), at, from, to: isSized ? Math.min(from + size, end) : end, isSized };
}

/** Returns the length of a number from its first byte (RFC 8794 §4); 9: not a number. */
const lengthOf = (first: number | undefined): number => Math.clz32(first ?? 0) - 23;
