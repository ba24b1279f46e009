import { constants, write } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Change, HeldTable } from './overlay.js';

/** Two files in turn: while the rows of one are brought into LMDB, the other one takes what is written. */
const FILES = ['writes-a.log', 'writes-b.log'] as const;
const MAGIC = 'murmuration writes 1';
/** Length of a frame's payload and its checksum. */
const FRAME_BYTES = 8;
/** Table, kind of change, length of key, length of value. */
const CHANGE_BYTES = 8;
/** Kept between writes; a larger group gets a buffer of its own. */
const SCRATCH_BYTES = 1_048_576;

interface LogFile {
  readonly handle: FileHandle;
  /** Where the next frame goes. */
  at: number;
  /** Checksum of the last frame: the next one continues it, so that none of an earlier use is mistaken for it. */
  crc: number;
}

/** A row as it was found in the log. */
export interface Logged {
  readonly table: string;
  readonly key: Buffer;
  /** Undefined: delete. */
  readonly bytes: Buffer | undefined;
}

/**
 * What was written since LMDB had it all: groups of changes, each whole or not at all, on disk when resolved. A file
 * begins with a frame that names the use it is in and the tables; what lies behind its last whole frame is left from
 * an earlier use, or was refused.
 */
export class WriteLog {
  private scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);
  private use: number;
  private current: LogFile;
  private other: LogFile;

  private constructor(
    files: readonly [LogFile, LogFile],
    private readonly tables: readonly HeldTable[],
    lastUse: number,
  ) {
    [this.current, this.other] = files;
    this.use = lastUse + 1;
  }

  /** With what a process that ended without closing left, oldest first. */
  static async open(folder: string, tables: readonly HeldTable[]): Promise<{ log: WriteLog; found: Logged[] }> {
    // Each write is on the disk when it returns: one call to the kernel instead of two.
    const flags = constants.O_RDWR | constants.O_CREAT | (constants.O_DSYNC ?? constants.O_SYNC);
    const handles = await Promise.all(FILES.map((name) => open(join(folder, name), flags, 0o600)));
    const uses = await Promise.all(handles.map(readUse));
    const [a, b] = handles.map((handle) => ({ handle, at: 0, crc: 0 })) as [LogFile, LogFile];
    await syncFolder(folder);
    uses.sort((x, y) => x.number - y.number);
    const log = new WriteLog([a, b], tables, uses.at(-1)?.number ?? 0);
    return { log, found: uses.flatMap(({ changes }) => changes) };
  }

  /** Bytes that the current file holds. */
  get bytes(): number {
    return this.current.at;
  }

  /** All of the changes or none; one append at a time. Rejects when they are not on the disk. */
  async append(changes: readonly Change[]): Promise<void> {
    const { current } = this;
    let [end, crc] = [0, current.crc];
    this.reserve(changes);
    if (current.at === 0) [end, crc] = this.frame(0, 0, (from) => this.header(from));
    [end, crc] = this.frame(end, crc, (from) => this.body(from, changes));
    const written = await writeAt(current.handle.fd, this.scratch, end, current.at);
    if (written !== end) throw new Error(`no space: ${written} of ${end} bytes were written`);
    current.at += end;
    current.crc = crc;
    if (this.scratch.length > SCRATCH_BYTES) this.scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);
  }

  /** The next append begins the other file anew: what that one held must be in LMDB. */
  turnOver(): void {
    [this.current, this.other] = [this.other, this.current];
    this.current.at = 0;
    this.current.crc = 0;
    this.use += 1;
  }

  /** Nothing is in the log any more: LMDB has it all. */
  async clear(): Promise<void> {
    for (const file of [this.current, this.other]) {
      await writeAt(file.handle.fd, Buffer.alloc(FRAME_BYTES), FRAME_BYTES, 0);
      file.at = 0;
      file.crc = 0;
    }
    this.use += 1;
  }

  async close(): Promise<void> {
    await Promise.all([this.current.handle.close(), this.other.handle.close()]);
  }

  private reserve(changes: readonly Change[]): void {
    let bytes = 2 * FRAME_BYTES + SCRATCH_BYTES / 16;
    for (const { key, bytes: value } of changes) bytes += CHANGE_BYTES + key.length + (value?.length ?? 0);
    if (bytes > this.scratch.length) this.scratch = Buffer.allocUnsafeSlow(bytes);
  }

  private frame(at: number, crc: number, fill: (from: number) => number): [end: number, crc: number] {
    const from = at + FRAME_BYTES;
    const end = fill(from);
    const sum = crc32(this.scratch.subarray(from, end), crc);
    this.scratch.writeUInt32LE(end - from, at);
    this.scratch.writeUInt32LE(sum, at + 4);
    return [end, sum];
  }

  private header(from: number): number {
    const text = JSON.stringify({ magic: MAGIC, use: this.use, tables: this.tables.map(({ name }) => name) });
    return from + this.scratch.write(text, from);
  }

  private body(from: number, changes: readonly Change[]): number {
    const { scratch } = this;
    let at = from;
    for (const { table, key, bytes } of changes) {
      scratch[at] = table.index;
      scratch[at + 1] = bytes === undefined ? 0 : 1;
      at = scratch.writeUInt16LE(key.length, at + 2);
      at = scratch.writeUInt32LE(bytes?.length ?? 0, at);
      scratch.set(key, at);
      at += key.length;
      if (bytes === undefined) continue;
      scratch.set(bytes, at);
      at += bytes.length;
    }
    return at;
  }
}

/** Bytes written, fewer than asked for when the disk is full. Without the promises of FileHandle: once per flush. */
function writeAt(fd: number, bytes: Buffer, length: number, position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    write(fd, bytes, 0, length, position, (error, written) => {
      if (error) reject(error);
      else resolve(written);
    });
  });
}

interface Use {
  /** 0 for a file that holds nothing. */
  readonly number: number;
  readonly changes: Logged[];
}

/** Every whole frame from the file's beginning on. */
async function readUse(handle: FileHandle): Promise<Use> {
  const bytes = await handle.readFile();
  let [at, crc] = [0, 0];
  let header: { magic?: string; use: number; tables: readonly string[] } | undefined;
  const changes: Logged[] = [];
  while (at + FRAME_BYTES <= bytes.length) {
    const length = bytes.readUInt32LE(at);
    const payload = bytes.subarray(at + FRAME_BYTES, at + FRAME_BYTES + length);
    if (length === 0 || payload.length < length) break;
    crc = crc32(payload, crc);
    if (crc !== bytes.readUInt32LE(at + 4)) break;
    if (header !== undefined) readChanges(payload, header.tables, changes);
    else header = JSON.parse(payload.toString()) as NonNullable<typeof header>;
    if (header.magic !== MAGIC) throw new Error(`a log that says ${header.magic} is not of this version`);
    at += FRAME_BYTES + length;
  }
  return { number: header?.use ?? 0, changes };
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

/** So that new files are still there after a power cut. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY);
  await handle.sync();
  await handle.close();
}
