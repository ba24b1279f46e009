import { constants, write } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Database, RootDatabase } from 'lmdb';
import { makePrivate, PRIVATE_FILE_MODE, syncFolder } from '../private-folder.js';

/** A change of one row in an LMDB database. */
export interface LmdbChange {
  readonly table: { readonly name: string; readonly db: Database<Buffer, Buffer> };
  readonly key: Buffer;
  /** Undefined: delete. */
  readonly bytes: Buffer | undefined;
}

/** One file of the write log. */
export interface LogFile {
  readAll(): Promise<Buffer>;
  /**
   * Writes at the position and returns how many bytes are on disk: fewer than `length` when the disk is full. One write
   * at a time.
   */
  write(bytes: Buffer, length: number, position: number): Promise<number>;
  close(): Promise<void>;
}

/** The two ways in which rows reach the disk. A test records or interrupts them. */
export interface Device {
  /** Opens or creates a file of the log; its name is on disk when resolved. @param flags of open(2) */
  openLog(path: string, flags: number): Promise<LogFile>;
  /** Commits all of the changes in one transaction, or none; on disk when resolved. @throws the error of LMDB */
  commit(root: RootDatabase<Buffer, Buffer>, changes: readonly LmdbChange[]): Promise<void>;
}

/** O_DSYNC makes each write durable when it returns: one system call instead of two. */
export const LOG_FLAGS = constants.O_RDWR | constants.O_CREAT | (constants.O_DSYNC ?? constants.O_SYNC);

export const disk: Device = {
  async openLog(path, flags) {
    const handle = await open(path, flags, PRIVATE_FILE_MODE);
    await makePrivate(path, PRIVATE_FILE_MODE);
    await syncFolder(dirname(path));
    return logFile(handle);
  },

  async commit(root, changes) {
    try {
      await root.batch(() => {
        for (const { table, key, bytes } of changes) {
          // The transaction reports the outcome of each change.
          if (bytes === undefined) void table.db.remove(key);
          else void table.db.put(key, bytes);
        }
      });
    } catch (error) {
      throw await causeOf(error);
    }
  },
};

function logFile(handle: FileHandle): LogFile {
  return {
    readAll: () => handle.readFile(),
    close: () => handle.close(),
    // The callback form costs less than the promises of FileHandle, and this runs once per flush.
    write: (bytes, length, position) =>
      new Promise((resolve, reject) => {
        write(handle.fd, bytes, 0, length, position, (error, written) => {
          if (error) reject(error);
          else resolve(written);
        });
      }),
  };
}

/** Returns the cause of a failed commit; lmdb reports it by a promise that rejects with the cause. */
async function causeOf(error: unknown): Promise<Error> {
  const { commitError } = error as { commitError?: Promise<never> };
  if (commitError === undefined) return error as Error;
  return commitError.catch((cause: Error) => cause);
}
