import type { Database, RootDatabase } from 'lmdb';
import { Unavailable } from '../../actors/domain/problem.js';
import type { StoreLog } from '../store-log.js';

export interface Change {
  readonly db: Database<Buffer, Buffer>;
  readonly key: Buffer;
  /** Undefined: delete. */
  readonly bytes: Buffer | undefined;
}

/** Bounds one transaction's memory; what waits behind it goes into the next. */
const GROUP_CHANGES_MAX = 4_096;
/** Bounds what waits for the disk: some tens of megabytes. Past it writes are refused at once. */
const WAITING_CHANGES_MAX = 65_536;

/** What shares one transaction and one flush, and its outcome. */
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
 * Group commit: what is written while a transaction is on its way to the disk goes, whole, into the next one. One
 * transaction at a time, one promise per group. A group that fails leaves nothing behind, and the next is tried anew.
 */
export class CommitQueue {
  private waiting: Group[] = [];
  private waitingChanges = 0;
  private busy = false;
  private failing = false;
  private idleWaiters: (() => void)[] = [];

  constructor(
    private readonly root: RootDatabase<Buffer, Buffer>,
    private readonly log: StoreLog,
  ) {}

  /** True when every write so far is on disk or was refused. */
  get idle(): boolean {
    return !this.busy && this.waiting.length === 0;
  }

  /** All of the changes or none, in one transaction; on disk when resolved. */
  commit(changes: readonly Change[]): Promise<void> {
    if (this.waitingChanges + changes.length > WAITING_CHANGES_MAX) {
      return Promise.reject(new Unavailable(`${this.waitingChanges} changes wait for the disk`));
    }
    let group = this.waiting.at(-1);
    if (group === undefined || group.changes.length + changes.length > GROUP_CHANGES_MAX) {
      group = new Group();
      this.waiting.push(group);
    }
    for (const change of changes) group.changes.push(change);
    this.waitingChanges += changes.length;
    if (!this.busy) {
      this.busy = true;
      // At the end of the event loop's turn, so that all it writes shares one flush.
      setImmediate(() => this.next());
    }
    return group.done;
  }

  whenIdle(): Promise<void> {
    return this.idle ? Promise.resolve() : new Promise((resolve) => this.idleWaiters.push(resolve));
  }

  private next(): void {
    const group = this.waiting.shift();
    if (group === undefined) {
      this.busy = false;
      for (const resolve of this.idleWaiters.splice(0)) resolve();
      return;
    }
    this.waitingChanges -= group.changes.length;
    this.transact(group).then(
      () => {
        if (this.failing) this.log.info({}, 'the store takes writes again');
        this.failing = false;
        group.finish();
        // Once those who waited have had their turn: what they write next shares the next flush.
        setImmediate(() => this.next());
      },
      (error: Error) => {
        // Once per outage, not once per write.
        if (!this.failing) this.log.error({ err: error }, `the store cannot write: ${error.message}`);
        this.failing = true;
        group.finish(new Unavailable(`the store cannot write: ${error.message}`, { cause: error }));
        setImmediate(() => this.next());
      },
    );
  }

  private async transact(group: Group): Promise<void> {
    try {
      await this.root.batch(() => {
        for (const { db, key, bytes } of group.changes) {
          // Their outcome is the batch's.
          if (bytes === undefined) void db.remove(key);
          else void db.put(key, bytes);
        }
      });
    } catch (error) {
      throw await causeOf(error);
    }
  }
}

/** lmdb says why a commit failed by a promise that rejects with the reason. */
async function causeOf(error: unknown): Promise<Error> {
  const { commitError } = error as { commitError?: Promise<never> };
  if (commitError === undefined) return error as Error;
  return commitError.catch((cause: Error) => cause);
}
