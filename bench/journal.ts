import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../actors/runtime/system.js';
import type { StoreJournalRecord } from '../proto/gen/types.js';
import { Journal } from '../store/journal.js';
import { LmdbTables } from '../store/lmdb/lmdb-tables.js';

export interface JournalFigures {
  readonly inFlight: number;
  readonly appends: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** CPU of the whole process: the main thread and LMDB's writing. */
  readonly cpuSecondsPer1000: number;
}

/** The size of a post's event. */
const PAYLOAD_BYTES = 400;
const ACTORS = 1_000;
const WARM_UP = 5_000;

/**
 * Measures durable journal appends on LMDB, one record each, spread over 1,000 actors, one at a time and 64 at a time.
 * `parent` must be on the disk to be measured.
 */
export async function measureJournal(parent: string): Promise<JournalFigures[]> {
  const folder = await mkdtemp(join(parent, 'bench-journal-'));
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const tables = await LmdbTables.open({ folder, clock: systemClock, log });
  try {
    const journal = new Journal(tables);
    const seqs = new Map<string, number>();
    await appendAll(journal, seqs, 64, WARM_UP);
    return [await appendAll(journal, seqs, 1, 5_000), await appendAll(journal, seqs, 64, 100_000)];
  } finally {
    await tables.close();
    await rm(folder, { recursive: true });
  }
}

async function appendAll(
  journal: Journal,
  seqs: Map<string, number>,
  inFlight: number,
  appends: number,
): Promise<JournalFigures> {
  const record: StoreJournalRecord = {
    atMs: 1_700_000_000_000,
    events: [{ type: 'posted', payload: Buffer.alloc(PAYLOAD_BYTES, 'p') }],
  };
  const tookMs: number[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < appends) {
      const actor = `account/1000000000000${String((next++ * 7_919) % ACTORS).padStart(5, '0')}`;
      const seq = seqs.get(actor) ?? 0;
      seqs.set(actor, seq + 1);
      const startedMs = performance.now();
      await journal.append(actor, seq, 1, [record]);
      tookMs.push(performance.now() - startedMs);
    }
  };
  const cpu = process.cpuUsage();
  const startedMs = performance.now();
  await Promise.all(Array.from({ length: inFlight }, lane));
  const seconds = (performance.now() - startedMs) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  tookMs.sort((a, b) => a - b);
  const at = (part: number) => tookMs[Math.floor(tookMs.length * part)] ?? 0;
  return {
    inFlight,
    appends,
    perSecond: appends / seconds,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    cpuSecondsPer1000: (user + system) / 1_000 / appends,
  };
}
