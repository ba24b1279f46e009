import { Unavailable, WriteRefused } from '../../actors/domain/problem.js';
import type { Change } from './overlay.js';
import type { RecentWrites } from './recent-writes.js';

/** Bounds one append's memory; what waits behind it goes into the next. */
const GROUP_CHANGES_MAX = 4_096;
/** Bounds what waits for the disk: some tens of megabytes. Past it writes are refused at once. */
const WAITING_CHANGES_MAX = 65_536;

/** What shares one flush, and its outcome. */
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
 * Group commit: what is written while a group is on its way to the disk goes, whole, into the next one. One group at a
 * time, one promise per group. A group that fails leaves nothing behind but what readers have seen already, which goes
 * into the next, and the next is tried anew. Groups reach the disk in the order in which they were written.
 */
export class CommitQueue {
  private waiting: Group[] = [];
  private waitingChanges = 0;
  private busy = false;
  private idleWaiters: (() => void)[] = [];
  /** Seen by readers and refused by the disk: ahead of all else that goes there. */
  private owed: Change[] = [];
  /** By the table's index: changes that nobody sees before they are durable. */
  private readonly unseen: number[] = [];

  constructor(private readonly recent: Pick<RecentWrites, 'show' | 'write'>) {}

  /** True when every write so far is on disk or was refused. */
  get idle(): boolean {
    return !this.busy && this.waiting.length === 0;
  }

  /** All of the changes or none; on disk when resolved. */
  commit(changes: readonly Change[]): Promise<void> {
    if (this.isFullFor(changes)) {
      return Promise.reject(new WriteRefused(`${this.waitingChanges} changes wait for the disk`));
    }
    for (const { table } of changes) this.unseen[table.index] = (this.unseen[table.index] ?? 0) + 1;
    return this.enqueue(changes).done;
  }

  /**
   * All of the changes are seen at once and go to the disk with the next group. False, and nothing has happened, while
   * the disk refuses writes, and when an older change of a row could be seen after this one: they must be committed.
   */
  defer(changes: readonly Change[]): boolean {
    if (this.owed.length > 0 || this.isFullFor(changes)) return false;
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
      // What is written by whatever runs now shares the flush. It does not wait for a turn of the event loop: those who
      // read may keep that busy for a millisecond.
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
        // The disk may have them all the same: nobody must be told that they have not happened.
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
   * Once those who waited have had their turn: what they write next shares the next flush. Actors have theirs in
   * immediates, which are asked for in microtasks: this one is asked for behind them all, and runs behind theirs.
   */
  private readonly later = (): void => process.nextTick(() => setImmediate(this.next));
}
