import { isDeepStrictEqual } from 'node:util';
import type { StoreSnapshotRecord } from '../../../proto/gen/types.js';
import { put, type ReadTables, type Tables } from '../../../store/port.js';
import { snapshotChunks, snapshots } from '../../../store/tables.js';
import { type Captured, DamagedSnapshot, StateSum } from './snapshot.js';

/** Largest state that is stored in its snapshot's own row. Nearly all states fit. */
const INLINE_BYTES_MAX = 65_536;

/** The position of a stored snapshot among those of its actor. */
export interface SnapshotPlace {
  readonly seq: number;
  readonly atMs: number;
}

/** Returns the actor's newest snapshot, or the newest before that position. */
export async function newestSnapshot(
  tables: ReadTables,
  actor: string,
  before?: SnapshotPlace,
): Promise<StoreSnapshotRecord | undefined> {
  const bound = before && { seq: before.seq, atMs: before.atMs };
  const [row] = await tables.range(snapshots, { actor }, { before: bound, reverse: true, limit: 1 });
  return row?.value;
}

/**
 * Reads the encoded state of a snapshot, without checking it.
 * @throws DamagedSnapshot when a chunk is missing
 */
export async function stateOf(tables: ReadTables, actor: string, head: StoreSnapshotRecord): Promise<Uint8Array> {
  if (head.state !== undefined) return head.state;
  const { seq, atMs } = head;
  const chunks: Uint8Array[] = [];
  // Reads chunks one after the other, so that memory holds only the state and one chunk.
  for (let number = 0; number < head.chunks; number++) {
    const chunk = await tables.get(snapshotChunks, { actor, seq, atMs, number });
    if (chunk === undefined) throw new DamagedSnapshot(`chunk ${number} of ${head.chunks} is missing`);
    chunks.push(chunk.bytes);
  }
  return Buffer.concat(chunks);
}

/** Returns a snapshot's row without the state. */
export function headOf({ state: _, ...head }: StoreSnapshotRecord): StoreSnapshotRecord {
  return head;
}

/**
 * Reads a stored snapshot back, without decoding it.
 * @throws DamagedSnapshot when the stored bytes differ from those that were taken
 */
export async function verifySnapshot(tables: ReadTables, actor: string, head: StoreSnapshotRecord): Promise<void> {
  const { seq, atMs } = head;
  const stored = await tables.get(snapshots, { actor, seq, atMs });
  if (stored === undefined) throw new DamagedSnapshot('the snapshot is missing');
  if (!isDeepStrictEqual(headOf(stored), headOf(head))) throw new DamagedSnapshot('the stored head differs');
  const sum = new StateSum();
  if (stored.state !== undefined) sum.add(stored.state);
  for (let number = 0; number < stored.chunks; number++) {
    const chunk = await tables.get(snapshotChunks, { actor, seq, atMs, number });
    if (chunk !== undefined) sum.add(chunk.bytes);
  }
  sum.check(head);
}

/**
 * Stores a snapshot. The head is written last, so a snapshot that can be found is whole. Durable when resolved.
 * @param goesOn checked before each row
 * @returns the stored head; undefined when `goesOn` returned false
 */
export async function storeSnapshot(
  tables: Tables,
  actor: string,
  { head, parts }: Captured,
  goesOn: () => boolean,
): Promise<StoreSnapshotRecord | undefined> {
  const { seq, atMs } = head;
  const isInline = head.bytes <= INLINE_BYTES_MAX;
  for (const [number, bytes] of isInline ? [] : parts.entries()) {
    if (!goesOn()) return undefined;
    await tables.write([put(snapshotChunks, { actor, seq, atMs, number }, { bytes })]);
  }
  if (!goesOn()) return undefined;
  const stored = isInline ? { ...head, state: Buffer.concat(parts) } : { ...head, chunks: parts.length };
  await tables.write([put(snapshots, { actor, seq, atMs }, stored)]);
  return stored;
}

/** Removes all snapshots older than that one. A repetition completes a removal that stopped half-way. */
export async function removeSnapshotsBefore(tables: Tables, actor: string, place: SnapshotPlace): Promise<void> {
  const before = { seq: place.seq, atMs: place.atMs };
  await tables.removeRange(snapshots, { actor }, { before });
  await tables.removeRange(snapshotChunks, { actor }, { before });
}
