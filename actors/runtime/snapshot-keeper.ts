import type { StoreJournalRecord, StoreSnapshotRecord } from '../../proto/gen/types.js';
import type { ActorCore } from './core.js';
import { Halted } from './halt.js';
import { JournalTrimmer } from './journal-trimmer.js';
import type { Lane } from './lane.js';
import type { Pause } from './plain-lines.js';
import type { Recovered } from './recovery.js';
import { type Captured, capture, entryBytes } from './snapshot.js';
import { headOf, removeSnapshotsBefore, storeSnapshot, verifySnapshot } from './snapshot-rows.js';
import type { Surroundings } from './surroundings.js';

/** The newest one and, should that turn out damaged, the one before. */
const KEPT = 2;

interface KeeperContext {
  readonly around: Surroundings;
  readonly core: ActorCore;
  readonly actor: string;
  /** Under which this node owns the actor. */
  readonly epoch: number;
  readonly before: Lane;
  readonly after: Lane;
  readonly pause: Pause;
  /** False once the actor is another node's, or the activation has ended. */
  readonly goesOn: () => boolean;
}

/** A snapshot on its way to the store. */
interface UnderWay {
  /** The state has been encoded, and may change again. */
  readonly captured: Promise<void>;
  /** What is stored; undefined when it failed. */
  readonly stored: Promise<Captured | undefined>;
}

/** Takes an activation's snapshots, stores them and removes old ones. */
export class SnapshotKeeper {
  /** Oldest first, without their states. */
  private kept: readonly StoreSnapshotRecord[];
  /** The store may have snapshots before those. */
  private hasOlder: boolean;
  /** Bytes of the entries since the newest. */
  private bytesSince: number;
  /** Epoch of the last entry: an earlier owner's until we append one. */
  private lastEpoch: number;
  /** After a failure the next one waits for entries as after a success: encoding a large state costs as much. */
  private notBefore = 0;
  private underWay: UnderWay | undefined;
  private readonly trimmer: JournalTrimmer;

  constructor(
    private readonly context: KeeperContext,
    { snapshot, replayedBytes, lastEpoch }: Recovered,
  ) {
    const { around, actor, goesOn } = context;
    this.trimmer = new JournalTrimmer(around, actor, goesOn, snapshot?.journalFrom ?? 0);
    this.kept = snapshot === undefined ? [] : [snapshot];
    this.hasOlder = snapshot !== undefined;
    this.bytesSince = replayedBytes;
    this.lastEpoch = lastEpoch;
  }

  /** Nothing is on its way to the store. */
  get idle(): boolean {
    return this.underWay === undefined && this.trimmer.idle;
  }

  /** Resolves when nothing is on its way to the store. */
  async ended(): Promise<void> {
    await this.underWay?.stored;
    await this.trimmer.ended();
  }

  /** So much would be replayed without another snapshot that one is taken when the actor leaves memory. */
  get isWorth(): boolean {
    return this.isOutdated || this.isWorthAfter(this.context.around.limits.snapshotWorth);
  }

  /** Entries behind the last ones have been stored. */
  appended(records: readonly StoreJournalRecord[]): void {
    this.lastEpoch = this.context.epoch;
    for (const record of records) this.bytesSince += entryBytes(record);
  }

  /**
   * Takes a snapshot when it is time for one; the actor must be exactly at the journal's end.
   * @returns when the actor may go on; undefined: at once
   */
  takeIfDue(): Promise<void> | undefined {
    const { core, around } = this.context;
    if (this.underWay !== undefined || core.seq < this.notBefore) return undefined;
    return this.isWorthAfter(around.limits.snapshotEntriesMin) ? this.take().captured : undefined;
  }

  /** Stores the actor as it is now; all of it must be stored in the journal. Undefined when it failed, is stored, or must not be. */
  save(): Promise<Captured | undefined> {
    if (this.underWay !== undefined) return this.underWay.stored;
    if (!this.context.core.isKnownState) return Promise.resolve(undefined);
    return this.context.core.seq === this.newestSeq && !this.isOutdated
      ? Promise.resolve(undefined)
      : this.take().stored;
  }

  /** The newest was migrated: the next activation is spared that. */
  private get isOutdated(): boolean {
    const newest = this.kept.at(-1);
    return newest !== undefined && newest.stateVersion !== this.context.core.kind.stateVersion;
  }

  private get newestSeq(): number {
    return this.kept.at(-1)?.seq ?? 0;
  }

  private isWorthAfter(entriesMin: number): boolean {
    if (!this.context.core.isKnownState) return false;
    const entries = this.context.core.seq - this.newestSeq;
    if (entries >= this.context.around.limits.snapshotEntriesMax) return true;
    return entries >= entriesMin && this.bytesSince >= (this.kept.at(-1)?.bytes ?? 0);
  }

  private take(): UnderWay {
    const { core, around } = this.context;
    this.notBefore = core.seq + around.limits.snapshotEntriesMin;
    const capturing = this.capture();
    const stored = capturing.then((captured) => captured && this.store(captured));
    const underWay = {
      captured: capturing.then(() => undefined),
      stored: stored.finally(() => {
        this.underWay = undefined;
      }),
    };
    this.underWay = underWay;
    return underWay;
  }

  private async capture(): Promise<Captured | undefined> {
    const { core, around, before, after, pause, goesOn } = this.context;
    if (!goesOn()) return undefined;
    const notes = {
      epoch: this.lastEpoch,
      beforeReply: before.done,
      afterReply: after.done,
      atMs: Math.max(around.clock.nowMs(), (this.kept.at(-1)?.atMs ?? 0) + 1),
      journalFrom: this.trimmer.journalFrom,
    };
    try {
      const captured = await capture(core, notes, pause);
      this.bytesSince = 0;
      return captured;
    } catch (error) {
      this.warn(error);
      return undefined;
    }
  }

  private async store(captured: Captured): Promise<Captured | undefined> {
    const { around, actor, goesOn } = this.context;
    try {
      const stored = await storeSnapshot(around.tables, actor, captured, goesOn);
      if (stored === undefined) return undefined;
      await this.keep(headOf(stored));
      return captured;
    } catch (error) {
      this.warn(error);
      return undefined;
    }
  }

  /** Removes what the snapshot replaces, once it has been read back. */
  private async keep(head: StoreSnapshotRecord): Promise<void> {
    const { around, actor, goesOn } = this.context;
    const hasOlder = this.hasOlder || this.kept.length === KEPT;
    const kept = [...this.kept, head].slice(-KEPT);
    const [older] = kept;
    const removesOlder = hasOlder && kept.length === KEPT;
    const trims = this.trimmer.isDue(kept);
    if (older !== undefined && (removesOlder || trims)) {
      await verifySnapshot(around.tables, actor, head);
      if (!goesOn()) return;
      if (removesOlder) await removeSnapshotsBefore(around.tables, actor, older);
      if (trims) this.trimmer.trim(older);
    }
    this.hasOlder = hasOlder && !removesOlder;
    this.kept = kept;
  }

  private warn(error: unknown): void {
    if (error instanceof Halted) return;
    this.context.around.logger.warn({ actor: this.context.actor, err: error }, 'failed to save a snapshot');
  }
}
