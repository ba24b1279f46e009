import type { StoreJournalRecord, StoreSnapshotRecord } from '../../../proto/gen/types.js';
import { idShard } from '../../domain/ids.js';
import { Cancelled } from '../asking/cancellation.js';
import type { Lane } from '../effects/lane.js';
import type { ActorCore } from '../state/core.js';
import type { Pause } from '../state/plain-lines.js';
import type { Recovered } from '../state/recovery.js';
import { type Captured, capture, DamagedSnapshot, entryBytes } from '../state/snapshot.js';
import { headOf, removeSnapshotsBefore, storeSnapshot, verifySnapshot } from '../state/snapshot-rows.js';
import type { ActivationContext } from './activation-context.js';
import { JournalTrimmer } from './journal-trimmer.js';

const NONE: readonly StoreSnapshotRecord[] = [];

/** Snapshots that stay in the store: the newest, and the one before it in case the newest is damaged. */
const KEPT = 2;

interface KeeperContext {
  readonly around: ActivationContext;
  readonly core: ActorCore;
  readonly actor: string;
  /** The epoch under which this node owns the actor. */
  readonly epoch: number;
  readonly before: Lane;
  readonly after: Lane;
  readonly pause: Pause;
  /** False when another node owns the actor or the activation has ended. */
  readonly goesOn: () => boolean;
}

/** A snapshot that is being taken. */
interface UnderWay {
  /** Resolves when the state has been encoded and may change again. */
  readonly captured: Promise<void>;
  /** Resolves to the stored snapshot; undefined when it failed. */
  readonly stored: Promise<Captured | undefined>;
}

/** Takes an activation's snapshots, stores them and removes old ones. */
export class SnapshotKeeper {
  /** Heads of the stored snapshots, oldest first, without their states. */
  private stored: readonly StoreSnapshotRecord[];
  /** True when the store may hold snapshots older than `stored`. */
  private hasOlder: boolean;
  /** Bytes of the journal entries since the newest snapshot. */
  private bytesSince: number;
  /** Epoch of the last entry: an earlier owner's until this node appends one. */
  private lastEpoch: number;
  /**
   * Seq before which no snapshot is taken. After a failure the next one waits for as many entries as after a success,
   * because encoding a large state costs the same.
   */
  private notBefore = 0;
  private underWay: UnderWay | undefined;
  private readonly trimmer: JournalTrimmer;
  /** Those of `stored` that were read back. */
  private verified: readonly StoreSnapshotRecord[] = NONE;

  constructor(
    private readonly context: KeeperContext,
    { snapshot, replayedBytes, lastEpoch }: Recovered,
  ) {
    const { around, actor, goesOn } = context;
    this.trimmer = new JournalTrimmer(around, actor, goesOn, snapshot?.journalFrom ?? 0);
    this.stored = snapshot === undefined ? [] : [snapshot];
    this.hasOlder = snapshot !== undefined;
    this.bytesSince = replayedBytes;
    this.lastEpoch = lastEpoch;
  }

  /** True when no snapshot and no trim is under way. */
  get idle(): boolean {
    return this.underWay === undefined && this.trimmer.idle;
  }

  /** Resolves when no snapshot and no trim is under way. */
  async ended(): Promise<void> {
    await this.underWay?.stored;
    await this.trimmer.ended();
  }

  /** True when a recovery would replay so much that passivation should take a snapshot. */
  get isWorth(): boolean {
    return this.isOutdated || this.isWorthAfter(this.context.around.limits.snapshotWorth);
  }

  /** Records entries that were appended. */
  appended(records: readonly StoreJournalRecord[]): void {
    this.lastEpoch = this.context.epoch;
    for (const record of records) this.bytesSince += entryBytes(record);
  }

  /**
   * Takes a snapshot if one is due. The actor must be exactly at the journal's end.
   * @returns a promise that resolves when the actor may continue; undefined: it may continue at once
   */
  takeIfDue(): Promise<void> | undefined {
    const { core, around } = this.context;
    if (this.underWay !== undefined || core.seq < this.notBefore) return undefined;
    return this.isWorthAfter(around.limits.snapshotEntriesMin) ? this.take().captured : undefined;
  }

  /**
   * Stores a snapshot of the current state, all of which must be in the journal. Resolves to undefined when it failed,
   * is stored already, or must not be stored.
   */
  save(): Promise<Captured | undefined> {
    if (this.underWay !== undefined) return this.underWay.stored;
    if (!this.context.core.isKnownState) return Promise.resolve(undefined);
    return this.context.core.seq === this.newestSeq && !this.isOutdated
      ? Promise.resolve(undefined)
      : this.take().stored;
  }

  /**
   * True when the newest snapshot has an older state version. A new snapshot saves the next activation the migration.
   */
  private get isOutdated(): boolean {
    const newest = this.stored.at(-1);
    return newest !== undefined && newest.stateVersion !== this.context.core.kind.stateVersion;
  }

  /**
   * Stores two snapshots of the current state, and removes everything older. Only the last two journal entries are
   * still needed then. The actor must not change meanwhile.
   * @returns false when some of it may be left
   */
  async forget(): Promise<boolean> {
    await this.ended();
    this.hasOlder = true;
    for (let count = 0; count < KEPT; count++) if ((await this.take().stored) === undefined) return false;
    await this.trimmer.ended();
    const [older] = this.stored;
    if (older === undefined || this.hasOlder) return false;
    if (!this.trimmer.hasTrimmedFor(older)) this.trimmer.trim(older);
    await this.trimmer.ended();
    return this.trimmer.hasTrimmedFor(older);
  }

  private get newestSeq(): number {
    return this.stored.at(-1)?.seq ?? 0;
  }

  private isWorthAfter(entriesMin: number): boolean {
    if (!this.context.core.isKnownState) return false;
    const entries = this.context.core.seq - this.newestSeq;
    if (entries >= this.context.around.limits.snapshotEntriesMax) return true;
    return entries >= entriesMin && this.bytesSince >= (this.stored.at(-1)?.bytes ?? 0);
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
      atMs: Math.max(around.clock.nowMs(), (this.stored.at(-1)?.atMs ?? 0) + 1),
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
      if (!(await this.isOwner())) return undefined;
      const stored = await storeSnapshot(around.tables, actor, captured, goesOn);
      if (stored === undefined) return undefined;
      await this.keep(headOf(stored));
      return captured;
    } catch (error) {
      this.warn(error);
      return undefined;
    }
  }

  /**
   * Returns true when every later history contains the captured entries, because they were stored before the store
   * named another owner. A recovery from a snapshot reads no entries before it, so it would miss those of that owner.
   */
  private async isOwner(): Promise<boolean> {
    const { around, core, epoch } = this.context;
    return (await around.placement.stillOwns?.(idShard(core.id), epoch)) ?? true;
  }

  /** Removes what the new snapshot replaces, after reading back both the new one and the one before it. */
  private async keep(head: StoreSnapshotRecord): Promise<void> {
    const { around, actor, goesOn } = this.context;
    this.hasOlder ||= this.stored.length === KEPT;
    let kept = [...this.stored, head].slice(-KEPT);
    const trims = this.trimmer.isDue(kept);
    if (kept.length === KEPT && (this.hasOlder || trims)) {
      kept = await this.sound(kept);
      const [older] = kept;
      if (older !== undefined && kept.length === KEPT && goesOn()) {
        if (this.hasOlder) await removeSnapshotsBefore(around.tables, actor, older);
        this.hasOlder = false;
        if (trims) this.trimmer.trim(older);
      }
    }
    this.stored = kept;
  }

  /** Reads the snapshots back and returns those that are undamaged. */
  private async sound(kept: readonly StoreSnapshotRecord[]): Promise<StoreSnapshotRecord[]> {
    const { around, actor } = this.context;
    const sound: StoreSnapshotRecord[] = [];
    for (const head of kept) {
      try {
        if (!this.verified.includes(head)) await verifySnapshot(around.tables, actor, head);
        sound.push(head);
      } catch (error) {
        if (!(error instanceof DamagedSnapshot)) throw error;
        this.warn(error);
      }
    }
    this.verified = sound;
    return sound;
  }

  private warn(error: unknown): void {
    if (error instanceof Cancelled) return;
    this.context.around.logger.warn({ actor: this.context.actor, err: error }, 'failed to save a snapshot');
  }
}
