import type { StoreJournalRecord, StoreSnapshotRecord } from '../../proto/gen/types.js';
import { JournalConflict, type JournalEntry } from '../../store/journal.js';
import type { ReadTables, RowWrite } from '../../store/port.js';
import { cursors, snapshots } from '../../store/tables.js';
import { idShard } from '../domain/ids.js';
import { Unavailable } from '../domain/problem.js';
import { ActorCore } from './core.js';
import { NotTaken } from './delivery.js';
import { type AnyKind, actorName } from './kind.js';
import type { Logger } from './logger.js';
import type { Placement } from './placement.js';
import { restore } from './snapshot.js';

/** The journal as the runtime needs it; class Journal of store/journal.ts fits. */
export interface ActorJournal {
  /**
   * Stores the records as entries afterSeq + 1 and on; with them the rows. Durable when resolved.
   * @throws Unavailable it may or may not have happened, or happen later
   */
  append(
    actor: string,
    afterSeq: number,
    epoch: number,
    records: readonly StoreJournalRecord[],
    alongside?: readonly RowWrite[],
  ): Promise<void>;
  /** Entries after that seq, in order, without gaps. @throws JournalConflict a later epoch than ours has written */
  read(actor: string, afterSeq: number, epoch: number): AsyncIterable<JournalEntry<StoreJournalRecord>>;
  /** The journal's end, as just read, is an entry that no other can win over. */
  isCertain(actor: string, epoch: number): boolean;
}

/** An actor as the store has it. */
export interface Recovered {
  readonly core: ActorCore;
  readonly snapshotSeq: number;
  /** Epoch of the last entry. */
  readonly lastEpoch: number;
  /** Entries up to here have had all their effects, by lane. */
  readonly beforeReply: number;
  readonly afterReply: number;
}

export interface RecoveryNeeds {
  readonly journal: ActorJournal;
  readonly tables: ReadTables;
  readonly placement: Placement;
  readonly logger: Logger;
}

/** An actor that nothing has been stored of. */
export function untouched(kind: AnyKind, id: string, newId: () => string): Recovered {
  return { core: new ActorCore(kind, id, newId), snapshotSeq: 0, lastEpoch: 0, beforeReply: 0, afterReply: 0 };
}

/**
 * Snapshot, tail of the journal, cursors. The snapshot is only a cache: it counts if it has the code's state version
 * and if the journal still has, at its seq, the entry that it was taken after.
 */
export async function recover(
  needs: RecoveryNeeds,
  kind: AnyKind,
  id: string,
  epoch: number,
  newId: () => string,
  primed: StoreSnapshotRecord | undefined,
): Promise<Recovered> {
  const actor = actorName({ kind: kind.name, id });
  const [snapshot, cursor] = await Promise.all([
    primed ?? needs.tables.get(snapshots, { actor }),
    needs.tables.get(cursors, { actor }),
  ]);
  const lanes = { beforeReply: cursor?.beforeReply ?? 0, afterReply: cursor?.afterReply ?? 0 };
  const found =
    (await warmStart(needs, kind, id, epoch, newId, snapshot)) ??
    (await replay(needs, new ActorCore(kind, id, newId), actor, epoch));
  const { core } = found;
  const owesNothing = Math.min(lanes.beforeReply, lanes.afterReply) >= core.seq;
  // So an actor that was stopped because the disk is full can be read.
  if (owesNothing || needs.journal.isCertain(actor, epoch)) return { ...found, ...lanes };
  await makeCertain(needs, core, actor, epoch);
  return { ...found, ...lanes, lastEpoch: epoch };
}

/**
 * Entries with effects left may be a former owner's that it never acknowledged, and another owner's, on its way still,
 * would win over them. An entry of ours upon them, without events, makes them part of the history before an effect,
 * an answer or a cursor rests on them.
 */
async function makeCertain(needs: RecoveryNeeds, core: ActorCore, actor: string, epoch: number): Promise<void> {
  const record: StoreJournalRecord = { atMs: core.atMs, events: [] };
  await needs.journal.append(actor, core.seq, epoch, [record]);
  if (needs.placement.epochOf(idShard(core.id)) !== epoch) throw new NotTaken(`${actor} moved while it was recovered`);
  core.replay(core.seq + 1, record);
}

/** Undefined when there is no snapshot that can be read and fits code and journal. */
async function warmStart(
  needs: RecoveryNeeds,
  kind: AnyKind,
  id: string,
  epoch: number,
  newId: () => string,
  snapshot: StoreSnapshotRecord | undefined,
): Promise<Replayed | undefined> {
  if (snapshot === undefined || snapshot.stateVersion !== kind.stateVersion || snapshot.seq === 0) return undefined;
  const actor = actorName({ kind: kind.name, id });
  try {
    const warm = await replayFrom(needs, new ActorCore(kind, id, newId), actor, epoch, snapshot);
    if (warm !== undefined) return warm;
    needs.logger.warn({ actor, seq: snapshot.seq }, 'a snapshot does not fit the journal; replaying all of it');
  } catch (error) {
    // Neither a store that is away nor another owner says anything about the snapshot.
    if (error instanceof Unavailable || error instanceof JournalConflict) throw error;
    const fields = { actor, seq: snapshot.seq, err: error };
    needs.logger.warn(fields, 'failed to restore a snapshot; replaying the whole journal');
  }
  return undefined;
}

type Replayed = Pick<Recovered, 'core' | 'snapshotSeq' | 'lastEpoch'>;

async function replay(needs: RecoveryNeeds, core: ActorCore, actor: string, epoch: number): Promise<Replayed> {
  let lastEpoch = 0;
  for await (const entry of needs.journal.read(actor, 0, epoch)) {
    core.replay(entry.seq, entry.record);
    lastEpoch = entry.epoch;
  }
  return { core, snapshotSeq: 0, lastEpoch };
}

/** Undefined when the snapshot is of a history that was given up. */
async function replayFrom(
  needs: RecoveryNeeds,
  core: ActorCore,
  actor: string,
  epoch: number,
  snapshot: StoreSnapshotRecord,
): Promise<Replayed | undefined> {
  let lastEpoch = restore(core, snapshot);
  let fits = false;
  for await (const entry of needs.journal.read(actor, snapshot.seq - 1, epoch)) {
    if (entry.seq === snapshot.seq) {
      if (entry.epoch !== lastEpoch) return undefined;
      fits = true;
      continue;
    }
    core.replay(entry.seq, entry.record);
    lastEpoch = entry.epoch;
  }
  return fits ? { core, snapshotSeq: snapshot.seq, lastEpoch } : undefined;
}
