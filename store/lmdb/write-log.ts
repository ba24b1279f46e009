import { join } from 'node:path';
import { Unavailable } from '../../actors/domain/problem.js';
import type { StoreLog } from '../store-log.js';
import { type Device, LOG_FLAGS, type LogFile } from './device.js';
import { DamagedLog, type FoundLog, FrameEncoder, type Logged, readLog } from './log-format.js';
import type { Change, HeldTable } from './overlay.js';

/** Two alternating files: while the rows of one are copied into LMDB, the other takes the writes. */
export const LOG_FILES = ['writes-a.log', 'writes-b.log'] as const;

/**
 * Errors that the kernel reports before it accepts a byte. After any other error (EIO) all bytes may be in its memory
 * or on the disk, where the next process finds them. Source: pwrite(2); ext4 and XFS reserve space when a file is
 * written to.
 */
const NOT_WRITTEN: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EBADF', 'EINVAL']);

export interface WriteLogOptions {
  readonly folder: string;
  readonly tables: readonly HeldTable[];
  readonly storeId: Buffer;
  /** The last log whose rows LMDB has. */
  readonly completed: number;
  readonly device: Device;
  readonly log: StoreLog;
}

/**
 * The log of writes that LMDB does not have yet: atomic groups of changes, on disk when resolved. Logs are numbered;
 * each occupies one file. A file is overwritten only when LMDB has recorded that its log is complete.
 */
export class WriteLog {
  private current: LogFile;
  private other: LogFile;
  private readonly encoder: FrameEncoder;
  /** Offset and number of the next frame. */
  private at = 0;
  private frames = 0;
  private framesBefore = 0;

  private constructor(
    files: readonly [LogFile, LogFile],
    { storeId, tables }: WriteLogOptions,
    /** Number of the log that takes the next write. */
    private number: number,
  ) {
    [this.current, this.other] = files;
    this.encoder = new FrameEncoder(storeId, tables);
  }

  /**
   * Opens the files and reads the rows that LMDB does not have, oldest first. All logs up to `last` must be complete
   * before the first append. @throws Error a file is damaged; it is not changed
   */
  static async open(options: WriteLogOptions): Promise<{ log: WriteLog; found: Logged[]; last: number }> {
    const { folder, device, completed } = options;
    const paths = LOG_FILES.map((name) => join(folder, name));
    const files = (await Promise.all(paths.map((path) => device.openLog(path, LOG_FLAGS)))) as [LogFile, LogFile];
    try {
      const logs: FoundLog[] = [];
      for (const [index, file] of files.entries()) {
        const read = await readFrom(file, paths[index] as string, options);
        if (read !== undefined) logs.push(read);
      }
      logs.sort((one, other) => one.number - other.number);
      checkComplete(folder, logs, completed);
      const last = logs.at(-1)?.number ?? completed;
      return { log: new WriteLog(files, options, last + 1), found: logs.flatMap(({ changes }) => changes), last };
    } catch (error) {
      await Promise.all(files.map((file) => file.close()));
      throw error;
    }
  }

  /** Size of the current log. */
  get bytes(): number {
    return this.at;
  }

  /**
   * Appends all of the changes or none; one append at a time.
   * @throws Unavailable the changes may be on disk until the next append, which overwrites them; Error they are not on
   *   disk
   */
  async append(changes: readonly Change[]): Promise<void> {
    const end = this.encoder.encode(this.number, this.frames, this.framesBefore, changes);
    const written = await this.current.write(this.encoder.bytes, end, this.at).catch((error: NodeJS.ErrnoException) => {
      if (NOT_WRITTEN.has(error.code ?? '')) throw error;
      throw new Unavailable(`the outcome of a write is unknown: ${error.message}`, { cause: error });
    });
    if (written !== end) throw new Error(`no space: ${written} of ${end} bytes were written`);
    this.at += end;
    this.frames += 1;
  }

  /** Starts a new log in the other file, whose log must be complete. Returns the number of the log that ends. */
  turnOver(): number {
    [this.current, this.other] = [this.other, this.current];
    this.framesBefore = this.frames;
    this.frames = 0;
    this.at = 0;
    this.number += 1;
    return this.number - 1;
  }

  async close(): Promise<void> {
    await Promise.all([this.current.close(), this.other.close()]);
  }
}

async function readFrom(file: LogFile, path: string, { storeId, completed, log }: WriteLogOptions) {
  try {
    const found = readLog(await file.readAll(), storeId, completed);
    if (found?.isTorn) log.info({ path }, 'ignored an unfinished write at the end of the log');
    return found;
  } catch (error) {
    if (!(error instanceof DamagedLog)) throw error;
    throw new Error(`the write log ${path} is damaged: ${error.message}. ${ADVICE}`, { cause: error });
  }
}

/**
 * Checks that no log is missing. A log begins only when the one two before it is complete and the one before it has
 * ended.
 */
function checkComplete(folder: string, logs: readonly FoundLog[], completed: number): void {
  let [number, frames] = [completed, 0];
  for (const [index, log] of logs.entries()) {
    const isNext = log.number === number + 1 && (index === 0 || log.framesBefore === frames);
    // A log without a write leaves nothing in its file.
    const isNextButOne = log.number === number + 2 && log.framesBefore === 0;
    if (!isNext && !isNextButOne) {
      throw new Error(`the write log in ${folder} is damaged: writes before log ${log.number} are missing. ${ADVICE}`);
    }
    [number, frames] = [log.number, log.frames];
  }
}

const ADVICE =
  'No file was changed. Restore the folder from a backup, or move both writes-*.log files away to start without their writes.';
