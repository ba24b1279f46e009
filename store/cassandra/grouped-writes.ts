import type { Timer } from '../../actors/domain/time.js';
import type { Pacing } from '../pacing.js';
import type { GroupLimits } from './group-limits.js';
import type { Statement } from './statements.js';

/** Rows of one partition that one caller writes: a group never splits them. */
export interface Unit {
  readonly statements: readonly Statement[];
  /** The partition key; rows of several tables may share it. */
  readonly partition: string;
  /** Names of the rows; one group never contains two writes of a row. */
  readonly rows: readonly string[];
  /** Bytes of keys and values. */
  readonly bytes: number;
}

/** Sends a group's statements in one request. @throws the store's error; the write may have happened nevertheless */
export type SendGroup = (statements: readonly Statement[]) => Promise<void>;

/** Maximum time that a group which is not full waits for the answer to an earlier one; most answers take less. */
export const WAIT_MS_MAX = 3;

interface Waiting {
  readonly unit: Unit;
  readonly done: (error?: unknown) => void;
}

/**
 * Sends the writes of many callers in few requests. Writes of one turn of the event loop share a request; while a
 * request is under way, further writes are collected up to the limits of one request. A write that Cassandra rejects
 * does not make others fail: the group is sent again, each caller's rows by themselves.
 */
export class GroupedWrites {
  #waiting: Waiting[] = [];
  #bytes = 0;
  readonly #partitions = new Set<string>();
  readonly #rows = new Set<string>();
  #inFlight = 0;
  /** True while more writes may arrive within this turn. */
  #isTurn = false;
  #patience: Timer | undefined;

  constructor(
    private readonly send: SendGroup,
    private readonly limits: GroupLimits,
    /** Returns true for an error that any sender of the statement would get at any time. */
    private readonly isMistake: (error: unknown) => boolean,
    private readonly pacing: Pacing,
  ) {}

  /** Resolves when all units are durable. @throws the first failure, after all of them have ended */
  write(units: readonly Unit[]): Promise<void> {
    return new Promise((resolve, reject) => {
      let left = units.length;
      let failed = false;
      let failure: unknown;
      const done = (error?: unknown) => {
        if (error !== undefined && !failed) {
          failed = true;
          failure = error;
        }
        left -= 1;
        if (left > 0) return;
        if (failed) reject(failure);
        else resolve();
      };
      for (const unit of units) this.#add({ unit, done });
    });
  }

  #add(waiting: Waiting): void {
    const { bytes, partition, rows } = waiting.unit;
    const { limits } = this;
    const isFull =
      this.#bytes + bytes > limits.bytes ||
      (this.#partitions.size >= limits.partitions && !this.#partitions.has(partition));
    // All rows of a group share one timestamp, which does not order two writes of one row.
    if (this.#waiting.length > 0 && (isFull || rows.some((row) => this.#rows.has(row)))) this.#flush();
    this.#waiting.push(waiting);
    this.#bytes += bytes;
    this.#partitions.add(partition);
    for (const row of rows) this.#rows.add(row);
    if (this.#isTurn) return;
    this.#isTurn = true;
    this.pacing.atTurnsEnd(() => {
      this.#isTurn = false;
      this.#flushUnlessBusy();
    });
  }

  #flushUnlessBusy(): void {
    if (this.#waiting.length === 0 || this.#isTurn) return;
    if (this.#inFlight === 0) this.#flush();
    else this.#patience ??= this.pacing.after(WAIT_MS_MAX, () => this.#flush());
  }

  #flush(): void {
    this.#patience?.cancel();
    this.#patience = undefined;
    const group = this.#waiting;
    if (group.length === 0) return;
    this.#waiting = [];
    this.#bytes = 0;
    this.#partitions.clear();
    this.#rows.clear();
    void this.#carryOut(group);
  }

  async #carryOut(group: readonly Waiting[]): Promise<void> {
    this.#inFlight += 1;
    try {
      await this.send(group.length === 1 ? (group[0] as Waiting).unit.statements : statementsOf(group));
      for (const { done } of group) done();
    } catch (error) {
      if (group.length > 1 && this.isMistake(error)) for (const one of group) void this.#carryOut([one]);
      else for (const { done } of group) done(error);
    } finally {
      this.#inFlight -= 1;
      this.#flushUnlessBusy();
    }
  }
}

function statementsOf(group: readonly Waiting[]): Statement[] {
  const all: Statement[] = [];
  for (const { unit } of group) for (const statement of unit.statements) all.push(statement);
  return all;
}
