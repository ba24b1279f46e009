import { join } from 'node:path';
import type { Logger as PinoLogger } from 'pino';
import { makePrivate, makePrivateFolder, PRIVATE_FOLDER_MODE } from '../store/private-folder.js';

/** Folders that an earlier start may have made for everybody to read; the store closes its own. */
const WITHIN = ['mail', 'media'];

/** Makes the data folder, and takes the permissions of other users from it and from what is in it. */
export async function closeDataFolder(folder: string, log: PinoLogger): Promise<void> {
  const isPrivate = await makePrivateFolder(folder);
  if (!isPrivate) log.warn({ folder }, 'the data folder belongs to another user, and others may read it');
  for (const name of WITHIN) {
    await makePrivate(join(folder, name), PRIVATE_FOLDER_MODE).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }
}
