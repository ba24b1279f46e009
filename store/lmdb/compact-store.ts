import { open as openFile, rename, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { open } from 'lmdb';
import { makePrivate, makePrivateFolder, PRIVATE_FILE_MODE, syncFolder } from '../private-folder.js';
import { FolderLock } from './folder-lock.js';
import { environment, type LmdbOptions, LmdbTables } from './lmdb-tables.js';
import { LOG_FILES } from './write-log.js';

const DATA_FILE = 'data.mdb';

/** Size of the store before and after. */
export interface Compacted {
  readonly bytesBefore: number;
  readonly bytes: number;
}

/**
 * Rewrites a store that no process has open, so that its files hold no deleted data. A crash leaves either the old
 * store or the new one. Needs disk space for a second copy.
 * @throws Unavailable another process has the folder open; Error the store cannot be opened or the disk is full
 */
export async function compactStore({ folder, clock, log }: LmdbOptions): Promise<Compacted> {
  // Opening the store copies all rows of the logs into LMDB.
  await (await LmdbTables.open({ folder, clock, log })).close();
  const lock = await FolderLock.take(folder);
  const copy = join(folder, 'compacted');
  try {
    const data = join(folder, DATA_FILE);
    const { size: bytesBefore } = await stat(data);
    await rm(copy, { recursive: true, force: true });
    await makePrivateFolder(copy);
    const root = open(environment(folder));
    try {
      await root.backup(copy, true);
    } finally {
      await root.close();
    }
    const copied = join(copy, DATA_FILE);
    await makePrivate(copied, PRIVATE_FILE_MODE);
    await sync(copied);
    const { size: bytes } = await stat(copied);
    await rename(copied, data);
    await syncFolder(folder);
    // Last: the old file of LMDB records these logs as complete, and it stays in use until the rename is durable.
    for (const name of LOG_FILES) await truncate(join(folder, name));
    return { bytesBefore, bytes };
  } finally {
    await rm(copy, { recursive: true, force: true });
    await lock.release();
  }
}

async function sync(path: string): Promise<void> {
  const file = await openFile(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
