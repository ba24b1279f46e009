import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/**
 * Maximum length of a socket's path that every kernel accepts: 107 bytes on Linux, 103 on macOS. Longer ones are
 * truncated silently.
 */
const PATH_BYTES_MAX = 103;

/** A path at which a socket can be bound or reached until `release` is called. */
export interface SocketPath {
  readonly path: string;
  readonly release: () => Promise<void>;
}

/**
 * Returns a path of the socket `name` in `folder`. A path that is too long for the kernel is replaced by one through
 * the open folder, which needs Linux's /proc.
 * @throws ENOENT when the path is too long and the folder does not exist
 */
export async function socketPath(folder: string, name: string): Promise<SocketPath> {
  const path = resolve(join(folder, name));
  if (Buffer.byteLength(path) <= PATH_BYTES_MAX) return { path, release: async () => undefined };
  const opened = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  return { path: `/proc/self/fd/${opened.fd}/${name}`, release: () => opened.close() };
}
