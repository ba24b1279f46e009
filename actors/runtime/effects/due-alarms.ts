import type { AlarmRow } from './alarm-row.js';

/** Alarms in memory that effects have set, some 300 bytes each. Further ones ring after the next read. */
export const SET_ALARMS_MAX = 10_000;

/** The alarms of this node's actors that ring soon. Each rings once, even if an effect has set it and a read has found it. */
export class DueAlarms {
  /** Alarms that the last read of each lane found; the soonest is the last one. */
  #found: AlarmRow[] = [];
  /** Alarms that effects have set, in the same order. A read that is under way may have missed them. */
  readonly #set: AlarmRow[] = [];
  readonly #setNames = new Set<string>();
  readonly #callingNames = new Set<string>();
  /** Alarms that were answered during the present look: its reads may return rows that are deleted by now. */
  readonly #answeredNames = new Set<string>();
  #isLooking = false;

  get soonestMs(): number | undefined {
    return this.#soonest?.key.ringMs;
  }

  get #soonest(): AlarmRow | undefined {
    const [found, set] = [this.#found.at(-1), this.#set.at(-1)];
    if (found === undefined || set === undefined) return found ?? set;
    return bySoonestLast(found, set) > 0 ? found : set;
  }

  /** Notes that reads begin. */
  lookBegins(): void {
    this.#isLooking = true;
  }

  lookEnds(): void {
    this.#isLooking = false;
    this.#answeredNames.clear();
  }

  /** Replaces what the previous read of the lane found. */
  found(lane: number, rows: readonly AlarmRow[]): void {
    const isOver = (row: AlarmRow) => this.#callingNames.has(nameOf(row)) || this.#answeredNames.has(nameOf(row));
    const others = this.#found.filter(({ key }) => key.lane !== lane);
    this.#found = [...others, ...rows.filter((row) => !isOver(row))].sort(bySoonestLast);
  }

  /** Adds an alarm that an effect has set. Returns false if it is known already, or too many are. */
  add(row: AlarmRow): boolean {
    const name = nameOf(row);
    if (this.#setNames.has(name) || this.#set.length >= SET_ALARMS_MAX) return false;
    this.#setNames.add(name);
    this.#set.splice(placeIn(this.#set, row), 0, row);
    return true;
  }

  /** Takes out the soonest alarm if it is due. Report the end of its call to `called`. */
  take(nowMs: number): AlarmRow | undefined {
    const soonest = this.#soonest;
    if (soonest === undefined || soonest.key.ringMs > nowMs) return undefined;
    const name = nameOf(soonest);
    // Both lists end with it if it is in both.
    for (const list of [this.#found, this.#set]) {
      const last = list.at(-1);
      if (last !== undefined && nameOf(last) === name) list.pop();
    }
    this.#setNames.delete(name);
    this.#callingNames.add(name);
    return soonest;
  }

  /** Notes the end of a call. A read may return an alarm again that was not answered. */
  called(row: AlarmRow, isAnswered: boolean): void {
    const name = nameOf(row);
    this.#callingNames.delete(name);
    if (isAnswered && this.#isLooking) this.#answeredNames.add(name);
  }
}

const nameOf = ({ key: { ringMs, actor, what } }: AlarmRow): string => `${ringMs} ${actor} ${what}`;

/** Orders alarms by time, the soonest last; those of one moment by name. */
function bySoonestLast({ key: one }: AlarmRow, { key: other }: AlarmRow): number {
  return other.ringMs - one.ringMs || compared(one.actor, other.actor) || compared(one.what, other.what);
}

const compared = (one: string, other: string): number => (one === other ? 0 : one < other ? -1 : 1);

/** Returns the place of a row in a list with this order. */
function placeIn(rows: readonly AlarmRow[], row: AlarmRow): number {
  let [from, to] = [0, rows.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (bySoonestLast(rows[middle] as AlarmRow, row) < 0) from = middle + 1;
    else to = middle;
  }
  return from;
}
