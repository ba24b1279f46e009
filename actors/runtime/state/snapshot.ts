import { crc32 } from 'node:zlib';
import type { StoreJournalRecord, StoreSnapshotRecord } from '../../../proto/gen/types.js';
import { Halted } from '../asking/cancellation.js';
import { Dedupe, type SourceMark } from '../asking/dedupe.js';
import { Answered } from '../asking/replies-by-key.js';
import type { AnyKind } from '../kind.js';
import type { ActorCore } from './core.js';
import { decodePlain, encodePlain, type Pause } from './plain-lines.js';

/**
 * Bytes in one row of a state that is too large for its snapshot's own row. Cassandra takes mutations of half a
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

/** The fields of a snapshot besides the state. */
export interface CaptureNotes {
  /** How far the effects of each lane are done. */
  readonly beforeReply: number;
  readonly afterReply: number;
  /** Epoch of the actor's last entry. */
  readonly epoch: number;
  readonly atMs: number;
  /** The journal has no entries before this one. */
  readonly journalFrom: number;
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
 * @throws Halted when the actor has gone on meanwhile; what a pause rejects with
 */
export async function capture(core: ActorCore, notes: CaptureNotes, pause: Pause): Promise<Captured> {
  const answered = core.answered?.marks({ wallMs: core.atMs, steadyMs: core.steadyMs });
  const { state: live, atMs, seq } = core;
  const image: Image = { state: live, sources: core.dedupe.marks(), atMs, ...(answered?.length && { answered }) };
  const head = { ...notes, seq, stateVersion: core.kind.stateVersion };
  const parts = await encodePlain(image, CHUNK_BYTES, async () => {
    await pause();
    if (core.seq !== seq) throw new Halted();
  });
  const sum = new StateSum();
  for (const part of parts) sum.add(part);
  return { head: { ...head, bytes: sum.bytes, chunks: 0, checksum: sum.checksum }, parts };
}

/** A snapshot's bytes are not those that were stored. */
export class DamagedSnapshot extends Error {
  override readonly name = 'DamagedSnapshot';
}

/** How many bytes a state has, and their checksum. */
export class StateSum {
  bytes = 0;
  checksum = 0;

  add(part: Uint8Array): void {
    this.bytes += part.length;
    this.checksum = crc32(part, this.checksum);
  }

  /** @throws DamagedSnapshot the head tells of other bytes */
  check(head: StoreSnapshotRecord): void {
    if (this.bytes !== head.bytes) throw new DamagedSnapshot(`${this.bytes} of ${head.bytes} bytes are there`);
    if (this.checksum !== head.checksum) throw new DamagedSnapshot('the checksum is another');
  }
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
  const sum = new StateSum();
  sum.add(state);
  sum.check(head);
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

/** Bytes of an entry's row besides its events: its key, and where it comes from. */
const ENTRY_BYTES = 64;

/** About as many bytes as the entry takes in the journal. */
export function entryBytes({ events, answered }: StoreJournalRecord): number {
  let bytes = ENTRY_BYTES;
  for (const { type, payload } of events) bytes += type.length + payload.length;
  if (answered !== undefined) bytes += answered.key.length + answered.reply.length;
  return bytes;
}
