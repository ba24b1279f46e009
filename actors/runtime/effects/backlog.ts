import type { Tables } from '../../../store/port.js';
import { put, remove } from '../../../store/port.js';
import { backlog, backlogFloors } from '../../../store/tables.js';
import type { Clock } from '../../domain/time.js';

/** Digits of a time in milliseconds: keys sort by it until the year 33658. */
const TIME_DIGITS = 15;
/** Rows per page of a scan. */
const PAGE_ROWS = 500;
/** Rows renewed in one write: two rows each, half of what a write may have. */
const RENEWED_MAX = 64;
/** A row that is older than this gets a new key, so that the floor can rise above the old one. */
const RENEW_AFTER_MS = 3_600_000;
/**
 * The floor stays this far behind the clock. Source: Cassandra's max_hint_window, 3 h: a write that was reported as
 * failed may land so late; an hour more for clocks that differ.
 */
const LATE_MS = 4 * 3_600_000;
/** The floor is stored again once it has risen by this: a write an hour for each shard. */
const FLOOR_STEP_MS = 3_600_000;

/**
 * Returns the key of a backlog row. It begins with the time, so that a scan does not read the beginning, where all rows
 * are deleted. An actor has a new key each time that it becomes dirty, so that the late removal of an old row (a fenced
 * owner's, or one that the store reported failed) never hides a newer one.
 */
export const backlogKey = (atMs: number, actor: string, seq: number, epoch: number): string =>
  `${timeKey(atMs)} ${actor}@${seq}.${epoch}`;

/** Returns the actor that a backlog row stands for. */
export const backlogActor = (key: string): string => key.slice(TIME_DIGITS + 1, key.lastIndexOf('@'));

/** True when the key stands for that entry, whatever its time. */
export const standsForEntry = (key: string, seq: number, epoch: number): boolean => key.endsWith(`@${seq}.${epoch}`);

const timeKey = (atMs: number): string => String(Math.max(0, Math.floor(atMs))).padStart(TIME_DIGITS, '0');
const timeOf = (key: string): number => Number(key.slice(0, TIME_DIGITS));
const renewed = (key: string, atMs: number): string => timeKey(atMs) + key.slice(TIME_DIGITS);

/** Floors raised in one write: a node that runs alone raises 1,024 within a rescan. */
const RAISED_MAX = 128;

/** Reads the backlog of shards from their floors on, and raises the floors. */
export class BacklogScan {
  private readonly floors = new Map<number, number>();
  /** Floors to raise, by shard. */
  private readonly rising = new Map<number, number>();

  constructor(
    private readonly tables: Tables,
    private readonly clock: Clock,
    private readonly isOwned: (shard: number) => boolean,
  ) {}

  /** Drops the floor of a released shard: its next owner raises it. */
  forget(shard: number): void {
    this.floors.delete(shard);
    this.rising.delete(shard);
  }

  /** Returns those shards that may have a backlog, as far as the store can tell without reading each. @throws Unavailable */
  async filled(shards: readonly number[]): Promise<readonly number[]> {
    const partitions = await this.tables.partitions?.(backlog);
    if (partitions === undefined) return shards;
    const filled = new Set(partitions.map(({ shard }) => shard));
    return shards.filter((shard) => filled.has(shard));
  }

  /** Passes all keys of the shard to `found`, page by page. @throws Unavailable */
  async read(shard: number, found: (keys: readonly string[]) => void): Promise<void> {
    const startMs = this.clock.nowMs();
    const floorMs = this.floors.get(shard) ?? (await this.tables.get(backlogFloors, { shard }))?.atMs ?? 0;
    this.floors.set(shard, floorMs);
    let oldestMs = startMs;
    for (let after = timeKey(floorMs); ; ) {
      const rows = await this.tables.range(backlog, { shard }, { after: { actor: after }, limit: PAGE_ROWS });
      const keys = rows.map((row) => row.key.actor);
      // Renewed rows appear again at the end of the scan.
      const last = keys.at(-1);
      for (const key of keys) if (!isOld(key, startMs)) oldestMs = Math.min(oldestMs, timeOf(key));
      await this.renew(
        shard,
        keys.filter((key) => isOld(key, startMs)),
        startMs,
      );
      found(keys);
      if (last === undefined || keys.length < PAGE_ROWS) break;
      after = last;
    }
    const toMs = Math.min(oldestMs, startMs) - LATE_MS;
    if (toMs - floorMs >= FLOOR_STEP_MS) this.rising.set(shard, toMs);
  }

  /** Gives old rows a key of this time. Both keys stand for the actor until it is done. */
  private async renew(shard: number, keys: readonly string[], atMs: number): Promise<void> {
    for (let at = 0; at < keys.length && this.isOwned(shard); at += RENEWED_MAX) {
      const rows = keys
        .slice(at, at + RENEWED_MAX)
        .flatMap((key) => [
          put(backlog, { shard, actor: renewed(key, atMs) }, { atMs }),
          remove(backlog, { shard, actor: key }),
        ]);
      await this.tables.write(rows);
    }
  }

  /** Stores the floors to which the scans so far lead, many in one write. @throws Unavailable */
  async raise(): Promise<void> {
    const rising = [...this.rising];
    this.rising.clear();
    for (let at = 0; at < rising.length; at += RAISED_MAX) {
      const some = rising.slice(at, at + RAISED_MAX).filter(([shard]) => this.isOwned(shard));
      if (some.length === 0) continue;
      await this.tables.write(some.map(([shard, atMs]) => put(backlogFloors, { shard }, { atMs })));
      for (const [shard, atMs] of some) this.floors.set(shard, atMs);
    }
  }
}

const isOld = (key: string, nowMs: number): boolean => nowMs - timeOf(key) > RENEW_AFTER_MS;
