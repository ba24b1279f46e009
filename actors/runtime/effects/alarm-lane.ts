import { put, type Tables } from '../../../store/port.js';
import { alarmFloors, alarms } from '../../../store/tables.js';
import { alarmDay } from '../../domain/alarm.js';
import type { AlarmRow } from './alarm-row.js';

/** Rows per page of a read. */
const PAGE_ROWS = 500;
/** Alarms of this node's actors that one read returns; the next read continues behind them. */
const FOUND_MAX = 1_000;
/**
 * The floor stays this far behind the clock. An alarm is written for the present time at the earliest, so this bounds
 * the duration of one attempt to write it plus the difference between the clocks of two nodes.
 */
const LATE_MS = 3_600_000;
/** The floor is stored again once it has risen by this: each node writes 16 rows an hour. */
const FLOOR_STEP_MS = 3_600_000;
/**
 * The first read of a lane without a floor that can be trusted begins this far back. A node stores floors when it starts.
 */
const UNREAD_MS = 7 * 86_400_000;

/**
 * Reads one lane of alarms from its floor on. All rows before the floor are deleted, and Cassandra would read their
 * tombstones. Any node may raise the floor, since it sees the alarms of all nodes.
 */
export class AlarmLane {
  /** No row rings at this time or before. */
  private floorMs: number | undefined;
  private storedMs = Number.NEGATIVE_INFINITY;
  /** The last row of a read that ended early. */
  private last: AlarmRow['key'] | undefined;

  constructor(
    readonly lane: number,
    private readonly tables: Pick<Tables, 'get' | 'range' | 'write'>,
    /** Returns the present time, from which floors are derived: never ahead of that of most members. */
    private readonly nowMs: () => number,
    /** True when the actor lives on this node. */
    private readonly isHere: (actor: string) => boolean,
  ) {}

  /** Returns alarms of this node's actors that ring before `untilMs`. @throws Unavailable */
  async read(untilMs: number): Promise<AlarmRow[]> {
    const nowMs = this.nowMs();
    const floorMs = this.trusted(this.floorMs ?? (await this.storedFloor(nowMs)), nowMs);
    const found: AlarmRow[] = [];
    const start = this.last;
    let oldestMs = nowMs;
    for await (const page of this.pages(start ?? { day: alarmDay(floorMs), ringMs: floorMs }, untilMs)) {
      oldestMs = Math.min(oldestMs, page[0]?.key.ringMs ?? nowMs);
      found.push(...page.filter(({ key }) => this.isHere(key.actor)));
      this.last = found.length >= FOUND_MAX ? page.at(-1)?.key : undefined;
      if (this.last !== undefined) break;
    }
    // A read that continued another has not seen the oldest rows.
    if (start === undefined) this.floorMs = Math.max(floorMs, oldestMs - 1 - LATE_MS);
    return found;
  }

  /** Stores the floor when it has risen enough. @throws Unavailable */
  async keepFloor(): Promise<void> {
    const { floorMs } = this;
    if (floorMs === undefined || floorMs - this.storedMs < FLOOR_STEP_MS) return;
    await this.tables.write([put(alarmFloors, { lane: this.lane }, { atMs: floorMs })]);
    this.storedMs = floorMs;
  }

  private async storedFloor(nowMs: number): Promise<number> {
    const stored = await this.tables.get(alarmFloors, { lane: this.lane });
    if (stored !== undefined) this.storedMs = stored.atMs;
    this.floorMs = stored?.atMs ?? unreadFrom(nowMs);
    return this.floorMs;
  }

  /** A floor ahead of the present is of a clock that was ahead: alarms below it may not have rung. */
  private trusted(floorMs: number, nowMs: number): number {
    if (floorMs <= nowMs) return floorMs;
    this.floorMs = this.storedMs = unreadFrom(nowMs);
    return this.floorMs;
  }

  private async *pages(from: Pick<AlarmRow['key'], 'day' | 'ringMs'>, untilMs: number): AsyncGenerator<AlarmRow[]> {
    const before = { ringMs: Math.ceil(untilMs) };
    let { day, ...after }: Partial<AlarmRow['key']> & typeof from = from;
    for (; day <= alarmDay(untilMs); day++) {
      for (;;) {
        const { ringMs, actor, what } = after;
        const bound = actor === undefined || what === undefined ? { ringMs } : { ringMs, actor, what };
        const page = await this.tables.range(
          alarms,
          { lane: this.lane, day },
          { after: bound, before, limit: PAGE_ROWS },
        );
        yield page;
        const last = page.at(-1);
        if (last === undefined || page.length < PAGE_ROWS) break;
        after = last.key;
      }
    }
  }
}

const unreadFrom = (nowMs: number): number => Math.max(0, nowMs - UNREAD_MS);
