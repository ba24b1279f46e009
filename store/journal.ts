import { WriteRefused } from '../actors/domain/problem.js';
import type { StoreJournalRecord } from '../proto/gen/types.js';
import { Cache, type Caches } from './cache/cache.js';
import { put, type Row, type RowWrite, type Tables } from './port.js';
import { JOURNAL_BUCKET, journal } from './tables.js';

/** A stored entry. */
export interface JournalEntry<T> {
  readonly seq: number;
  readonly epoch: number;
  readonly record: T;
}

/** Another activation with a later epoch has written this actor's journal: the writer no longer owns the actor. */
export class JournalConflict extends Error {
  override readonly name = 'JournalConflict';
}

/** The journal does not continue where the reader asked: a snapshot is ahead of it, or an entry is lost. */
export class JournalGap extends Error {
  override readonly name = 'JournalGap';
}

/** The first entries of the journal have been removed: the rest is useless without a snapshot. */
export class JournalTrimmed extends Error {
  override readonly name = 'JournalTrimmed';
}

/** Maximum number of records in one append: those that an actor decides while the previous append becomes durable. */
export const APPEND_RECORDS_MAX = 128;
/** Maximum size of one write of a large group, far below Cassandra's largest mutation (16 MiB). */
const APPEND_BYTES_MAX = 1_048_576;
/** Rows per page of a replay: a few hundred kilobytes. */
const PAGE_ROWS = 1_000;
/**
 * Number of failed writes that one epoch can distinguish. It leaves 31 bits for an epoch (a version of the shard map),
 * so that both fit a safe integer.
 */
const GENERATIONS = 2 ** 22;

/** Maximum number of actors whose journal end is cached: half is more than a node holds. A dropped one is read again. */
const TAILS_MAX = 200_000;

type JournalRow = Row<typeof journal.partition, typeof journal.clustering, StoreJournalRecord>;

/** The place of an entry; `fence` is undefined where any fence is accepted. */
interface Position {
  readonly seq: number;
  readonly fence: number | undefined;
}
const START: Position = { seq: 0, fence: 0 };
/**
 * The seq of the row that records a trim. It is written before the first entry is removed and stays for ever, so a
 * journal that has lost its first entries, or all of them, never reads like that of a new actor.
 */
const TRIM_SEQ = 0;
const TRIMMED: StoreJournalRecord = { atMs: 0, events: [] };

/**
 * Append-only log, one per actor; entries are numbered 1, 2, 3, …. Any node can write a row at any time: the reader
 * does the fencing. Rows are keyed (seq, fence), where the fence is epoch and generation, and each row carries the
 * fence of its predecessor. The history is the chain that ends with the row of the highest fence. An owner reads all
 * acknowledged rows before it writes, so a row outside its chain was never acknowledged.
 *
 * The generation grows with each failed append of this process. Such a write may surface later, beside the history that
 * the next activation wrote under the same epoch; its lower generation distinguishes it.
 */
export class Journal {
  private generation = 0;
  /** The end of each actor's journal as this process last read or wrote it. */
  private readonly tails: Cache<Position>;

  constructor(
    private readonly tables: Tables,
    caches?: Caches,
  ) {
    this.tails = new Cache('journal_ends', TAILS_MAX, caches);
  }

  /**
   * Stores the records as entries afterSeq + 1, afterSeq + 2, …. Each is stored whole, and none without its
   * predecessors. Durable when resolved. `alongside` (rows of other tables) is written in the same step: with LMDB in
   * the same transaction, with Cassandra in parallel. Allow one append of an actor at a time; read the journal again
   * after a rejection.
   * @param afterSeq seq of the last entry; 0 for a new actor
   * @throws Unavailable when the store failed; the entries may be stored, or surface later
   */
  async append(
    actor: string,
    afterSeq: number,
    epoch: number,
    records: readonly StoreJournalRecord[],
    alongside: readonly RowWrite[] = [],
  ): Promise<void> {
    if (records.length > APPEND_RECORDS_MAX) throw new RangeError(`${records.length} records in one append`);
    const { generation } = this;
    const fence = fenceOf(epoch, generation);
    try {
      const previous = this.knownFence(actor, afterSeq) ?? (await this.fenceAt(actor, afterSeq, epoch));
      await this.appendAs(actor, { seq: afterSeq, fence: previous }, fence, records, alongside);
      this.tails.set(actor, { seq: afterSeq + records.length, fence });
    } catch (error) {
      if (!(error instanceof WriteRefused) && this.generation === generation) this.generation = generation + 1;
      throw error;
    }
  }

  /**
   * Returns true if this process wrote the last entry that was read or appended, and no failed append since then may
   * still surface: no other history can then win over it.
   */
  isCertain(actor: string, epoch: number): boolean {
    return this.tails.get(actor)?.fence === fenceOf(epoch, this.generation);
  }

  /**
   * Yields the entries with seq > afterSeq, ascending, without gaps. `epoch` is the reader's own.
   * @throws JournalConflict a later epoch has written; JournalGap entry afterSeq or a later one is missing;
   *   JournalTrimmed when afterSeq is 0 and the first entries have been removed
   */
  async *read(actor: string, afterSeq: number, epoch: number): AsyncGenerator<JournalEntry<StoreJournalRecord>> {
    // Reads entry afterSeq too: its successors must have been written upon it.
    let tail: Position = afterSeq === 0 ? START : { seq: afterSeq - 1, fence: undefined };
    const rows = this.rows(actor, tail.seq + 1, epoch);
    let row = (await rows.next()).value;
    while (row !== undefined) {
      const next: JournalRow | undefined = (await rows.next()).value;
      if (next?.key.seq === row.key.seq || !follows(row, tail)) {
        // Fenced writers have left rows: only the complete set of rows shows which ones are valid.
        const rest = [row, ...(next === undefined ? [] : [next])];
        for await (const other of rows) rest.push(other);
        for (const valid of chain(actor, tail, rest)) {
          tail = { seq: valid.key.seq, fence: valid.key.epoch };
          if (tail.seq > afterSeq) yield entryOf(valid);
        }
        break;
      }
      tail = { seq: row.key.seq, fence: row.key.epoch };
      if (tail.seq > afterSeq) yield entryOf(row);
      row = next;
    }
    if (tail.seq < afterSeq) throw new JournalGap(`${actor}: entry ${afterSeq} is missing`);
    this.tails.set(actor, tail);
  }

  /**
   * Removes the entries before `beforeSeq`, and late rows of former owners among them. Snapshots of entry beforeSeq + 1
   * or later must be durable: without one the actor cannot be read any more. Durable when resolved. After a rejection
   * some entries may be removed.
   * @param fromSeq all entries before it have been removed already
   * @param goesOn called before each bucket; false stops the trim
   * @returns false when `goesOn` stopped the trim
   */
  async trim(actor: string, fromSeq: number, beforeSeq: number, goesOn: () => boolean): Promise<boolean> {
    if (beforeSeq <= 1) return true;
    await this.tables.write([put(journal, { actor, bucket: 0, seq: TRIM_SEQ, epoch: 0 }, TRIMMED)]);
    const last = bucketOf(beforeSeq - 1);
    for (let bucket = bucketOf(fromSeq); bucket <= last; bucket++) {
      if (!goesOn()) return false;
      await this.tables.removeRange(
        journal,
        { actor, bucket },
        {
          ...(bucket === 0 && { after: { seq: TRIM_SEQ } }),
          ...(bucketOf(beforeSeq) === bucket && { before: { seq: beforeSeq } }),
        },
      );
    }
    return true;
  }

  /** Yields all rows from that seq on, of any fence, in order of (seq, fence). */
  private async *rows(actor: string, fromSeq: number, epoch: number): AsyncGenerator<JournalRow, undefined> {
    let bucket = bucketOf(fromSeq);
    let lastSeq = fromSeq - 1;
    // A read from the first entry includes the row that records a trim.
    let after: { seq: number; epoch?: number } | undefined = fromSeq === 1 ? undefined : { seq: fromSeq - 1 };
    for (;;) {
      const rows: JournalRow[] = await this.tables.range(
        journal,
        { actor, bucket },
        { ...(after && { after }), limit: PAGE_ROWS },
      );
      for (const row of rows) {
        if (row.key.seq === TRIM_SEQ) throw new JournalTrimmed(`${actor}: the first entries have been removed`);
        if (epochOf(row.key.epoch) > epoch) {
          const found = `entry ${row.key.seq} is of epoch ${epochOf(row.key.epoch)}`;
          throw new JournalConflict(`${actor}: ${found}, ours is ${epoch}`);
        }
        yield row;
      }
      const last: JournalRow | undefined = rows.at(-1);
      lastSeq = last?.key.seq ?? lastSeq;
      if (rows.length === PAGE_ROWS && last !== undefined) {
        after = { seq: last.key.seq, epoch: last.key.epoch };
        continue;
      }
      if (bucketOf(lastSeq + 1) === bucket) return undefined;
      bucket += 1;
      after = undefined;
    }
  }

  /** Returns the fence of the journal's last entry if the cache knows that entry as the last one. */
  private knownFence(actor: string, seq: number): number | undefined {
    if (seq === 0) return 0;
    const tail = this.tails.get(actor);
    return tail?.seq === seq ? tail.fence : undefined;
  }

  /** Returns the same from the store. */
  private async fenceAt(actor: string, seq: number, epoch: number): Promise<number> {
    if (this.tails.get(actor)?.seq !== seq) for await (const _ of this.read(actor, seq, epoch));
    const tail = this.tails.get(actor);
    if (tail?.fence === undefined || tail.seq !== seq) {
      throw new JournalConflict(`${actor}: the journal does not end with entry ${seq}`);
    }
    return tail.fence;
  }

  private async appendAs(
    actor: string,
    after: Position,
    fence: number,
    records: readonly StoreJournalRecord[],
    alongside: readonly RowWrite[],
  ): Promise<void> {
    let rows: RowWrite[] = [...alongside];
    let bytes = 0;
    let { seq, fence: previousFence } = after;
    for (const record of records) {
      seq += 1;
      const bucket = bucketOf(seq);
      rows.push(put(journal, { actor, bucket, seq, epoch: fence }, { ...record, previousFence }));
      previousFence = fence;
      for (const event of record.events) bytes += event.payload.length;
      // In order, one partition after the other, so that a failure never leaves a gap.
      if (bytes >= APPEND_BYTES_MAX || bucketOf(seq + 1) !== bucket) {
        await this.tables.write(rows);
        rows = [];
        bytes = 0;
      }
    }
    if (rows.length > 0) await this.tables.write(rows);
  }
}

/** Returns true if the row was written upon that entry. */
function follows(row: JournalRow, { seq, fence }: Position): boolean {
  if (row.key.seq !== seq + 1) return false;
  return fence === undefined || (row.value.previousFence === fence && row.key.epoch >= fence);
}

/**
 * Returns the valid rows after `tail`: from the row of the highest fence (the last of that fence) back along the chain
 * of predecessors. Returns none when all rows have fences below the tail's.
 * @throws JournalGap when the chain breaks: a stored entry has been lost
 */
function chain(actor: string, tail: Position, rows: readonly JournalRow[]): JournalRow[] {
  const at = new Map(rows.map((row) => [`${row.key.seq} ${row.key.epoch}`, row]));
  let row = rows.reduce((best, other) => (other.key.epoch >= best.key.epoch ? other : best));
  if (tail.fence !== undefined && row.key.epoch < tail.fence) return [];
  const valid: JournalRow[] = [];
  for (;;) {
    valid.push(row);
    if (follows(row, tail)) return valid.reverse();
    const { seq } = row.key;
    const before = at.get(`${seq - 1} ${row.value.previousFence}`);
    if (before === undefined) throw new JournalGap(`${actor}: entry ${seq - 1} is missing before ${seq}`);
    row = before;
  }
}

function entryOf({ key, value }: JournalRow): JournalEntry<StoreJournalRecord> {
  const { previousFence: _, ...record } = value;
  return { seq: key.seq, epoch: epochOf(key.epoch), record };
}

function fenceOf(epoch: number, generation: number): number {
  const fence = epoch * GENERATIONS + generation;
  if (generation >= GENERATIONS || !Number.isSafeInteger(fence)) throw new RangeError(`epoch ${epoch} is exhausted`);
  return fence;
}

const epochOf = (fence: number): number => Math.floor(fence / GENERATIONS);
const bucketOf = (seq: number): number => Math.floor(seq / JOURNAL_BUCKET);
