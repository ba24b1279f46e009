import { crc32 } from 'node:zlib';
import type { StoreJournalRecord, StoreSnapshotRecord } from '../../proto/gen/types.js';
import { Answered } from './answered.js';
import type { ActorCore } from './core.js';
import { Dedupe, type SourceMark } from './dedupe.js';
import { Halted } from './halt.js';
import type { AnyKind } from './kind.js';
import { decodePlain, encodePlain, type Pause } from './plain-lines.js';

/**
 * What one row holds of a state that is too large for its snapshot's own row. Cassandra takes mutations of half a
 * commit log segment: 16 MiB as it comes, and 4 MiB where an operator has made segments small.
 */
const CHUNK_BYTES = 1_048_576;

interface Image {
  readonly state: unknown;
  readonly sources: readonly SourceMark[];
  readonly atMs: number;
  /** Absent where there are none. */
  readonly answered?: ReturnType<Answered['marks']>;
}

/** How far the effects of each lane are done. */
export interface LanesDone {
  readonly beforeReply: number;
  readonly afterReply: number;
}

/** A snapshot before it is stored. */
export interface Captured {
  /** Without the state. */
  readonly head: StoreSnapshotRecord;
  /** The state, in parts of CHUNK_BYTES. */
  readonly parts: readonly Buffer[];
}

/**
 * Encodes the actor as it is now; all of it must be stored already. Gives way to others between parts of a large
 * state.
 * @param epoch of the actor's last entry
 * @throws Halted when the actor has gone on meanwhile; what a pause rejects with
 */
export async function capture(
  core: ActorCore,
  epoch: number,
  done: LanesDone,
  nowMs: number,
  pause: Pause,
): Promise<Captured> {
  const answered = core.answered?.marks(core.atMs);
  const { state: live, atMs, seq } = core;
  const image: Image = { state: live, sources: core.dedupe.marks(), atMs, ...(answered?.length && { answered }) };
  const head = { seq, stateVersion: core.kind.stateVersion, epoch, ...done, atMs: nowMs };
  const parts = await encodePlain(image, CHUNK_BYTES, async () => {
    await pause();
    if (core.seq !== seq) throw new Halted();
  });
  let [bytes, checksum] = [0, 0];
  for (const part of parts) {
    bytes += part.length;
    checksum = crc32(part, checksum);
  }
  return { head: { ...head, bytes, chunks: 0, checksum }, parts };
}

/** A snapshot's bytes are not those that were stored. */
export class DamagedSnapshot extends Error {
  override readonly name = 'DamagedSnapshot';
}

/** @throws DamagedSnapshot the bytes are not those that the head tells of */
export function checkState(head: StoreSnapshotRecord, state: Uint8Array): void {
  if (state.length !== head.bytes) throw new DamagedSnapshot(`${state.length} of ${head.bytes} bytes are there`);
  if (crc32(state) !== head.checksum) throw new DamagedSnapshot('the checksum is another');
}

/**
 * Sets the actor to where the snapshot was taken.
 * @throws DamagedSnapshot, or another Error when the bytes are of another format; what a pause rejects with
 */
export async function restore(
  core: ActorCore,
  head: StoreSnapshotRecord,
  state: Uint8Array,
  pause: Pause,
): Promise<void> {
  checkState(head, state);
  const image = (await decodePlain(state, pause)) as Image;
  core.state = migrated(core.kind, head.stateVersion, image.state);
  core.dedupe = Dedupe.from(image.sources);
  core.answered = image.answered && Answered.from(image.answered);
  core.atMs = image.atMs;
  core.seq = head.seq;
}

/** Snapshots of that version can be read, unless their migration throws. */
export const readsVersion = ({ stateVersion, migrate }: AnyKind, version: number): boolean =>
  version === stateVersion || (version < stateVersion && migrate !== undefined);

function migrated(kind: AnyKind, version: number, state: unknown): unknown {
  return version === kind.stateVersion ? state : kind.migrate?.(version, state);
}

/** Of an entry's row besides its events: its key, and where it comes from. */
const ENTRY_BYTES = 64;

/** About as many bytes as the entry takes in the journal. */
export function entryBytes({ events, answered }: StoreJournalRecord): number {
  let bytes = ENTRY_BYTES;
  for (const { type, payload } of events) bytes += type.length + payload.length;
  if (answered !== undefined) bytes += answered.key.length + answered.reply.length;
  return bytes;
}
