import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { StoreJournalRecord } from '../../proto/gen/types.js';
import { APPEND_RECORDS_MAX, Journal, JournalConflict, JournalGap, JournalTrimmed } from '../../store/journal.js';
import { put, remove, type Tables } from '../../store/port.js';
import { JOURNAL_BUCKET, journal as journalTable } from '../../store/tables.js';
import { event, others } from './contract-tables.js';
import type { ContractStore } from './tables-contract.js';

const labelOf = ({ events }: StoreJournalRecord) => events[0]?.type ?? '';
const record = (label: string): StoreJournalRecord => ({ atMs: 1, events: [event(label, Buffer.from(label))] });
const labels = (from: number, count: number, by = '') =>
  Array.from({ length: count }, (_, n) => record(`${from + n}${by}`));

/** A store under test. */
interface Subject {
  readonly tables: () => Tables;
  readonly fresh: () => Journal;
  /** Returns the name of an actor without a journal. */
  readonly actor: () => string;
}

/** The contract of a journal on every adapter. */
export function journalContract(name: string, open: () => Promise<ContractStore>): void {
  describe(`journal: ${name}`, () => {
    let store: ContractStore;
    let actors = 0;
    before(async () => {
      store = await open();
    });
    after(async () => {
      await store?.destroy();
    });
    const tables = () => store.tables;
    const subject: Subject = { tables, fresh: () => new Journal(tables()), actor: () => `account/${++actors}` };
    entriesContract(subject);
    epochsContract(subject);
    failedWritesContract(subject);
    trimsContract(subject);
  });
}

function entriesContract({ tables, fresh, actor }: Subject): void {
  test('entries are read in order, from any point', async () => {
    const [journal, of] = [fresh(), actor()];
    await journal.append(of, 0, 1, labels(1, 3));
    await journal.append(of, 3, 1, labels(4, 2));
    assert.deepEqual(await read(journal, of, 0, 1), ['1', '2', '3', '4', '5']);
    assert.deepEqual(await read(journal, of, 3, 1), ['4', '5']);
    assert.deepEqual(await read(journal, of, 5, 1), []);
    assert.deepEqual(await read(journal, actor(), 0, 1), []);
  });

  test('rows given alongside are written with the entries', async () => {
    const [journal, of] = [fresh(), actor()];
    const key = { owner: of, part: 1 };
    await journal.append(of, 0, 1, labels(1, 1), [put(others, key, event('mark'))]);
    assert.equal((await tables().get(others, key))?.type, 'mark');
  });

  test('a journal continues across buckets and pages', async () => {
    const [journal, of] = [fresh(), actor()];
    const first = JOURNAL_BUCKET - 1_100;
    // The reader starts at a snapshot's seq, so that the test need not write ten thousand entries.
    await tables().write([put(journalTable, { actor: of, bucket: 0, seq: first, epoch: 0 }, record(`${first}`))]);
    for (let seq = first; seq < JOURNAL_BUCKET + 100; seq += 100)
      await journal.append(of, seq, 1, labels(seq + 1, 100));
    const found = await read(journal, of, first, 1);
    assert.deepEqual(
      found,
      Array.from({ length: found.length }, (_, n) => `${first + 1 + n}`),
    );
    assert.equal(found.length, 1_200);
    assert.deepEqual(
      await read(journal, of, JOURNAL_BUCKET - 1, 1),
      await read(journal, of, JOURNAL_BUCKET, 1).then((rest) => [`${JOURNAL_BUCKET}`, ...rest]),
    );
  });

  test('a snapshot ahead of the journal is an error', async () => {
    const [journal, of] = [fresh(), actor()];
    await journal.append(of, 0, 1, labels(1, 2));
    await assert.rejects(read(journal, of, 3, 1), JournalGap);
    await assert.rejects(journal.append(of, 3, 1, labels(4, 1)), JournalGap);
  });

  test('the loss of a stored entry is an error', async () => {
    const [journal, of] = [fresh(), actor()];
    await journal.append(of, 0, 1, labels(1, 3));
    const [second] = (
      await tables().range(journalTable, { actor: of, bucket: 0 }, { after: { seq: 1 }, limit: 1 })
    ).map((row) => row.key);
    assert.equal(second?.seq, 2);
    await tables().write([remove(journalTable, second as NonNullable<typeof second>)]);
    await assert.rejects(read(fresh(), of, 0, 1), JournalGap);
  });

  test('more records than one append may hold are refused', async () => {
    await assert.rejects(fresh().append(actor(), 0, 1, labels(1, APPEND_RECORDS_MAX + 1)), RangeError);
  });
}

function epochsContract({ fresh, actor }: Subject): void {
  test('at one seq the later epoch counts, and later rows of a fenced writer are ignored', async () => {
    const [fenced, journal, of] = [fresh(), fresh(), actor()];
    await fenced.append(of, 0, 5, labels(1, 2, ' of 5'));
    await journal.append(of, 2, 6, labels(3, 1, ' of 6'));
    await fenced.append(of, 2, 5, labels(3, 3, ' late'));
    assert.deepEqual(await read(journal, of, 0, 6), ['1 of 5', '2 of 5', '3 of 6']);
    await journal.append(of, 3, 7, labels(4, 1, ' of 7'));
    assert.deepEqual(await read(journal, of, 0, 7), ['1 of 5', '2 of 5', '3 of 6', '4 of 7']);
    assert.deepEqual(await read(journal, of, 3, 7), ['4 of 7']);
  });

  test('after a snapshot, too, the epoch of the snapshot’s entry identifies a fenced writer', async () => {
    const [fenced, journal, of] = [fresh(), fresh(), actor()];
    await fenced.append(of, 0, 5, labels(1, 1));
    await journal.append(of, 1, 6, labels(2, 1));
    await fenced.append(of, 1, 5, labels(2, 3, ' late'));
    assert.deepEqual(await read(journal, of, 2, 6), []);
    assert.deepEqual(await read(journal, of, 0, 6), ['1', '2']);
  });

  test('a reader with an outdated epoch gets a conflict', async () => {
    const [journal, of] = [fresh(), actor()];
    await journal.append(of, 0, 5, labels(1, 1));
    await journal.append(of, 1, 6, labels(2, 1));
    await assert.rejects(read(journal, of, 0, 5), JournalConflict);
    await assert.rejects(read(journal, of, 1, 5), JournalConflict);
    assert.deepEqual(await read(journal, of, 0, 6), ['1', '2']);
  });

  test('an owner that does not know the journal’s end does not append', async () => {
    const [journal, of] = [fresh(), actor()];
    await journal.append(of, 0, 1, labels(1, 3));
    await assert.rejects(fresh().append(of, 2, 2, labels(3, 1)), JournalConflict);
  });
}

function failedWritesContract({ tables, fresh, actor }: Subject): void {
  test('late writes of two earlier owners hide nothing that a third one acknowledged after the first', async () => {
    const of = actor();
    const [lateOf6, lateOf7]: (() => Promise<void>)[][] = [[], []];
    await fresh().append(of, 0, 5, labels(1, 1));
    const six = new Journal(losingFirst(tables(), lateOf6 ?? []));
    await assert.rejects(six.append(of, 1, 6, labels(2, 2, ' of 6')));
    const seven = new Journal(losingFirst(tables(), lateOf7 ?? []));
    await assert.rejects(seven.append(of, 1, 7, labels(2, 1, ' of 7')));
    for (const arrive of lateOf6 ?? []) await arrive();
    const eight = fresh();
    assert.deepEqual(await read(eight, of, 0, 8), ['1', '2 of 6', '3 of 6']);
    await eight.append(of, 3, 8, labels(4, 1, ' of 8'));
    for (const arrive of lateOf7 ?? []) await arrive();
    assert.deepEqual(await read(fresh(), of, 0, 9), ['1', '2 of 6', '3 of 6', '4 of 8']);
    assert.deepEqual(await read(fresh(), of, 1, 9), ['2 of 6', '3 of 6', '4 of 8']);
  });

  test('a failed append that surfaces later does not mix with later entries', async () => {
    const of = actor();
    const late: (() => Promise<void>)[] = [];
    const journal = new Journal(losingFirst(tables(), late));
    await assert.rejects(journal.append(of, 0, 1, labels(1, 3, ' lost')));
    assert.deepEqual(await read(journal, of, 0, 1), []);
    await journal.append(of, 0, 1, labels(1, 1, ' kept'));
    for (const arrive of late) await arrive();
    assert.deepEqual(await read(journal, of, 0, 1), ['1 kept']);
    await journal.append(of, 1, 1, labels(2, 1, ' kept'));
    assert.deepEqual(await read(journal, of, 0, 1), ['1 kept', '2 kept']);
  });
}

function trimsContract({ tables, fresh, actor }: Subject): void {
  test('the entries before a trim are gone, and those after it are read', async () => {
    const [journal, of] = [fresh(), actor()];
    await journal.append(of, 0, 1, labels(1, 20));
    assert.equal(await journal.trim(of, 0, 10, () => true), true);
    const left = await tables().range(journalTable, { actor: of, bucket: 0 }, { limit: 100 });
    assert.deepEqual(
      left.map((row) => row.key.seq),
      [0, ...Array.from({ length: 11 }, (_, n) => 10 + n)],
    );
    assert.deepEqual(await read(fresh(), of, 10, 2), labels(11, 10).map(labelOf));
    await journal.append(of, 20, 1, labels(21, 1));
    assert.deepEqual(await read(fresh(), of, 20, 2), ['21']);
    await assert.rejects(read(fresh(), of, 8, 2), JournalGap);
  });

  test('a trimmed journal never reads as that of a new actor', async () => {
    const [journal, of] = [fresh(), actor()];
    await journal.append(of, 0, 1, labels(1, 5));
    await journal.trim(of, 0, 4, () => true);
    await assert.rejects(read(fresh(), of, 0, 2), JournalTrimmed);
    await journal.trim(of, 4, 6, () => true);
    await assert.rejects(read(fresh(), of, 0, 2), JournalTrimmed);
    await journal.append(of, 5, 1, labels(6, 1));
    await journal.trim(of, 0, 7, () => true);
    await assert.rejects(read(fresh(), of, 0, 2), JournalTrimmed);
    await assert.rejects(fresh().append(of, 6, 2, labels(7, 1)), JournalGap);
  });

  test('a trim takes whole buckets, in steps between which it can end', async () => {
    const [journal, of] = [fresh(), actor()];
    const at = (seq: number) => ({ actor: of, bucket: Math.floor(seq / JOURNAL_BUCKET), seq, epoch: 0 });
    const seqs = [1, JOURNAL_BUCKET - 1, JOURNAL_BUCKET, 2 * JOURNAL_BUCKET, 2 * JOURNAL_BUCKET + 1];
    for (const seq of seqs) await tables().write([put(journalTable, at(seq), record(`${seq}`))]);
    const left = async () => {
      const found: number[] = [];
      for (const bucket of [0, 1, 2]) {
        const rows = await tables().range(journalTable, { actor: of, bucket }, { limit: 10 });
        found.push(...rows.map((row) => row.key.seq));
      }
      return found;
    };
    let steps = 0;
    assert.equal(await journal.trim(of, 0, 2 * JOURNAL_BUCKET + 1, () => ++steps < 2), false);
    assert.deepEqual(await left(), [0, ...seqs.slice(2)]);
    assert.equal(await journal.trim(of, 0, 2 * JOURNAL_BUCKET, () => true), true);
    assert.deepEqual(await left(), [0, ...seqs.slice(3)]);
    assert.equal(await journal.trim(of, 2 * JOURNAL_BUCKET, 2 * JOURNAL_BUCKET + 1, () => true), true);
    assert.deepEqual(await left(), [0, ...seqs.slice(4)]);
  });

  test('late rows of a fenced writer before a trim are not read', async () => {
    const [fenced, journal, of] = [fresh(), fresh(), actor()];
    await fenced.append(of, 0, 5, labels(1, 2));
    await journal.append(of, 2, 6, labels(3, 10));
    await journal.trim(of, 0, 8, () => true);
    await fenced.append(of, 2, 5, labels(3, 12, ' late'));
    assert.deepEqual(await read(fresh(), of, 9, 6), ['10', '11', '12']);
    await assert.rejects(read(fresh(), of, 0, 6), JournalTrimmed);
  });
}

async function read(journal: Journal, actor: string, afterSeq: number, epoch: number): Promise<string[]> {
  const found: string[] = [];
  let seq = afterSeq;
  for await (const entry of journal.read(actor, afterSeq, epoch)) {
    seq += 1;
    assert.equal(entry.seq, seq);
    const [first] = entry.record.events;
    assert.equal(Buffer.from(first?.payload ?? []).toString(), first?.type);
    found.push(first?.type ?? '');
  }
  return found;
}

/** Loses the first write, which arrives when `late` is called, like a coordinator's timeout. */
function losingFirst(tables: Tables, late: (() => Promise<void>)[]): Tables {
  let lost = false;
  return {
    get: (...args) => tables.get(...args),
    getMany: (...args) => tables.getMany(...args),
    range: (...args) => tables.range(...args),
    removeRange: (...args) => tables.removeRange(...args),
    compareAndSet: (...args) => tables.compareAndSet(...args),
    close: () => tables.close(),
    write: async (rows) => {
      if (lost) return tables.write(rows);
      lost = true;
      late.push(() => tables.write(rows));
      throw new Error('timed out');
    },
  };
}
