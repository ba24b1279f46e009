import { join } from 'node:path';
import type { Logger as PinoLogger } from 'pino';
import { makePrivate, makePrivateFolder, PRIVATE_FOLDER_MODE } from '../store/private-folder.js';

/** Folders that an earlier start may have created readable for everybody; the store handles its own. */
const WITHIN = ['mail', 'media'];

/** Creates the data folder, and removes the permissions of other users from it and its contents. */
export async function closeDataFolder(folder: string, log: PinoLogger): Promise<void> {
  const isPrivate = await makePrivateFolder(folder);
  if (!isPrivate) log.warn({ folder }, 'the data folder belongs to another user, and others may read it');
  for (const name of WITHIN) {
    await makePrivate(join(folder, name), PRIVATE_FOLDER_MODE).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }
}
