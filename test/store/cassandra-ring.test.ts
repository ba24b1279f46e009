import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { errors } from 'cassandra-driver';
import { Unavailable } from '../../actors/domain/problem.js';
import { systemClock } from '../../actors/runtime/system.js';
import { CassandraTables } from '../../store/cassandra/cassandra-tables.js';
import { put } from '../../store/port.js';
import { WriteTimestamps } from '../../store/write-timestamps.js';
import { contractTables, event, guarded, others } from '../contract/contract-tables.js';
import type { LocalCluster } from '../kit/services/local-cluster.js';
import { sharedCluster, storeDefinitions, victimOf } from '../kit/services/shared-cluster.js';
import { until } from '../kit/time/until.js';

/**
 * Maximum duration of a request while a node dies: one read timeout and its repetition elsewhere. The longest duration
 * before is added, because a slow machine is also slow to detect a death.
 */
const HICCUP_MS_MAX = 5_000;
const WORKERS = 4;
/** Operations of each worker before the node is killed, and after it. */
const ROUNDS = 50;
const PROGRESS_MS_MAX = 240_000;
const log = { info: () => {}, warn: () => {}, error: () => {} };

let cluster: LocalCluster;
let tables: CassandraTables;

before(async () => {
  cluster = await sharedCluster();
  tables = await CassandraTables.open({
    contactPoints: cluster.cassandra.map(({ address, port }) => `${address}:${port}`),
    localDataCenter: 'datacenter1',
    keyspace: 'ring',
    replication: 3,
    timestamps: new WriteTimestamps(() => Date.now()),
    log,
    clock: systemClock,
    tables: contractTables,
  });
  await storeDefinitions(cluster);
});
after(() => tables?.close());

/**
 * A worker that sends requests continuously; `done` counts successes, `longestMs` is the longest time between two of
 * them.
 */
class Worker {
  done = 0;
  longestMs = 0;
  inDoubt = 0;
  /** Errors of requests without an answer; a live coordinator reports one when its replicas are too slow for it. */
  readonly unanswered: unknown[] = [];
  private last = performance.now();

  succeeded(): void {
    const now = performance.now();
    this.longestMs = Math.max(this.longestMs, now - this.last);
    this.last = now;
    this.done += 1;
  }
}

/** Writes a row and reads it back, repeatedly; any error ends it. */
async function keepWriting(worker: Worker, owner: string, stopped: () => boolean): Promise<void> {
  while (!stopped()) {
    const key = { owner, part: worker.done + 1 };
    await tables.write([put(others, key, event(`${key.part}`))]);
    assert.equal((await tables.get(others, key))?.type, `${key.part}`);
    worker.succeeded();
  }
}

/**
 * Increments a row. A change of unknown outcome (its coordinator died) is read again, as for the renewal of a lease.
 */
async function keepCounting(worker: Worker, owner: string, stopped: () => boolean): Promise<void> {
  const key = { owner, name: 'count' };
  let current = await tables.get(guarded, key);
  while (!stopped()) {
    const next = event(`${Number(current?.type ?? 0) + 1}`);
    try {
      const result = await tables.compareAndSet(guarded, key, current, next);
      assert.equal(result.applied, true, `only this worker changes the row, found ${result.current?.type}`);
      current = next;
      worker.succeeded();
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      worker.inDoubt += 1;
      if (!(error.cause instanceof errors.ResponseError)) worker.unanswered.push(error.cause);
      current = await tables.get(guarded, key);
    }
  }
}

test('one of three nodes killed: requests continue, and acknowledged rows are there', async (t) => {
  let over = false;
  const stopped = () => over;
  const names = Array.from({ length: WORKERS }, (_, n) => `worker ${n}`);
  const writers = names.map(() => new Worker());
  const counters = names.map(() => new Worker());
  const everyone = [...writers, ...counters];
  let failure: unknown;
  const running = Promise.all([
    ...writers.map((worker, n) => keepWriting(worker, names[n] as string, stopped)),
    ...counters.map((worker, n) => keepCounting(worker, names[n] as string, stopped)),
  ]).catch((error) => {
    failure = error;
  });
  const progress = async (what: string) => {
    const goals = everyone.map((worker) => worker.done + ROUNDS);
    await until(
      what,
      () => failure !== undefined || everyone.every((worker, n) => worker.done >= (goals[n] ?? 0)) || undefined,
      PROGRESS_MS_MAX,
    );
    if (failure !== undefined) throw failure;
  };
  try {
    await progress('requests on three nodes');
    const usualMs = Math.max(...everyone.map((worker) => worker.longestMs));
    const victim = victimOf(cluster);
    const lives = (host: string) => !host.startsWith(victim.address);
    // A live coordinator on a slow machine may be too slow itself; that is not the dead node's fault.
    const isSlow = (cause: unknown) => cause instanceof errors.OperationTimedOutError && lives(cause.host ?? '');
    const unanswered = () => counters.flatMap((worker) => worker.unanswered).filter((cause) => !isSlow(cause));
    const before = unanswered().length;
    process.kill(victim.pid, 'SIGKILL');
    await progress('requests on two nodes');
    const worst = (workers: Worker[]) => Math.round(Math.max(...workers.map((worker) => worker.longestMs)));
    const inDoubt = counters.reduce((sum, worker) => sum + worker.inDoubt, 0);
    t.diagnostic(
      `longest gap ${Math.round(usualMs)} ms before; with the kill ${worst(writers)} ms for write and read, ` +
        `${worst(counters)} ms for compareAndSet, of which ${inDoubt} in doubt`,
    );
    assert.ok(worst(everyone) < HICCUP_MS_MAX + usualMs, `a worker waited ${worst(everyone)} ms`);
    const since = unanswered().slice(before);
    assert.ok(since.length <= WORKERS, `more changes unanswered than were under way at the kill: ${since.join('; ')}`);
  } finally {
    over = true;
    await running;
  }
  for (const [n, owner] of names.entries()) {
    const { done } = writers[n] as Worker;
    const keys = Array.from({ length: done }, (_, index) => ({ owner, part: index + 1 }));
    const found = await tables.getMany(others, keys);
    assert.deepEqual(
      found.map((row) => row?.type),
      keys.map((key) => `${key.part}`),
    );
    const { done: counted, inDoubt } = counters[n] as Worker;
    const count = Number((await tables.get(guarded, { owner, name: 'count' }))?.type);
    assert.ok(count >= counted && count <= counted + inDoubt, `${count} after ${counted} acknowledged`);
  }
});
