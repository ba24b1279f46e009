import type { StoreJournalRecord } from '../../../proto/gen/types.js';
import { put, type RowWrite, remove } from '../../../store/port.js';
import { backlog, cursors } from '../../../store/tables.js';
import type { Cancellation } from '../asking/cancellation.js';
import { backlogKey, standsForEntry } from '../effects/backlog.js';
import type { Lane } from '../effects/lane.js';
import type { ActorCore } from '../state/core.js';
import type { Recovered } from '../state/recovery.js';
import type { ActivationContext } from './activation-context.js';
import { SnapshotKeeper } from './snapshot-keeper.js';

/**
 * Backlog rows removed with one save of the cursor. Many actors share a write (`WriteBatch`), so each takes part of
 * it.
 */
const REMOVED_MAX = 64;

const NO_MARKS: readonly string[] = [];
const SAVED = Promise.resolve(true);
const NOT_SAVED = Promise.resolve(false);

export interface BookkeepingContext {
  readonly around: ActivationContext;
  readonly core: ActorCore;
  readonly actor: string;
  readonly shard: number;
  readonly epoch: number;
  readonly before: Lane;
  readonly after: Lane;
  /** Halts with the activation. */
  readonly halt: Cancellation;
}

/** The stored state of an activation besides its journal: cursor, backlog rows and snapshots. */
export class Bookkeeping {
  readonly snapshots: SnapshotKeeper;
  private readonly around: ActivationContext;
  private readonly core: ActorCore;
  private readonly actor: string;
  private readonly shard: number;
  private readonly epoch: number;
  private readonly before: Lane;
  private readonly after: Lane;
  private savedBefore: number;
  private savedAfter: number;
  /** Keys of backlog rows that stand for unfinished entries. Some of them may never have been written. */
  private marks: readonly string[] = NO_MARKS;
  /** True when at least one of these rows is durable. */
  private marked = false;
  /** True while the activation counts in the `unsettled` metric. */
  private counted = false;
  private left = false;
  private saving: Promise<boolean> | undefined;
  private marking: Promise<boolean> | undefined;

  constructor(context: BookkeepingContext, found: Recovered) {
    const { around, core, actor, shard, epoch, before, after, halt } = context;
    this.around = around;
    this.core = core;
    this.actor = actor;
    this.shard = shard;
    this.epoch = epoch;
    this.before = before;
    this.after = after;
    this.savedBefore = before.done;
    this.savedAfter = after.done;
    const goesOn = () => !halt.halted && this.owned();
    const pause = () => halt.giveWay();
    this.snapshots = new SnapshotKeeper({ around, core, actor, epoch, before, after, pause, goesOn }, found);
  }

  /** Adds backlog rows that an earlier activation may have left. */
  adopt(keys: Iterable<string>): void {
    this.marks = [...new Set([...this.marks, ...keys])];
    if (this.marks.length > 0) this.count(true);
  }

  /**
   * Returns the backlog rows that an append after `seq` must write with it. Returns none if every entry is an effect:
   * its sender repeats it until it is acknowledged, and the acknowledgement waits until `answersFor` is true.
   */
  marksFor(seq: number, areEffects: boolean): RowWrite[] {
    if (this.marked || areEffects) return [];
    const atMs = this.around.clock.nowMs();
    // Reuses the row of a failed append at the same seq, which may have been written.
    const known = this.marks.find((key) => standsForEntry(key, seq + 1, this.epoch));
    const key = known ?? backlogKey(atMs, this.actor, seq + 1, this.epoch);
    if (known === undefined) this.marks = [...this.marks, key];
    return [put(backlog, { shard: this.shard, actor: key }, { atMs })];
  }

  /**
   * True when the sender of the entry's cause need not repeat it: the effects are done, or a backlog row is durable.
   */
  answersFor(seq: number): boolean {
    return this.marked || (this.before.done >= seq && this.after.done >= seq);
  }

  /** Makes a backlog row durable. Resolves to false when the write failed. */
  markNow(): Promise<boolean> {
    this.marking ??= this.writeMark().finally(() => {
      this.marking = undefined;
    });
    return this.marking;
  }

  private async writeMark(): Promise<boolean> {
    const rows = this.marksFor(this.core.seq, false);
    if (rows.length > 0) {
      if (!this.owned()) return false;
      try {
        await this.around.tables.write(rows);
      } catch (error) {
        this.warn('a backlog row', error);
        return false;
      }
    }
    this.marked = true;
    return true;
  }

  /** Keys of backlog rows whose effects are not known to be done. */
  get unfinished(): readonly string[] {
    return this.marks;
  }

  /** True when the store records all effects as done. */
  get settled(): boolean {
    return this.marks.length === 0 && this.savedBefore === this.before.done && this.savedAfter === this.after.done;
  }

  /** True when nothing has to be written before the activation ends. */
  get clean(): boolean {
    return this.settled && !this.snapshots.isWorth && this.snapshots.idle;
  }

  /** Saves the cursor if enough entries are done. A lane calls this after each entry. */
  progressed(): void {
    // Under load a save is nearly always under way. Waiting for it would add a promise for each entry, without bound.
    if (this.saving !== undefined) return;
    const done = this.before.done + this.after.done;
    if (done - this.savedBefore - this.savedAfter >= this.around.limits.cursorEvery) void this.saveCursor();
  }

  /** Records a successful append, including its backlog rows. */
  stored(records: readonly StoreJournalRecord[], areEffects: boolean): void {
    this.snapshots.appended(records);
    if (!areEffects) this.marked = true;
    this.count(true);
  }

  /** Records that the activation ends. */
  leave(): void {
    this.count(false);
    this.left = true;
  }

  /**
   * Saves the cursor and, if all effects are done, removes the backlog rows. Call it only while no append is under way.
   * Failures are logged and retried next time; until then they only cost repeated effects.
   */
  settle(): Promise<unknown> {
    const { before, after, core } = this;
    if (before.done !== core.seq || after.done !== core.seq) return this.saveCursor();
    const finished = this.marks.slice(0, REMOVED_MAX);
    this.marks = this.marks.length > REMOVED_MAX ? this.marks.slice(REMOVED_MAX) : NO_MARKS;
    this.marked = false;
    const rows = finished.map((key) => remove(backlog, { shard: this.shard, actor: key }));
    return this.saveCursor(rows).then((removed) => {
      if (!removed) this.adopt(finished);
      else if (this.marks.length === 0) this.count(false);
    });
  }

  /**
   * Saves the cursor and `alongside` in one write. A lost cursor only costs repeated effects, even if the other rows
   * are written. Avoids async functions: a save follows nearly every entry, and its frames stay in memory until the
   * flush.
   */
  private saveCursor(alongside: RowWrite[] = []): Promise<boolean> {
    if (this.saving !== undefined) return this.saving.then(() => this.saveCursor(alongside));
    const [beforeReply, afterReply] = [this.before.done, this.after.done];
    const moved = beforeReply !== this.savedBefore || afterReply !== this.savedAfter;
    if (!moved && alongside.length === 0) return SAVED;
    if (!this.owned()) return NOT_SAVED;
    if (moved) alongside.push(put(cursors, { actor: this.actor }, { beforeReply, afterReply }));
    this.saving = this.around.writeBatch.write(alongside).then(
      () => {
        this.saving = undefined;
        this.savedBefore = beforeReply;
        this.savedAfter = afterReply;
        if (this.settled && Math.min(beforeReply, afterReply) === this.core.seq) this.count(false);
        return true;
      },
      (error: unknown) => {
        this.saving = undefined;
        this.warn('the cursor', error);
        return false;
      },
    );
    return this.saving;
  }

  private count(unsettled: boolean): void {
    if (this.left || this.counted === unsettled) return;
    this.around.metrics.unsettled += unsettled ? 1 : -1;
    this.counted = unsettled;
  }

  /** False when another node owns the shard: this node must not overwrite the next owner's rows. */
  private owned(): boolean {
    return this.around.placement.epochOf(this.shard) === this.epoch;
  }

  private warn(what: string, error: unknown): void {
    this.around.logger.warn({ actor: this.actor, err: error }, `failed to save ${what}`);
  }
}
