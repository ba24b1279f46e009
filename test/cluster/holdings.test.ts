import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClusterContext } from '../../cluster/context.js';
import { Holdings } from '../../cluster/holdings.js';
import { EMPTY_MAP, type ShardMap } from '../../cluster/shard-map.js';
import { VirtualClock } from '../kit/time/virtual-clock.js';

const silent = () => undefined;
const context = {
  clock: new VirtualClock(),
  log: { info: silent, warn: silent, error: silent },
} as unknown as ClusterContext;

/** A host whose acquisitions finish when the test says so. */
function host() {
  const waiting: (() => void)[] = [];
  const abandoned: number[][] = [];
  return {
    abandoned,
    acquire: () => new Promise<void>((done) => waiting.push(done)),
    prime: silent,
    release: async () => undefined,
    abandon: (shards: readonly number[]) => void abandoned.push([...shards]),
    async takesUp() {
      for (const done of waiting.splice(0)) done();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

/** Returns a map in which the first shards belong to `a` at this epoch. */
function mapOf(shards: number, epoch: number): ShardMap {
  const owners = EMPTY_MAP.owners.map((_, shard) => (shard < shards ? 'a' : 'b'));
  return { ...EMPTY_MAP, owners, epochs: EMPTY_MAP.epochs.map(() => epoch) };
}

test('holdings are complete only when the host has acquired all assigned shards under the map’s epochs', async () => {
  const here = host();
  const holdings = new Holdings(context, here);
  const map = mapOf(3, 1);
  assert.equal(holdings.complete(map, 'a'), false, 'nothing is begun');
  holdings.reconcile(map, 'a');
  assert.equal(holdings.complete(map, 'a'), false, 'the host is not done');
  await here.takesUp();
  assert.equal(holdings.complete(map, 'a'), true);
  assert.deepEqual([holdings.size, holdings.held.get(2), holdings.held.get(3)], [3, 1, undefined]);
  assert.equal(holdings.complete(mapOf(4, 1), 'a'), false, 'one more was given');
  assert.equal(holdings.complete(mapOf(3, 2), 'a'), false, 'another epoch');
});

test('shards that the map gives to others are dropped, and shards that it gives back are acquired again', async () => {
  const here = host();
  const holdings = new Holdings(context, here);
  holdings.reconcile(mapOf(3, 1), 'a');
  await here.takesUp();
  holdings.reconcile(mapOf(2, 1), 'a');
  assert.deepEqual([here.abandoned, holdings.size], [[[2]], 2]);
  holdings.reconcile(mapOf(2, 5), 'a');
  assert.deepEqual(here.abandoned.slice(1), [[0, 1]]);
  assert.equal(holdings.complete(mapOf(2, 5), 'a'), false);
  await here.takesUp();
  assert.equal(holdings.complete(mapOf(2, 5), 'a'), true);
});

test('after a lost lease nothing is held, even if the host finishes later', async () => {
  const here = host();
  const holdings = new Holdings(context, here);
  holdings.reconcile(mapOf(3, 1), 'a');
  holdings.abandonAll();
  await here.takesUp();
  assert.deepEqual([holdings.size, here.abandoned, holdings.complete(mapOf(3, 1), 'a')], [0, [[0, 1, 2]], false]);
});
