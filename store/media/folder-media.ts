import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Unavailable } from '../../actors/domain/problem.js';
import type { MediaStore, StoredFile } from '../media.js';
import { PRIVATE_FILE_MODE, PRIVATE_FOLDER_MODE, syncFolder } from '../private-folder.js';

/** Size of one read: large enough that a film needs few of them, small enough that slow readers hold little memory. */
const PIECE_BYTES = 256 * 1_024;

/**
 * Files in a folder, in up to 256 subfolders named after the beginning of their names. All nodes of a cluster must
 * share the folder.
 */
export class FolderMedia implements MediaStore {
  constructor(private readonly folder: string) {}

  async put(name: string, bytes: Uint8Array): Promise<void> {
    const path = this.pathOf(name);
    const fresh = `${path}.${randomBytes(6).toString('hex')}.new`;
    await reached(async () => {
      const folder = this.folderOf(name);
      await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER_MODE });
      try {
        const file = await open(fresh, 'wx', PRIVATE_FILE_MODE);
        try {
          await file.writeFile(bytes);
          await file.sync();
        } finally {
          await file.close();
        }
        await rename(fresh, path);
      } catch (error) {
        await rm(fresh, { force: true });
        throw error;
      }
      // Makes the name of the file, and that of its subfolder, as durable as the bytes.
      for (const above of [folder, this.folder]) await syncFolder(above);
    });
  }

  open(name: string): Promise<StoredFile | undefined> {
    return reached(async () => {
      let size: number;
      try {
        const file = await open(this.pathOf(name), 'r');
        size = (await file.stat()).size;
        await file.close();
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
      return { size, read: (from, to) => this.read(name, from, to) };
    });
  }

  remove(name: string): Promise<void> {
    return reached(() => rm(this.pathOf(name), { force: true }));
  }

  private async *read(name: string, from: number, to: number): AsyncGenerator<Uint8Array> {
    const file = await reached(() => open(this.pathOf(name), 'r'));
    try {
      for (let at = from; at < to; ) {
        const piece = await reached(() => readPiece(file, at, Math.min(PIECE_BYTES, to - at)));
        if (piece.length === 0) throw new Unavailable(`${name} ends before its size`);
        yield piece;
        at += piece.length;
      }
    } finally {
      await file.close();
    }
  }

  private folderOf(name: string): string {
    return join(this.folder, name.slice(0, 2));
  }

  private pathOf(name: string): string {
    return join(this.folderOf(name), name);
  }
}

async function readPiece(file: FileHandle, at: number, bytes: number): Promise<Uint8Array> {
  const buffer = Buffer.allocUnsafe(bytes);
  const { bytesRead } = await file.read(buffer, 0, bytes, at);
  return buffer.subarray(0, bytesRead);
}

/** Turns errors of the disk into Unavailable: a full or detached disk may work again later. */
async function reached<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new Unavailable('failed to use the media folder', { cause: error });
  }
}
