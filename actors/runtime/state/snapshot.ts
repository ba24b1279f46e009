import { crc32 } from 'node:zlib';
import type { StoreJournalRecord, StoreSnapshotRecord } from '../../../proto/gen/types.js';
import { Cancelled } from '../asking/cancellation.js';
import { Dedupe, type SourceMark } from '../asking/dedupe.js';
import { RepliesByKey } from '../asking/replies-by-key.js';
import type { AnyKind } from '../kind.js';
import type { ActorCore } from './core.js';
import { decodePlain, encodePlain, type Pause } from './plain-lines.js';

/**
 * Bytes per row of a state that is too large for its snapshot's own row. Cassandra accepts mutations of half a commit
 * log segment: 16 MiB by default, and 4 MiB if an operator has made segments small.
 */
const CHUNK_BYTES = 1_048_576;

interface Image {
  readonly state: unknown;
  readonly sources: readonly SourceMark[];
  readonly atMs: number;
  /** Absent when there are none. */
  readonly answered?: ReturnType<RepliesByKey['marks']>;
}

/** The fields of a snapshot besides the state. */
export interface CaptureNotes {
  /** The last entries whose effects are done, by lane. */
  readonly beforeReply: number;
  readonly afterReply: number;
  /** Epoch of the actor's last entry. */
  readonly epoch: number;
  readonly atMs: number;
  /** Seq of the first entry in the journal; none before it is left. */
  readonly journalFrom: number;
}

/** A snapshot before it is stored. */
export interface Captured {
  /** The snapshot's row without the state. */
  readonly head: StoreSnapshotRecord;
  /** The state, in parts of CHUNK_BYTES. */
  readonly parts: readonly Buffer[];
}

/**
 * Encodes the current state of the actor, all of which must be stored already. Yields to the event loop between parts
 * of a large state.
 * @throws Cancelled when the actor has changed meanwhile; rejections of a pause
 */
export async function capture(core: ActorCore, notes: CaptureNotes, pause: Pause): Promise<Captured> {
  const answered = core.answered?.marks({ wallMs: core.atMs, steadyMs: core.steadyMs });
  const { state: live, atMs, seq } = core;
  const image: Image = { state: live, sources: core.dedupe.marks(), atMs, ...(answered?.length && { answered }) };
  const head = { ...notes, seq, stateVersion: core.kind.stateVersion };
  const parts = await encodePlain(image, CHUNK_BYTES, async () => {
    await pause();
    if (core.seq !== seq) throw new Cancelled();
  });
  const sum = new StateSum();
  for (const part of parts) sum.add(part);
  return { head: { ...head, bytes: sum.bytes, chunks: 0, checksum: sum.checksum }, parts };
}

/** The bytes of a snapshot differ from those that were stored. */
export class DamagedSnapshot extends Error {
  override readonly name = 'DamagedSnapshot';
}

/** The length and checksum of an encoded state. */
export class StateSum {
  bytes = 0;
  checksum = 0;

  add(part: Uint8Array): void {
    this.bytes += part.length;
    this.checksum = crc32(part, this.checksum);
  }

  /**
   * Compares length and checksum with the head.
   * @throws DamagedSnapshot when they differ
   */
  check(head: StoreSnapshotRecord): void {
    if (this.bytes !== head.bytes) throw new DamagedSnapshot(`the state has ${this.bytes} of ${head.bytes} bytes`);
    if (this.checksum !== head.checksum) throw new DamagedSnapshot('the checksum differs');
  }
}

/**
 * Sets the actor to the state of the snapshot.
 * @throws DamagedSnapshot, or another Error when the bytes have another format; rejections of a pause
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
  core.answered = image.answered && RepliesByKey.from(image.answered);
  core.atMs = image.atMs;
  core.seq = head.seq;
}

/** True when snapshots of that version can be read, unless their migration throws. */
export const readsVersion = ({ stateVersion, migrate }: AnyKind, version: number): boolean =>
  version === stateVersion || (version < stateVersion && migrate !== undefined);

function migrated(kind: AnyKind, version: number, state: unknown): unknown {
  return version === kind.stateVersion ? state : kind.migrate?.(version, state);
}

/** Bytes of an entry's row besides its events: its key and its cause. */
const ENTRY_BYTES = 64;

/** Returns about as many bytes as the entry takes in the journal. */
export function entryBytes({ events, answered }: StoreJournalRecord): number {
  let bytes = ENTRY_BYTES;
  for (const { type, payload } of events) bytes += type.length + payload.length;
  if (answered !== undefined) bytes += answered.key.length + answered.reply.length;
  return bytes;
}
