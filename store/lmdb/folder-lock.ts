import { realpath, stat, unlink } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { Unavailable } from '../../actors/domain/problem.js';

/** Another process, or another component of this one, has the folder open. */
export class FolderTaken extends Unavailable {}

/**
 * Locks a folder for one process; a second process is refused while the first lives. The kernel releases the lock when
 * the process ends, however it ends. On Linux the lock is an abstract socket named after the folder's inode; elsewhere
 * it is a socket in the folder, which counts as a leftover when nobody answers on it.
 */
export class FolderLock {
  private constructor(private readonly server: Server) {}

  /** Locks the folder. @throws FolderTaken */
  static async take(folder: string): Promise<FolderLock> {
    const name = await socketName(folder);
    const server = createServer((socket) => socket.destroy());
    try {
      await listen(server, name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
      if (name.startsWith('\0') || (await answers(name))) {
        throw new FolderTaken(`${folder} is in use by another process`, { cause: error });
      }
      await unlink(name);
      await listen(server, name);
    }
    server.unref();
    return new FolderLock(server);
  }

  async release(): Promise<void> {
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }
}

async function socketName(folder: string): Promise<string> {
  const path = await realpath(folder);
  if (process.platform !== 'linux') return join(path, 'lock.sock');
  const { dev, ino } = await stat(path, { bigint: true });
  return `\0murmuration-store-${dev}-${ino}`;
}

function listen(server: Server, name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(name, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function answers(name: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(name);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
