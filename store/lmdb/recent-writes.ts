import type { Checkpoints } from './checkpoint.js';
import { type Change, type HeldTable, Overlay } from './overlay.js';
import type { WriteLog } from './write-log.js';

/**
 * The log's size from which on LMDB gets its rows. Large, so that rows which are written again and again get there
 * once; small, because all of it is also in memory, up to three times with what is written meanwhile.
 */
export const CHECKPOINT_BYTES = 16 * 2 ** 20;
/** Where writes wait for LMDB, as so many times CHECKPOINT_BYTES. */
const BEHIND_MAX = 2;
/** Before LMDB is tried again after it has failed, unless writes wait for it. */
const RETRY_MS = 1_000;

/** Rows that are durable in the log, as readers must see them, and their way into LMDB. */
export class RecentWrites {
  private newest = new Overlay();
  /** On its way into LMDB, older than all that is in `newest`, and the number of its log. */
  private leaving: { readonly overlay: Overlay; readonly log: number } | undefined;
  private moving: Promise<void> | undefined;
  private failure: Error | undefined;
  private retry: NodeJS.Timeout | undefined;

  constructor(
    private readonly checkpoints: Pick<Checkpoints, 'bringIn'>,
    private readonly log: WriteLog,
    private readonly onOutcome: (error?: Error) => void,
    private readonly checkpointBytes: number,
  ) {}

  /** Newest first. */
  get overlays(): readonly Overlay[] {
    return this.leaving === undefined ? [this.newest] : [this.newest, this.leaving.overlay];
  }

  /** The row's bytes as last written, `null` when removed, undefined when only LMDB knows. */
  get(table: HeldTable, key: string): Buffer | null | undefined {
    const found = this.newest.get(table, key);
    return found === undefined ? this.leaving?.overlay.get(table, key) : found;
  }

  /** Readers see it from now on; it must be among the next changes that are written. */
  show(change: Change): void {
    change.seen = true;
    this.newest.apply(change);
  }

  /** All or none, durable and seen when resolved; one at a time. @throws Error when the disk does not take them */
  async write(changes: readonly Change[]): Promise<void> {
    try {
      await this.append(changes);
    } catch (error) {
      this.onOutcome(error as Error);
      throw error;
    }
    for (const change of changes) if (change.seen !== true) this.newest.apply(change);
    if (this.failure === undefined) this.onOutcome();
  }

  /** Brings all into LMDB. @throws Error when LMDB does not take it; the log keeps it then */
  async settle(): Promise<void> {
    for (let turns = 0; turns < 2; turns++) {
      await this.move();
      if (this.failure !== undefined) throw this.failure;
      if (this.newest.rows > 0) this.turnOver();
    }
  }

  private async append(changes: readonly Change[]): Promise<void> {
    if (this.log.bytes >= this.checkpointBytes) {
      if (this.leaving === undefined) this.turnOver();
      else if (this.log.bytes >= this.checkpointBytes * BEHIND_MAX) {
        await this.move();
        if (this.failure !== undefined) throw this.failure;
        this.turnOver();
      }
    }
    await this.log.append(changes);
  }

  private turnOver(): void {
    this.leaving = { overlay: this.newest, log: this.log.turnOver() };
    this.newest = new Overlay();
    void this.move();
  }

  /** Carries on with what is on its way; resolves when that has ended, well or not. */
  private move(): Promise<void> {
    const { leaving } = this;
    if (leaving === undefined) return Promise.resolve();
    clearTimeout(this.retry);
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
          this.retry = setTimeout(() => void this.move(), RETRY_MS).unref();
        },
      )
      .finally(() => {
        this.moving = undefined;
      });
    return this.moving;
  }
}
