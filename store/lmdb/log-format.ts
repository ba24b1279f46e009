import { crc32 } from 'node:zlib';
import type { Change, HeldTable } from './overlay.js';

// A log file holds the frames of one log from its beginning on. Bytes behind its last frame may be frames of an earlier
// log that used the same file. Each append is one frame, so that a torn write never leaves a whole frame behind it.
//
// frame: store id (8 bytes), number of the log, number of the frame, length of the payload, checksum (4 bytes each)
// payload: frame 0 begins with the length of its header (4 bytes) and the header as JSON; then changes
// change: table (1), 0 delete or 1 put (1), length of the key (2), length of the value (4), key, value

const MAGIC = 'murmuration writes 2';
export const STORE_ID_BYTES = 8;
const FRAME_BYTES = STORE_ID_BYTES + 16;
const CHANGE_BYTES = 8;
/** Size of the buffer that is reused between appends; a larger group gets a buffer of its own. */
const SCRATCH_BYTES = 1_048_576;
/** Maximum size of a frame apart from its changes: the header names some 60 tables. */
const OVERHEAD_BYTES = 65_536;

/** A change as a log stores it. */
export interface Logged {
  readonly table: string;
  readonly key: Buffer;
  /** Undefined: delete. */
  readonly bytes: Buffer | undefined;
}

interface Header {
  readonly magic: string;
  /** Number of frames of the previous log: fewer on disk mean that acknowledged writes are missing. */
  readonly framesBefore: number;
  readonly tables: readonly string[];
}

/** The contents of a log that LMDB does not have yet. */
export interface FoundLog {
  readonly number: number;
  readonly frames: number;
  readonly framesBefore: number;
  readonly changes: Logged[];
  /** The last write is incomplete: the process ended before it acknowledged the write. */
  readonly isTorn: boolean;
}

/** Encodes frames in a buffer that it reuses. */
export class FrameEncoder {
  bytes = Buffer.allocUnsafeSlow(SCRATCH_BYTES);
  private readonly tableNames: readonly string[];

  constructor(
    private readonly storeId: Buffer,
    tables: readonly HeldTable[],
  ) {
    this.tableNames = tables.map(({ name }) => name);
  }

  /** Encodes a frame into `bytes`, where it stays until the next call. Returns its length. */
  encode(log: number, frame: number, framesBefore: number, changes: readonly Change[]): number {
    this.reserve(changes);
    let at = FRAME_BYTES;
    if (frame === 0) at = this.header({ magic: MAGIC, framesBefore, tables: this.tableNames }, at);
    const end = this.changes(changes, at);
    const { bytes } = this;
    bytes.set(this.storeId, 0);
    bytes.writeUInt32LE(log, STORE_ID_BYTES);
    bytes.writeUInt32LE(frame, STORE_ID_BYTES + 4);
    bytes.writeUInt32LE(end - FRAME_BYTES, STORE_ID_BYTES + 8);
    bytes.writeUInt32LE(checksum(bytes, 0, end), STORE_ID_BYTES + 12);
    return end;
  }

  private reserve(changes: readonly Change[]): void {
    let size = OVERHEAD_BYTES;
    for (const { key, bytes } of changes) size += CHANGE_BYTES + key.length + (bytes?.length ?? 0);
    const wanted = Math.max(size, SCRATCH_BYTES);
    if (this.bytes.length !== wanted) this.bytes = Buffer.allocUnsafeSlow(wanted);
  }

  private header(header: Header, at: number): number {
    const length = this.bytes.write(JSON.stringify(header), at + 4);
    this.bytes.writeUInt32LE(length, at);
    return at + 4 + length;
  }

  private changes(changes: readonly Change[], from: number): number {
    const { bytes: into } = this;
    let at = from;
    for (const { table, key, bytes } of changes) {
      into[at] = table.index;
      into[at + 1] = bytes === undefined ? 0 : 1;
      at = into.writeUInt16LE(key.length, at + 2);
      at = into.writeUInt32LE(bytes?.length ?? 0, at);
      into.set(key, at);
      at += key.length;
      if (bytes === undefined) continue;
      into.set(bytes, at);
      at += bytes.length;
    }
    return at;
  }
}

/** Returns the checksum of a frame: its head without the checksum itself, and its body. */
const checksum = (bytes: Buffer, at: number, end: number): number =>
  crc32(bytes.subarray(at + FRAME_BYTES, end), crc32(bytes.subarray(at, at + FRAME_BYTES - 4)));

interface Frame {
  readonly log: number;
  readonly number: number;
  readonly payload: Buffer;
  readonly end: number;
}

/** Returns the frame that begins at the offset, or undefined if it is not whole. */
function frameAt(bytes: Buffer, storeId: Buffer, at: number): Frame | undefined {
  if (at + FRAME_BYTES > bytes.length || !isAt(bytes, storeId, at)) return undefined;
  const fields = at + STORE_ID_BYTES;
  const end = at + FRAME_BYTES + bytes.readUInt32LE(fields + 8);
  if (end > bytes.length || checksum(bytes, at, end) !== bytes.readUInt32LE(fields + 12)) return undefined;
  const payload = bytes.subarray(at + FRAME_BYTES, end);
  return { log: bytes.readUInt32LE(fields), number: bytes.readUInt32LE(fields + 4), payload, end };
}

const isAt = (bytes: Buffer, part: Buffer, at: number): boolean =>
  bytes.compare(part, 0, part.length, at, at + part.length) === 0;

/**
 * Reads the log of a file. Returns undefined when LMDB has all of it, or when its first write is torn.
 * @param completed the last log whose rows LMDB has
 * @throws DamagedLog an acknowledged write cannot be read
 */
export function readLog(bytes: Buffer, storeId: Buffer, completed: number): FoundLog | undefined {
  checkOwner(bytes, storeId);
  const first = frameAt(bytes, storeId, 0);
  if (first === undefined) {
    const later = laterFrame(bytes, storeId, 0, ({ log }) => log > completed);
    if (later !== undefined) throw new DamagedLog(0, later);
    return undefined;
  }
  if (first.log <= completed) return undefined;
  const { framesBefore, tables, headerEnd } = headerOf(first.payload);
  const changes: Logged[] = [];
  readChanges(first.payload.subarray(headerEnd), tables, changes);
  let [at, frames] = [first.end, 1];
  for (;;) {
    const frame = frameAt(bytes, storeId, at);
    if (frame === undefined || frame.log !== first.log || frame.number !== frames) break;
    readChanges(frame.payload, tables, changes);
    at = frame.end;
    frames += 1;
  }
  const later = laterFrame(bytes, storeId, at, ({ log, number }) => log === first.log && number > frames);
  if (later !== undefined) throw new DamagedLog(at, later);
  return { number: first.log, frames, framesBefore, changes, isTorn: beginsFrame(bytes, storeId, at, first.log) };
}

/** Rejects a file of another store or format, which must not be read as an empty log. */
function checkOwner(bytes: Buffer, storeId: Buffer): void {
  if (bytes.length < STORE_ID_BYTES || isAt(bytes, storeId, 0)) return;
  // A torn write may leave zeros where nothing was written.
  if (!isAt(bytes, Buffer.alloc(STORE_ID_BYTES), 0)) throw new DamagedLog(0);
}

/**
 * Returns the offset of a whole frame behind a damaged one: only damage leaves that, because a torn write is the last
 * one.
 */
function laterFrame(bytes: Buffer, storeId: Buffer, from: number, counts: (frame: Frame) => boolean) {
  for (let at = bytes.indexOf(storeId, from); at >= 0; at = bytes.indexOf(storeId, at + 1)) {
    const frame = frameAt(bytes, storeId, at);
    if (frame !== undefined && counts(frame)) return at;
  }
  return undefined;
}

function beginsFrame(bytes: Buffer, storeId: Buffer, at: number, log: number): boolean {
  const fields = at + STORE_ID_BYTES;
  return fields + 4 <= bytes.length && isAt(bytes, storeId, at) && bytes.readUInt32LE(fields) === log;
}

function headerOf(payload: Buffer): Header & { readonly headerEnd: number } {
  const headerEnd = 4 + payload.readUInt32LE();
  const header = JSON.parse(payload.subarray(4, headerEnd).toString()) as Header;
  if (header.magic !== MAGIC) throw new Error(`the write log's format is "${header.magic}", not "${MAGIC}"`);
  return { ...header, headerEnd };
}

function readChanges(payload: Buffer, tables: readonly string[], into: Logged[]): void {
  for (let at = 0; at < payload.length; ) {
    const [table, isPut] = [tables[payload[at] as number] ?? '', payload[at + 1] === 1];
    const keyAt = at + CHANGE_BYTES;
    const valueAt = keyAt + payload.readUInt16LE(at + 2);
    const end = valueAt + payload.readUInt32LE(at + 4);
    const bytes = isPut ? payload.subarray(valueAt, end) : undefined;
    into.push({ table, key: payload.subarray(keyAt, valueAt), bytes });
    at = end;
  }
}

/** Acknowledged writes cannot be read from a log file. */
export class DamagedLog extends Error {
  override name = 'DamagedLog';

  constructor(at: number, laterAt?: number) {
    super(
      laterAt === undefined
        ? `the bytes at ${at} do not belong to this store`
        : `the write at byte ${at} cannot be read, but a later one at byte ${laterAt} can`,
    );
  }
}
