import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** What every kernel takes as a socket's path: 107 bytes on Linux, 103 on macOS. Longer ones are cut off silently. */
const PATH_BYTES_MAX = 103;

/** A path by which a socket can be bound or reached until `release` is called. */
export interface SocketPath {
  readonly path: string;
  readonly release: () => Promise<void>;
}

/**
 * The socket `name` in `folder`. Where the path is too long for the kernel it leads through the open folder instead,
 * which needs Linux's /proc.
 * @throws ENOENT when the path is long and the folder is not there
 */
export async function socketPath(folder: string, name: string): Promise<SocketPath> {
  const path = resolve(join(folder, name));
  if (Buffer.byteLength(path) <= PATH_BYTES_MAX) return { path, release: async () => undefined };
  const opened = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  return { path: `/proc/self/fd/${opened.fd}/${name}`, release: () => opened.close() };
}
