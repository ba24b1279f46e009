import { CHANGED_BUCKET_MS, changedBucket } from '../../actors/domain/changed.js';
import { PUBLIC_LANES } from '../../actors/domain/public.js';
import type { Clock } from '../../actors/domain/time.js';
import type { ReadTables } from '../../store/port.js';
import { changedStatuses } from '../../store/tables.js';
import type { StatusChange } from '../streaming/sources.js';

/** Newest rows of one lane in one read: eight lanes of 2,500 rows of some 300 bytes are 6 MB. */
const LANE_ROWS_MAX = 2_500;
/** Changes after which no earlier bucket is read. */
const CHANGES_MAX = LANE_ROWS_MAX * PUBLIC_LANES;
/** Largest lead of other nodes' clocks of ids. */
const AHEAD_MS = 60_000;

/** All changes at or after `fromMs`, oldest first, and some earlier ones. */
interface Read {
  readonly fromMs: number;
  readonly changes: readonly StatusChange[];
}

interface Waiting {
  sinceMs: number;
  readonly read: Promise<Read>;
}

/**
 * Reads the statuses that changed lately. Callers during a read share the next one, because thousands of streams resume
 * at once.
 */
export class StatusChanges {
  readonly #tables: Pick<ReadTables, 'range'>;
  /** Clock of ids: rows have its times. */
  readonly #clock: Pick<Clock, 'nowMs'>;
  #running: Promise<unknown> = Promise.resolve();
  #waiting: Waiting | undefined;

  constructor(tables: Pick<ReadTables, 'range'>, clock: Pick<Clock, 'nowMs'>) {
    this.#tables = tables;
    this.#clock = clock;
  }

  /** Returns the changes since a time. @throws Unavailable when the store cannot answer */
  async since(sinceMs: number): Promise<readonly StatusChange[] | 'too_many'> {
    const { fromMs, changes } = await this.#next(sinceMs).read;
    return fromMs > sinceMs ? 'too_many' : changes.filter(({ atMs }) => atMs >= sinceMs);
  }

  #next(sinceMs: number): Waiting {
    if (this.#waiting !== undefined) {
      this.#waiting.sinceMs = Math.min(this.#waiting.sinceMs, sinceMs);
      return this.#waiting;
    }
    const read = this.#running.then(() => {
      this.#waiting = undefined;
      return this.#read(waiting.sinceMs);
    });
    const waiting: Waiting = { sinceMs, read };
    this.#waiting = waiting;
    this.#running = read.catch(() => undefined);
    return waiting;
  }

  /** Reads the newest bucket first, so that the oldest changes are the ones left out. */
  async #read(sinceMs: number): Promise<Read> {
    const found: StatusChange[] = [];
    let fromMs = sinceMs;
    const last = changedBucket(sinceMs);
    for (let bucket = changedBucket(this.#clock.nowMs() + AHEAD_MS); bucket >= last; bucket--) {
      if (found.length >= CHANGES_MAX) fromMs = Math.max(fromMs, (bucket + 1) * CHANGED_BUCKET_MS);
      if (fromMs > sinceMs) break;
      const lanes = await this.#lanes(bucket, sinceMs);
      for (const rows of lanes) {
        if (rows.length === LANE_ROWS_MAX) fromMs = Math.max(fromMs, (rows.at(-1)?.atMs ?? 0) + 1);
        found.push(...rows);
      }
    }
    return { fromMs, changes: found.sort((a, b) => a.atMs - b.atMs) };
  }

  #lanes(bucket: number, sinceMs: number): Promise<StatusChange[][]> {
    const options = { after: { atMs: Math.max(0, sinceMs - 1) }, reverse: true, limit: LANE_ROWS_MAX };
    return Promise.all(
      Array.from({ length: PUBLIC_LANES }, async (_, lane) => {
        const rows = await this.#tables.range(changedStatuses, { bucket, lane }, options);
        return rows.map(({ key, value }) => ({ atMs: key.atMs, status: value }));
      }),
    );
  }
}
