import { Unavailable, WriteRefused } from '../../actors/domain/problem.js';
import type { Pacing } from '../pacing.js';
import type { Change } from './overlay.js';
import type { RecentWrites } from './recent-writes.js';

/** Maximum number of changes in one append, which bounds its memory; further changes go into the next. */
const GROUP_CHANGES_MAX = 4_096;
/** Maximum number of changes that wait for the disk: some tens of megabytes. Past it writes are refused at once. */
const WAITING_CHANGES_MAX = 65_536;

/** Changes that share one flush and its outcome. */
class Group {
  readonly changes: Change[] = [];
  readonly done: Promise<void>;
  private settle!: { resolve: () => void; reject: (error: Error) => void };

  constructor() {
    this.done = new Promise((resolve, reject) => {
      this.settle = { resolve, reject };
    });
  }

  finish(error?: Error): void {
    if (error === undefined) this.settle.resolve();
    else this.settle.reject(error);
  }
}

/**
 * Group commit: changes that arrive while a group is being written go, whole, into the next one. One group is written
 * at a time; each group has one promise. A failed group has no effect, except that changes which readers have already
 * seen go into the next group. Groups reach the disk in order.
 */
export class CommitQueue {
  private waiting: Group[] = [];
  private waitingChanges = 0;
  private busy = false;
  private idleWaiters: (() => void)[] = [];
  /** Changes that readers have seen and the disk refused: they go first into the next group. */
  private owed: Change[] = [];
  /** Number of pending changes that are invisible until they are durable, by the table's index. */
  private readonly unseen: number[] = [];

  constructor(
    private readonly recent: Pick<RecentWrites, 'isDue' | 'show' | 'write'>,
    private readonly pacing: Pick<Pacing, 'atTurnsEnd'>,
  ) {}

  /** True when every write so far is on disk or was refused. */
  get idle(): boolean {
    return !this.busy && this.waiting.length === 0;
  }

  /** Commits all of the changes or none; on disk when resolved. */
  commit(changes: readonly Change[]): Promise<void> {
    if (this.isFullFor(changes)) {
      return Promise.reject(new WriteRefused(`${this.waitingChanges} changes wait for the disk`));
    }
    for (const { table } of changes) this.unseen[table.index] = (this.unseen[table.index] ?? 0) + 1;
    return this.enqueue(changes).done;
  }

  /**
   * Shows all of the changes to readers at once and writes them with the next group. Returns false, without effect,
   * while the disk refuses writes, while a copy into LMDB is due, or when a pending older change of a row could become
   * visible after this one: commit them then.
   */
  defer(changes: readonly Change[]): boolean {
    if (this.owed.length > 0 || this.recent.isDue || this.isFullFor(changes)) return false;
    for (const { table } of changes) if ((this.unseen[table.index] ?? 0) > 0) return false;
    for (const change of changes) this.recent.show(change);
    this.enqueue(changes);
    return true;
  }

  whenIdle(): Promise<void> {
    return this.idle ? Promise.resolve() : new Promise((resolve) => this.idleWaiters.push(resolve));
  }

  private isFullFor(changes: readonly Change[]): boolean {
    return this.waitingChanges + changes.length > WAITING_CHANGES_MAX;
  }

  private enqueue(changes: readonly Change[]): Group {
    let group = this.waiting.at(-1);
    if (group === undefined || group.changes.length + changes.length > GROUP_CHANGES_MAX) {
      group = new Group();
      this.waiting.push(group);
    }
    for (const change of changes) group.changes.push(change);
    this.waitingChanges += changes.length;
    if (!this.busy) {
      this.busy = true;
      // All writes of the work that runs now share the flush. A tick, not a turn of the event loop, because readers may
      // keep the loop busy for a millisecond.
      process.nextTick(this.next);
    }
    return group;
  }

  private readonly next = (): void => {
    const group = this.waiting.shift();
    if (group === undefined) {
      this.busy = false;
      for (const resolve of this.idleWaiters.splice(0)) resolve();
      return;
    }
    this.waitingChanges -= group.changes.length;
    const { owed } = this;
    const changes = owed.length === 0 ? group.changes : [...owed, ...group.changes];
    this.recent.write(changes).then(
      () => {
        this.owed = [];
        this.leave(group);
      },
      (error: Error) => {
        this.owed = changes.filter(({ seen }) => seen === true);
        // The outcome is unknown: the disk may have the changes, so do not report that they did not happen.
        const isInDoubt = error instanceof Unavailable;
        const refused = () => new WriteRefused(`the store cannot write: ${error.message}`, { cause: error });
        this.leave(group, isInDoubt ? error : refused());
      },
    );
    void group.done.then(this.later, this.later);
  };

  private leave(group: Group, error?: Error): void {
    for (const { table, seen } of group.changes) {
      if (seen !== true) this.unseen[table.index] = (this.unseen[table.index] ?? 1) - 1;
    }
    group.finish(error);
  }

  /**
   * Starts the next group after the callers of this one have run, so that their next writes share the flush. Actors run
   * in immediates that are scheduled in microtasks: this immediate is scheduled after all of those and runs after them.
   */
  private readonly later = (): void => process.nextTick(() => this.pacing.atTurnsEnd(this.next));
}
