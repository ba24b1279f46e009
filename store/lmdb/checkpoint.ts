import type { RootDatabase } from 'lmdb';
import type { Change, Overlay } from './overlay.js';

/** Changes of one transaction: some milliseconds of the event loop, so that nobody waits long behind it. */
const SLICE_CHANGES = 512;

/**
 * Brings all rows of an overlay into LMDB, in order, in several transactions: its readers look through the overlay as
 * long as this goes on, and after a crash the log has it all once more. On disk when resolved. @throws what LMDB says
 */
export async function checkpoint(root: RootDatabase<Buffer, Buffer>, overlay: Overlay): Promise<void> {
  let slice: Change[] = [];
  for (const change of overlay.changes()) {
    slice.push(change);
    if (slice.length < SLICE_CHANGES) continue;
    await transact(root, slice);
    slice = [];
  }
  if (slice.length > 0) await transact(root, slice);
}

async function transact(root: RootDatabase<Buffer, Buffer>, changes: readonly Change[]): Promise<void> {
  try {
    await root.batch(() => {
      for (const { table, key, bytes } of changes) {
        // Their outcome is the batch's.
        if (bytes === undefined) void table.db.remove(key);
        else void table.db.put(key, bytes);
      }
    });
  } catch (error) {
    throw await causeOf(error);
  }
}

/** lmdb says why a commit failed by a promise that rejects with the reason. */
async function causeOf(error: unknown): Promise<Error> {
  const { commitError } = error as { commitError?: Promise<never> };
  if (commitError === undefined) return error as Error;
  return commitError.catch((cause: Error) => cause);
}
