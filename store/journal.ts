import type { StoreJournalRecord } from '../proto/gen/types.js';
import { put, type Row, type RowWrite, type Tables } from './port.js';
import { JOURNAL_BUCKET, journal } from './tables.js';

/** What a stored entry holds, as the journal sees it. */
export interface JournalEntry<T> {
  readonly seq: number;
  readonly epoch: number;
  readonly record: T;
}

/** Another activation, of a later epoch, has written this actor's journal: the writer is not its owner any more. */
export class JournalConflict extends Error {
  override readonly name = 'JournalConflict';
}

/** The journal does not continue where the reader asked it to: a snapshot ahead of it, or a lost entry. */
export class JournalGap extends Error {
  override readonly name = 'JournalGap';
}

/** Bounds one group append: what an actor decides while the one before it becomes durable. */
export const APPEND_RECORDS_MAX = 128;
/** Bounds one write of a large group, far below Cassandra's largest mutation (16 MiB). */
const APPEND_BYTES_MAX = 1_048_576;
/** Rows per page of a replay: a few hundred kilobytes. */
const PAGE_ROWS = 1_000;
/**
 * Failed writes that one epoch can tell apart. An epoch (a version of the shard map) then has 31 bits, and both fit
 * a safe integer.
 */
const GENERATIONS = 2 ** 22;

type JournalRow = Row<typeof journal.partition, typeof journal.clustering, StoreJournalRecord>;

/**
 * Append-only log, one per actor, entries numbered 1, 2, 3, …. Any node can write a row at any time: fencing is done
 * by the reader, which follows the epochs. Rows are keyed (seq, fence), fence = epoch and generation; at one seq the
 * highest fence wins, and a row below an earlier accepted fence is a fenced writer's and is passed over.
 *
 * The generation grows with each failed append of this process. Such a write may surface later, on top of another
 * history that the next activation wrote under the same epoch; its lower generation tells it apart.
 */
export class Journal {
  private generation = 0;

  constructor(private readonly tables: Tables) {}

  /**
   * Stores the records as entries afterSeq + 1, afterSeq + 2, …; each whole, and none without those before it.
   * Durable when resolved. `alongside` (rows of other tables) is written in the same step: with LMDB in the same
   * transaction, with Cassandra in parallel. One append of an actor at a time; after a rejection read the journal again.
   * @param afterSeq the last entry's seq; 0 for a new actor
   * @throws Unavailable when the store failed; the entries may be there or turn up later
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
    try {
      await this.appendAs(actor, afterSeq, fenceOf(epoch, generation), records, alongside);
    } catch (error) {
      if (this.generation === generation) this.generation = generation + 1;
      throw error;
    }
  }

  /**
   * Entries with seq > afterSeq, ascending, without gaps. `epoch` is the reader's own.
   * @throws JournalConflict a later epoch has written; JournalGap entry afterSeq or one behind it is missing
   */
  async *read(actor: string, afterSeq: number, epoch: number): AsyncGenerator<JournalEntry<StoreJournalRecord>> {
    const replay = new Replay(afterSeq);
    let bucket = bucketOf(afterSeq);
    // The entry afterSeq itself is read too: its fence decides on those behind it.
    let after: { seq: number; epoch?: number } | undefined = afterSeq === 0 ? undefined : { seq: afterSeq - 1 };
    for (;;) {
      const rows = await this.tables.range(journal, { actor, bucket }, { ...(after && { after }), limit: PAGE_ROWS });
      for (const row of rows) {
        if (epochOf(row.key.epoch) > epoch) {
          throw new JournalConflict(
            `${actor}: entry ${row.key.seq} is of epoch ${epochOf(row.key.epoch)}, ours is ${epoch}`,
          );
        }
        const entry = replay.offer(row);
        if (entry !== undefined) yield entry;
      }
      const last = rows.at(-1);
      if (rows.length === PAGE_ROWS && last !== undefined) {
        after = { seq: last.key.seq, epoch: last.key.epoch };
        continue;
      }
      const entry = replay.flush();
      if (entry !== undefined) yield entry;
      replay.checkBegun(actor);
      if (bucketOf(replay.seq + 1) === bucket) return;
      bucket += 1;
      after = undefined;
    }
  }

  private async appendAs(
    actor: string,
    afterSeq: number,
    fence: number,
    records: readonly StoreJournalRecord[],
    alongside: readonly RowWrite[],
  ): Promise<void> {
    let rows: RowWrite[] = [...alongside];
    let bytes = 0;
    let seq = afterSeq;
    for (const record of records) {
      seq += 1;
      rows.push(put(journal, { actor, bucket: bucketOf(seq), seq, epoch: fence }, record));
      for (const event of record.events) bytes += event.payload.length;
      // In order, so that a failure never leaves a hole.
      if (bytes >= APPEND_BYTES_MAX) {
        await this.tables.write(rows);
        rows = [];
        bytes = 0;
      }
    }
    if (rows.length > 0) await this.tables.write(rows);
  }
}

/** Picks the valid entries out of rows that come in order of (seq, fence). */
class Replay {
  /** The last valid entry's. */
  seq: number;
  private fence = -1;
  private candidate: JournalRow | undefined;

  constructor(private readonly afterSeq: number) {
    this.seq = afterSeq === 0 ? 0 : afterSeq - 1;
  }

  /** Takes the next row; gives the entry that is now certain, if it is one the reader asked for. */
  offer(row: JournalRow): JournalEntry<StoreJournalRecord> | undefined {
    const done = this.candidate !== undefined && this.candidate.key.seq !== row.key.seq ? this.flush() : undefined;
    if (row.key.epoch >= this.fence) this.candidate = row;
    return done;
  }

  /** No more rows of the candidate's seq. */
  flush(): JournalEntry<StoreJournalRecord> | undefined {
    const row = this.candidate;
    if (row === undefined) return undefined;
    this.candidate = undefined;
    const { actor, seq, epoch } = row.key;
    if (seq !== this.seq + 1) throw new JournalGap(`${actor}: entry ${this.seq + 1} is missing before ${seq}`);
    this.seq = seq;
    this.fence = epoch;
    return seq > this.afterSeq ? { seq, epoch: epochOf(epoch), record: row.value } : undefined;
  }

  checkBegun(actor: string): void {
    if (this.seq < this.afterSeq) throw new JournalGap(`${actor}: entry ${this.afterSeq} is missing`);
  }
}

function fenceOf(epoch: number, generation: number): number {
  const fence = epoch * GENERATIONS + generation;
  if (generation >= GENERATIONS || !Number.isSafeInteger(fence)) throw new RangeError(`epoch ${epoch} is exhausted`);
  return fence;
}

const epochOf = (fence: number): number => Math.floor(fence / GENERATIONS);
const bucketOf = (seq: number): number => Math.floor(seq / JOURNAL_BUCKET);
