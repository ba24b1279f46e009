import type { StoreSnapshotRecord } from '../../proto/gen/types.js';
import { Answered } from './answered.js';
import type { ActorCore } from './core.js';
import { Dedupe, type SourceMark } from './dedupe.js';
import { decodePlain, encodePlain } from './plain-values.js';

interface Image {
  readonly state: unknown;
  readonly sources: readonly SourceMark[];
  readonly atMs: number;
  /** Of the entry at the snapshot's seq: tells whether that entry is the one that history kept. */
  readonly epoch: number;
  /** Absent where there are none, and in snapshots older than keys. */
  readonly answered?: ReturnType<Answered['marks']>;
}

/** The actor as it is now; all of it must be stored already. */
export function snapshotOf(core: ActorCore, epoch: number): StoreSnapshotRecord {
  const answered = core.answered?.marks(core.atMs);
  const { state, atMs } = core;
  const image: Image = { state, sources: core.dedupe.marks(), atMs, epoch, ...(answered?.length && { answered }) };
  return { seq: core.seq, stateVersion: core.kind.stateVersion, state: encodePlain(image) };
}

/**
 * Sets the actor to where the snapshot was taken.
 * @returns the epoch of its last entry
 * @throws when the bytes are damaged or of another format
 */
export function restore(core: ActorCore, snapshot: StoreSnapshotRecord): number {
  const image = decodePlain(snapshot.state) as Image;
  core.state = image.state;
  core.dedupe = Dedupe.from(image.sources);
  core.answered = image.answered && Answered.from(image.answered);
  core.atMs = image.atMs;
  core.seq = snapshot.seq;
  return image.epoch;
}
