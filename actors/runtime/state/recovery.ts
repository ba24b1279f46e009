import type { StoreJournalRecord, StoreSnapshotRecord } from '../../../proto/gen/types.js';
import { JournalConflict, type JournalEntry } from '../../../store/journal.js';
import type { ReadTables, RowWrite } from '../../../store/port.js';
import { cursors } from '../../../store/tables.js';
import { idShard } from '../../domain/ids.js';
import { Unavailable } from '../../domain/problem.js';
import { Cancelled } from '../asking/cancellation.js';
import { NotTaken } from '../asking/delivery.js';
import { type AnyKind, actorName } from '../kind.js';
import type { Logger } from '../logger.js';
import type { Placement } from '../placement/placement.js';
import type { Ids } from '../slice.js';
import { ActorCore } from './core.js';
import type { Pause } from './plain-lines.js';
import { entryBytes, readsVersion, restore } from './snapshot.js';
import { headOf, newestSnapshot, stateOf } from './snapshot-rows.js';

/** The journal that the runtime needs; class Journal of store/journal.ts fits. */
export interface ActorJournal {
  /**
   * Stores the records as entries from afterSeq + 1 on, and the rows with them. Durable when resolved.
   * @throws Unavailable the outcome is unknown: the write may have happened or still happen
   */
  append(
    actor: string,
    afterSeq: number,
    epoch: number,
    records: readonly StoreJournalRecord[],
    alongside?: readonly RowWrite[],
  ): Promise<void>;
  /**
   * Returns entries after that seq, in order, without gaps. @throws JournalConflict when a later epoch than ours has
   * written
   */
  read(actor: string, afterSeq: number, epoch: number): AsyncIterable<JournalEntry<StoreJournalRecord>>;
  /**
   * Removes the entries before `beforeSeq`. Snapshots of later entries must be durable. Resolves to false when `goesOn`
   * returned false.
   * @throws Unavailable when some may be removed
   */
  trim(actor: string, fromSeq: number, beforeSeq: number, goesOn: () => boolean): Promise<boolean>;
  /** True when the last entry, as just read, can no longer lose to another owner's. */
  isCertain(actor: string, epoch: number): boolean;
}

/** An actor as the store has it. */
export interface Recovered {
  readonly core: ActorCore;
  /** Head of the snapshot that it was recovered from, without the state. */
  readonly snapshot: StoreSnapshotRecord | undefined;
  /** Bytes of the entries since the snapshot. */
  readonly replayedBytes: number;
  /** Epoch of the last entry. */
  readonly lastEpoch: number;
  /** All effects up to these entries are done, by lane. */
  readonly beforeReply: number;
  readonly afterReply: number;
}

export interface RecoveryNeeds {
  readonly journal: ActorJournal;
  readonly tables: ReadTables;
  readonly placement: Placement;
  readonly logger: Logger;
}

/** The actor to recover, and its owner. */
export interface Recovering {
  readonly kind: AnyKind;
  readonly id: string;
  /** The epoch under which this node owns it. */
  readonly epoch: number;
  readonly ids: Ids;
  /** Returns the newest format that every node can read. */
  readonly format: () => number;
  /** A snapshot handed over by the last owner. */
  readonly primed: StoreSnapshotRecord | undefined;
  readonly pause: Pause;
}

/** Returns an actor of which nothing has been stored. */
export function untouched({ kind, id, ids, format }: Recovering): Recovered {
  const core = new ActorCore(kind, id, ids, format);
  return { core, snapshot: undefined, replayedBytes: 0, lastEpoch: 0, beforeReply: 0, afterReply: 0 };
}

/**
 * Recovers an actor from a snapshot, the tail of the journal and the cursors. A snapshot is only a cache. It is valid
 * if it is whole, the code reads its state version, and the journal still has, at its seq, the entry after which it was
 * taken. If it is not valid, the one before it is tried.
 */
export async function recover(needs: RecoveryNeeds, recovering: Recovering): Promise<Recovered> {
  const { kind, id, epoch, primed } = recovering;
  const actor = actorName({ kind: kind.name, id });
  const [newest, cursor] = await Promise.all([
    primed ?? newestSnapshot(needs.tables, actor),
    needs.tables.get(cursors, { actor }),
  ]);
  const found =
    (await fromSnapshots(needs, recovering, actor, newest)) ??
    (await replay(needs, new ActorCore(kind, id, recovering.ids, recovering.format), actor, epoch));
  const { core, snapshot } = found;
  // A former owner's late cursor may be behind the positions in the snapshot.
  const lanes = {
    beforeReply: Math.max(cursor?.beforeReply ?? 0, snapshot?.beforeReply ?? 0),
    afterReply: Math.max(cursor?.afterReply ?? 0, snapshot?.afterReply ?? 0),
  };
  const owesNothing = Math.min(lanes.beforeReply, lanes.afterReply) >= core.seq;
  // Appends nothing if no effects are left, so that an actor can be read when the disk is full.
  if (owesNothing || needs.journal.isCertain(actor, epoch)) return { ...found, ...lanes };
  await makeCertain(needs, core, actor, epoch);
  return { ...found, ...lanes, lastEpoch: epoch };
}

/**
 * Appends an empty entry before effects, replies or cursors depend on the last entries. These may be a former owner's
 * that it never acknowledged, and another owner's entries, still on their way, would win over them. An entry of this
 * node's epoch after them makes them part of the history.
 */
async function makeCertain(needs: RecoveryNeeds, core: ActorCore, actor: string, epoch: number): Promise<void> {
  const record: StoreJournalRecord = { atMs: core.atMs, events: [] };
  await needs.journal.append(actor, core.seq, epoch, [record]);
  if (needs.placement.epochOf(idShard(core.id)) !== epoch) throw new NotTaken(`${actor} moved while it was recovered`);
  core.replay(core.seq + 1, record);
}

type Replayed = Pick<Recovered, 'core' | 'snapshot' | 'replayedBytes' | 'lastEpoch'>;

/** Recovers from the newest snapshot that can be read and fits code and journal; undefined when there is none. */
async function fromSnapshots(
  needs: RecoveryNeeds,
  recovering: Recovering,
  actor: string,
  newest: StoreSnapshotRecord | undefined,
): Promise<Replayed | undefined> {
  let isStored = recovering.primed === undefined;
  for (let snapshot = newest; snapshot !== undefined; ) {
    const found = await fromSnapshot(needs, recovering, actor, snapshot);
    if (found !== undefined) return found;
    snapshot = await newestSnapshot(needs.tables, actor, isStored ? snapshot : undefined);
    isStored = true;
  }
  return undefined;
}

/** Recovers from one snapshot; undefined when it cannot be read or does not fit code and journal. */
async function fromSnapshot(
  needs: RecoveryNeeds,
  { kind, id, epoch, ids, format, pause }: Recovering,
  actor: string,
  snapshot: StoreSnapshotRecord,
): Promise<Replayed | undefined> {
  if (!readsVersion(kind, snapshot.stateVersion)) return undefined;
  const { seq } = snapshot;
  try {
    const core = new ActorCore(kind, id, ids, format);
    await restore(core, snapshot, await stateOf(needs.tables, actor, snapshot), pause);
    const found = await replayFrom(needs, core, actor, epoch, snapshot);
    if (found === undefined) needs.logger.warn({ actor, seq }, 'ignored a snapshot that does not fit the journal');
    return found;
  } catch (error) {
    // An unavailable store or another owner says nothing about the snapshot.
    if (error instanceof Unavailable || error instanceof JournalConflict || error instanceof Cancelled) throw error;
    needs.logger.warn({ actor, seq, err: error }, 'ignored a snapshot that cannot be restored');
    return undefined;
  }
}

async function replay(needs: RecoveryNeeds, core: ActorCore, actor: string, epoch: number): Promise<Replayed> {
  let lastEpoch = 0;
  let replayedBytes = 0;
  for await (const entry of needs.journal.read(actor, 0, epoch)) {
    core.replay(entry.seq, entry.record);
    replayedBytes += entryBytes(entry.record);
    lastEpoch = entry.epoch;
  }
  return { core, snapshot: undefined, replayedBytes, lastEpoch };
}

/** Replays the entries after the snapshot; undefined when the snapshot belongs to a discarded history. */
async function replayFrom(
  needs: RecoveryNeeds,
  core: ActorCore,
  actor: string,
  epoch: number,
  snapshot: StoreSnapshotRecord,
): Promise<Replayed | undefined> {
  let lastEpoch = snapshot.epoch;
  let replayedBytes = 0;
  let fits = false;
  for await (const entry of needs.journal.read(actor, snapshot.seq - 1, epoch)) {
    if (entry.seq === snapshot.seq) {
      if (entry.epoch !== lastEpoch) return undefined;
      fits = true;
      continue;
    }
    core.replay(entry.seq, entry.record);
    replayedBytes += entryBytes(entry.record);
    lastEpoch = entry.epoch;
  }
  return fits ? { core, snapshot: headOf(snapshot), replayedBytes, lastEpoch } : undefined;
}
