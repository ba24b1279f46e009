import { remove, type Tables } from '../../store/port.js';
import { alarms } from '../../store/tables.js';
import { ALARM_LANES } from '../domain/alarm.js';
import { idShard } from '../domain/ids.js';
import { isProblem, Unavailable } from '../domain/problem.js';
import type { Clock, Timer } from '../domain/time.js';
import { eachOf } from './each-of.js';
import type { Asker } from './kind.js';
import type { Logger } from './logger.js';
import type { Placement } from './placement.js';

/** How often the table is looked at. What is set to ring sooner than this after it was written rings late by as much. */
export const LOOK_EVERY_MS = 30_000;
/** Shards come many at a time: one look for all of them. */
const LOOK_AFTER_CHANGE_MS = 1_000;
/** How far ahead each look reads, so that what comes between two of them rings in time. */
const AHEAD_MS = 2 * LOOK_EVERY_MS;
/** Alarms of one lane taken up by one look; the rest have their turn at the next. */
const LANE_ROWS_MAX = 1_000;
/** Actors called at a time. */
const CALLS_AT_ONCE_MAX = 16;
/** Finished rows are passed over from here on; nothing is ever set to ring further back than a look takes. */
const BEHIND_MS = 3_600_000;

interface Due {
  readonly key: { readonly lane: number; readonly atMs: number; readonly actor: string; readonly what: string };
}

interface AlarmsNeeds {
  readonly tables: Pick<Tables, 'range' | 'write'>;
  readonly asker: Asker;
  readonly placement: Pick<Placement, 'epochOf'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Calls actors when their time has come: rows say whom and when, so it survives whoever wrote them. Each node calls the
 * actors that live on it; a call may be repeated, and its row stays until it was answered.
 */
export class Alarms {
  readonly #needs: AlarmsNeeds;
  /** Soonest first. */
  #due: Due[] = [];
  #next: Timer | undefined;
  #look: Timer | undefined;
  #calling = false;
  #closed = false;
  /** Per lane: no unfinished row is before it. Found by the first look, which reads from the beginning. */
  readonly #floors = new Map<number, number>();
  /** The next look is because of other shards. */
  #isSoon = false;

  constructor(needs: AlarmsNeeds) {
    this.#needs = needs;
  }

  start(): void {
    this.#lookLater(0);
  }

  close(): void {
    this.#closed = true;
    this.#look?.cancel();
    this.#next?.cancel();
  }

  /** Other shards live here now: their alarms may be older than what was passed over, and due already. */
  shardsChanged(): void {
    this.#floors.clear();
    if (this.#isSoon) return;
    this.#isSoon = true;
    // While one looks, the next one comes as soon when it is done.
    if (this.#look === undefined) return;
    this.#look.cancel();
    this.#lookLater(LOOK_AFTER_CHANGE_MS);
  }

  #lookLater(delayMs: number): void {
    if (this.#closed) return;
    this.#look = this.#needs.clock.after(delayMs, () => {
      this.#look = undefined;
      this.#isSoon = false;
      this.#read()
        .catch((err: unknown) => this.#needs.logger.warn({ err }, 'alarms wait'))
        .finally(() => this.#lookLater(this.#isSoon ? LOOK_AFTER_CHANGE_MS : LOOK_EVERY_MS));
    });
  }

  async #read(): Promise<void> {
    const { tables, clock, placement } = this.#needs;
    const nowMs = clock.nowMs();
    const found: Due[] = [];
    for (let lane = 0; lane < ALARM_LANES; lane++) {
      const floorMs = this.#floors.get(lane);
      const rows = await tables.range(
        alarms,
        { lane },
        {
          ...(floorMs === undefined ? {} : { after: { atMs: floorMs } }),
          before: { atMs: nowMs + AHEAD_MS },
          limit: LANE_ROWS_MAX,
        },
      );
      this.#floors.set(lane, Math.min(rows[0] === undefined ? nowMs : rows[0].key.atMs - 1, nowMs) - BEHIND_MS);
      for (const { key } of rows) if (placement.epochOf(idShard(idOf(key.actor))) !== undefined) found.push({ key });
    }
    this.#due = found.sort((a, b) => a.key.atMs - b.key.atMs);
    this.#arm();
  }

  #arm(): void {
    this.#next?.cancel();
    const [first] = this.#due;
    if (first === undefined || this.#closed) return;
    const delayMs = Math.max(0, first.key.atMs - this.#needs.clock.nowMs());
    this.#next = this.#needs.clock.after(delayMs, () => void this.#ring());
  }

  async #ring(): Promise<void> {
    if (this.#calling) return;
    this.#calling = true;
    const nowMs = this.#needs.clock.nowMs();
    const late = this.#due.findIndex(({ key }) => key.atMs > nowMs);
    const due = this.#due.splice(0, late < 0 ? this.#due.length : late);
    await eachOf(due, CALLS_AT_ONCE_MAX, (alarm) => this.#call(alarm));
    this.#calling = false;
    this.#arm();
  }

  /** What fails is found again by the next look. */
  async #call({ key }: Due): Promise<void> {
    const { asker, tables, logger } = this.#needs;
    const slash = key.actor.indexOf('/');
    try {
      const reply = await asker.ask(key.actor.slice(0, slash), idOf(key.actor), 'alarm', {
        what: key.what,
        atMs: key.atMs,
      });
      if (isProblem(reply) && reply.problem === 'unavailable') return;
      await tables.write([remove(alarms, key)], { over: true });
    } catch (err) {
      const fields = { actor: key.actor, what: key.what, err };
      if (err instanceof Unavailable) logger.warn(fields, 'an alarm waits');
      else logger.error(fields, 'an alarm failed');
    }
  }
}

const idOf = (actor: string) => actor.slice(actor.indexOf('/') + 1);
