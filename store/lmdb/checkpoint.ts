import { randomBytes } from 'node:crypto';
import type { Database, RootDatabase } from 'lmdb';
import { type Pacing, turnsEnd } from '../pacing.js';
import type { Device, LmdbChange } from './device.js';
import { STORE_ID_BYTES } from './log-format.js';
import type { Overlay } from './overlay.js';

/** Changes per transaction: some milliseconds of the event loop, so that other work waits briefly. */
export const SLICE_CHANGES = 512;

const NAME = 'write_log';
const STORE_ID = Buffer.from('store_id');
const COMPLETED = Buffer.from('completed_log');

/**
 * Copies rows from the write log into LMDB, and records in LMDB the number of the last complete log. A start ignores
 * logs up to that number: their rows may be older than LMDB's.
 */
export class Checkpoints {
  private constructor(
    private readonly root: RootDatabase<Buffer, Buffer>,
    private readonly db: Database<Buffer, Buffer>,
    private readonly device: Device,
    private readonly pacing: Pick<Pacing, 'atTurnsEnd'>,
    /** Random bytes that identify the log's frames as this store's. */
    readonly storeId: Buffer,
    /** Number of the last log whose rows are all in LMDB; 0 for a new store. */
    readonly completed: number,
  ) {}

  static async open(
    root: RootDatabase<Buffer, Buffer>,
    db: (name: string) => Database<Buffer, Buffer>,
    device: Device,
    pacing: Pick<Pacing, 'atTurnsEnd'>,
  ): Promise<Checkpoints> {
    const own = db(NAME);
    let id = own.getBinary(STORE_ID);
    if (id === undefined) {
      id = randomBytes(STORE_ID_BYTES);
      await device.commit(root, [{ table: { name: NAME, db: own }, key: STORE_ID, bytes: id }]);
    }
    const completed = own.getBinary(COMPLETED)?.readUInt32LE() ?? 0;
    return new Checkpoints(root, own, device, pacing, Buffer.from(id), completed);
  }

  /**
   * Writes all rows of the overlay in order, in several transactions; the last one records the log as complete. Readers
   * use the overlay until then, and after a crash the log still has the rows. On disk when resolved.
   * @throws the error of LMDB
   */
  async bringIn(overlay: Overlay, log: number): Promise<void> {
    let last: readonly LmdbChange[] = [];
    for (const part of overlay.parts(SLICE_CHANGES)) {
      if (last.length > 0) await this.device.commit(this.root, last);
      else await turnsEnd(this.pacing);
      last = part;
    }
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(log);
    const completed = { table: { name: NAME, db: this.db }, key: COMPLETED, bytes };
    await this.device.commit(this.root, [...last, completed]);
  }
}
