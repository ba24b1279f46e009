import type { Timer } from '../../actors/domain/time.js';
import type { Pacing } from '../pacing.js';
import type { Checkpoints } from './checkpoint.js';
import { type Change, type HeldTable, Overlay } from './overlay.js';
import type { WriteLog } from './write-log.js';

/**
 * The size of the log from which on its rows are copied into LMDB. Large, so that rows which are written repeatedly are
 * copied once; small, because all of it is also in memory, up to three times with the writes that arrive meanwhile.
 */
export const CHECKPOINT_BYTES = 16 * 2 ** 20;
/** Multiple of the checkpoint size at which writes wait for LMDB. */
const BEHIND_MAX = 2;
/** Delay before a failed copy into LMDB is tried again, unless writes wait for it. */
const RETRY_MS = 1_000;

/** Makes durable rows of the log visible to readers, and copies them into LMDB. */
export class RecentWrites {
  private newest = new Overlay();
  /** Number of changes in `newest` that readers see and that the log does not have yet. */
  private unlogged = 0;
  /** The rows that are being copied into LMDB, older than all of `newest`, and the number of their log. */
  private leaving: { readonly overlay: Overlay; readonly log: number } | undefined;
  private moving: Promise<void> | undefined;
  private failure: Error | undefined;
  private retry: Timer | undefined;

  constructor(
    private readonly checkpoints: Pick<Checkpoints, 'bringIn'>,
    private readonly log: WriteLog,
    private readonly onOutcome: (error?: Error) => void,
    private readonly checkpointBytes: number,
    private readonly pacing: Pick<Pacing, 'after'>,
  ) {}

  /**
   * True when the log is long enough for a copy into LMDB. The copy contains all that readers see, so it begins only
   * when the log has all of that: until then no further change may be shown.
   */
  get isDue(): boolean {
    const { bytes } = this.log;
    return bytes >= this.checkpointBytes * (this.leaving === undefined ? 1 : BEHIND_MAX);
  }

  /** Newest first. */
  get overlays(): readonly Overlay[] {
    return this.leaving === undefined ? [this.newest] : [this.newest, this.leaving.overlay];
  }

  /** Returns the row's last written bytes, `null` if it was removed, undefined if it is only in LMDB. */
  get(table: HeldTable, key: string): Buffer | null | undefined {
    const found = this.newest.get(table, key);
    return found === undefined ? this.leaving?.overlay.get(table, key) : found;
  }

  /** Shows the change to readers now; it must be among the next changes that are written. Not while `isDue`. */
  show(change: Change): void {
    change.seen = true;
    this.unlogged += 1;
    this.newest.apply(change);
  }

  /**
   * Writes all of the changes or none; durable and visible when resolved. One call at a time. @throws Error when the
   * disk refuses them
   */
  async write(changes: readonly Change[]): Promise<void> {
    try {
      await this.append(changes);
    } catch (error) {
      this.onOutcome(error as Error);
      throw error;
    }
    for (const change of changes) {
      if (change.seen === true) this.unlogged -= 1;
      else this.newest.apply(change);
    }
    if (this.failure === undefined) this.onOutcome();
  }

  /**
   * Copies all rows into LMDB, except when the log has refused some of them. @throws Error when LMDB refuses them; the
   * log then still has them
   */
  async settle(): Promise<void> {
    for (let turns = 0; turns < 2; turns++) {
      await this.move();
      if (this.failure !== undefined) throw this.failure;
      if (this.newest.rows > 0 && this.unlogged === 0) this.turnOver();
    }
  }

  /** Gives up a copy that failed: the next start makes it. */
  stop(): void {
    this.retry?.cancel();
  }

  private async append(changes: readonly Change[]): Promise<void> {
    if (this.isDue) {
      if (this.leaving !== undefined) await this.move();
      if (this.failure !== undefined) throw this.failure;
      if (this.unlogged === 0) this.turnOver();
    }
    await this.log.append(changes);
  }

  private turnOver(): void {
    this.leaving = { overlay: this.newest, log: this.log.turnOver() };
    this.newest = new Overlay();
    void this.move();
  }

  /** Continues the copy that is under way; resolves when that has ended, successfully or not. */
  private move(): Promise<void> {
    const { leaving } = this;
    if (leaving === undefined) return Promise.resolve();
    this.retry?.cancel();
    this.moving ??= this.checkpoints
      .bringIn(leaving.overlay, leaving.log)
      .then(
        () => {
          this.leaving = undefined;
          this.failure = undefined;
        },
        (error: Error) => {
          this.failure = error;
          this.onOutcome(error);
          this.retry = this.pacing.after(RETRY_MS, () => void this.move());
        },
      )
      .finally(() => {
        this.moving = undefined;
      });
    return this.moving;
  }
}
