import { remove, type Tables } from '../../../store/port.js';
import { alarms } from '../../../store/tables.js';
import { ALARM_LANES } from '../../domain/alarm.js';
import { eachBounded } from '../../domain/each-bounded.js';
import { idShard } from '../../domain/ids.js';
import { isProblem, Unavailable } from '../../domain/problem.js';
import type { Clock, Timer } from '../../domain/time.js';
import type { Asker } from '../kind.js';
import type { Logger } from '../logger.js';
import { alarmsMs } from '../placement/agreed-time.js';
import type { Placement } from '../placement/placement.js';
import { AlarmLane } from './alarm-lane.js';
import { type AlarmRow, alarmRow, idOf, kindOf, putAlarm } from './alarm-row.js';
import { DueAlarms } from './due-alarms.js';

/** Interval of the reads of all lanes. An alarm that was not answered rings again after a read. */
export const LOOK_EVERY_MS = 30_000;
/** Delay of the read after a change of shards: several changes share it. */
const LOOK_AFTER_CHANGE_MS = 1_000;
/**
 * Alarms that ring within this time are in memory: a read includes them, and those that are set between two reads are
 * added. All ring in time then, even if one read fails.
 */
const AHEAD_MS = 2 * LOOK_EVERY_MS;
/** Lanes read at a time: a lane that does not answer delays three others by the time limit of a read. */
const LANES_AT_ONCE_MAX = 4;
/** Actors called at a time. */
const CALLS_AT_ONCE_MAX = 16;
/** An alarm that was not answered for this long gets a new key, so that its lane's floor can rise above the old one. */
const RENEW_AFTER_MS = 3_600_000;

export interface AlarmsNeeds {
  readonly tables: Pick<Tables, 'get' | 'range' | 'write'>;
  readonly asker: Asker;
  readonly placement: Pick<Placement, 'epochOf' | 'clusterMs' | 'unsteppedMs'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Calls actors at the times that they asked for. The rows are durable, so alarms outlive every node. Each node calls
 * the actors that live on it. A call may be repeated; its row is deleted when the actor has answered.
 */
export class Alarms {
  readonly #needs: AlarmsNeeds;
  readonly #lanes: readonly AlarmLane[];
  readonly #due = new DueAlarms();
  #next: Timer | undefined;
  #look: Timer | undefined;
  /** Calls that are not answered yet. */
  #calls = 0;
  #closed = false;
  /** The shards have changed since the last read began. */
  #isSoon = false;

  constructor(needs: AlarmsNeeds) {
    this.#needs = needs;
    const { tables } = needs;
    const presentMs = () => this.#presentMs();
    const isHere = (actor: string) => this.#isHere(actor);
    this.#lanes = Array.from({ length: ALARM_LANES }, (_, lane) => new AlarmLane(lane, tables, presentMs, isHere));
  }

  #isHere(actor: string): boolean {
    return this.#needs.placement.epochOf(idShard(idOf(actor))) !== undefined;
  }

  /** Time for rows: a clock that is ahead must not write rows for a time far ahead. */
  #rowsMs(): number {
    return alarmsMs(this.#needs.clock, this.#needs.placement);
  }

  /** Time for floors: the earlier one of this clock and of rows, since rows may be written by either. */
  #presentMs(): number {
    return Math.min(this.#needs.clock.nowMs(), this.#rowsMs());
  }

  start(): void {
    this.#lookLater(0);
  }

  close(): void {
    this.#closed = true;
    this.#look?.cancel();
    this.#next?.cancel();
  }

  /** Reads soon: the actors of other shards live here now, and their alarms may be due already. */
  shardsChanged(): void {
    if (this.#isSoon) return;
    this.#isSoon = true;
    // A read that is under way schedules the next one itself.
    if (this.#look === undefined) return;
    this.#look.cancel();
    this.#lookLater(LOOK_AFTER_CHANGE_MS);
  }

  /** Notes an alarm that an actor of this node has set and that may ring before the next read. Its row is written. */
  wasSet(alarm: AlarmRow): void {
    if (this.#closed || alarm.key.ringMs > this.#needs.clock.nowMs() + AHEAD_MS) return;
    if (this.#due.add(alarm)) this.#arm();
  }

  #lookLater(delayMs: number): void {
    if (this.#closed) return;
    this.#look = this.#needs.clock.after(delayMs, () => {
      this.#look = undefined;
      this.#isSoon = false;
      this.#due.lookBegins();
      void eachBounded(this.#lanes, LANES_AT_ONCE_MAX, (lane) => this.#read(lane)).then(() => {
        this.#due.lookEnds();
        this.#lookLater(this.#isSoon ? LOOK_AFTER_CHANGE_MS : LOOK_EVERY_MS);
      });
    });
  }

  /** A lane that fails keeps what its last read found; the others ring. */
  async #read(lane: AlarmLane): Promise<void> {
    await this.#logged({ lane: lane.lane }, 'failed to read alarms', async () => {
      const found = await lane.read(this.#needs.clock.nowMs() + AHEAD_MS);
      this.#due.found(lane.lane, found);
      this.#arm();
      await lane.keepFloor();
    });
  }

  #arm(): void {
    this.#next?.cancel();
    const { soonestMs } = this.#due;
    // The end of a call rings the next alarm.
    if (soonestMs === undefined || this.#closed || this.#calls >= CALLS_AT_ONCE_MAX) return;
    const delayMs = Math.max(0, soonestMs - this.#needs.clock.nowMs());
    this.#next = this.#needs.clock.after(delayMs, () => this.#ring());
  }

  #ring(): void {
    const nowMs = this.#needs.clock.nowMs();
    while (this.#calls < CALLS_AT_ONCE_MAX && !this.#closed) {
      const alarm = this.#due.take(nowMs);
      if (alarm === undefined) break;
      this.#calls += 1;
      void this.#call(alarm).then((isAnswered) => {
        this.#calls -= 1;
        this.#due.called(alarm, isAnswered);
        this.#ring();
      });
    }
    this.#arm();
  }

  /** Returns true if the actor has answered. The next read finds an alarm again whose call failed. */
  async #call(alarm: AlarmRow): Promise<boolean> {
    const { actor, what } = alarm.key;
    // The owner since then reads the row.
    if (!this.#isHere(actor)) return false;
    const isAnswered = await this.#logged({ actor, what }, 'failed to call an actor for its alarm', () =>
      this.#ask(alarm),
    );
    await this.#logged({ actor, what }, 'failed to change an alarm', () =>
      isAnswered === true ? this.#remove(alarm) : this.#renew(alarm),
    );
    return isAnswered === true;
  }

  async #ask({ key: { actor, what }, value: { atMs } }: AlarmRow): Promise<boolean> {
    const reply = await this.#needs.asker.ask(kindOf(actor), idOf(actor), 'alarm', { what, atMs });
    return !isProblem(reply) || reply.problem !== 'unavailable';
  }

  /** Another node, whose clock may be ahead, may have written the row. */
  #remove({ key }: AlarmRow): Promise<void> {
    return this.#needs.tables.write([remove(alarms, key)], { over: true });
  }

  /** The new row is durable before the old one is deleted: their partitions may differ. */
  async #renew(alarm: AlarmRow): Promise<void> {
    const { key, value } = alarm;
    const { tables } = this.#needs;
    const nowMs = this.#rowsMs();
    if (nowMs - key.ringMs < RENEW_AFTER_MS) return;
    await tables.write([putAlarm(alarmRow(key.actor, value.atMs, key.what, nowMs))]);
    await this.#remove(alarm);
  }

  /** Undefined after a failure. */
  async #logged<T>(fields: object, failure: string, action: () => Promise<T>): Promise<T | undefined> {
    try {
      return await action();
    } catch (err) {
      const { logger } = this.#needs;
      if (err instanceof Unavailable) logger.warn({ ...fields, err }, failure);
      else logger.error({ ...fields, err }, failure);
      return undefined;
    }
  }
}
