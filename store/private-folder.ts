import { chmod, mkdir, open, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** Only the user of the process may enter the folder. */
export const PRIVATE_FOLDER_MODE = 0o700;
/** Only the user of the process may read and write the file. */
export const PRIVATE_FILE_MODE = 0o600;

/**
 * Creates a folder that other users of the machine cannot enter; durable when resolved. An existing folder loses the
 * permissions of other users. Returns false if it belongs to another user and keeps them.
 */
export async function makePrivateFolder(folder: string): Promise<boolean> {
  const path = resolve(folder);
  const firstMade = await mkdir(path, { recursive: true, mode: PRIVATE_FOLDER_MODE });
  if (firstMade === undefined) return makePrivate(path, PRIVATE_FOLDER_MODE);
  for (let made = path; ; made = dirname(made)) {
    await syncFolder(dirname(made)).catch(unlessUnreadable);
    if (made === resolve(firstMade)) return true;
  }
}

/** A folder that this process may change but not list cannot be synced. */
function unlessUnreadable(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EACCES') throw error;
}

/**
 * Removes the permissions of other users from a path. Returns false if they have some and only the owner, another user,
 * can change that.
 */
export async function makePrivate(path: string, mode: number): Promise<boolean> {
  if (((await stat(path)).mode & 0o077) === 0) return true;
  try {
    await chmod(path, mode);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EPERM') return false;
    throw error;
  }
}

/** Makes the names of new files in the folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
