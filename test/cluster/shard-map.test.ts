import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SHARDS } from '../../actors/domain/ids.js';
import type { Role } from '../../cluster/balance.js';
import {
  claimed,
  EMPTY_MAP,
  fromRecord,
  given,
  hasFreeShards,
  shardsOf,
  surplus,
  toRecord,
} from '../../cluster/shard-map.js';
import { codec } from '../../proto/codec.js';

const both = new Map<string, Role>([
  ['a#1', 'takes'],
  ['b#1', 'takes'],
]);
const onlyA = new Map<string, Role>([['a#1', 'takes']]);
const first = claimed(EMPTY_MAP, both, () => 0);

test('the first map gives every shard an owner, with its version as epoch', () => {
  assert.equal(first.version, 1);
  assert.equal(shardsOf(first, 'a#1').length, SHARDS / 2);
  assert.ok(first.epochs.every((epoch) => epoch === 1));
});

test('a map survives encoding and decoding with identical bytes, as compareAndSet requires', () => {
  const record = codec('murmuration.store.ShardMapRecord');
  const row = toRecord(first);
  assert.ok(row);
  const read = record.decode(record.encode(row));
  assert.deepEqual(fromRecord(read), first);
  assert.deepEqual(record.encode(toRecord(fromRecord(read)) ?? read), record.encode(row));
  assert.equal(toRecord(EMPTY_MAP), undefined);
});

test('the shards of dead members are free; those of live ones are not', () => {
  assert.equal(hasFreeShards(first, both), false);
  assert.equal(hasFreeShards(first, onlyA), true);
  assert.equal(hasFreeShards(first, new Map([['a#1', 'gives']])), false);
});

test('a takeover raises only the epochs of moved shards, and the id floor beyond the dead owner’s ids', () => {
  const next = claimed(first, onlyA, (name) => (name === 'b' ? 5_000 : 9_000_000));
  assert.equal(next.version, 2);
  assert.equal(shardsOf(next, 'a#1').length, SHARDS);
  assert.ok(next.idFloorMs > 5_000 && next.idFloorMs < 9_000);
  next.epochs.forEach((epoch, shard) => {
    assert.equal(epoch, first.owners[shard] === 'b#1' ? 2 : 1);
  });
});

test('a takeover raises the id floor even while the clocks are behind it: the dead owner’s ids stay unique', () => {
  const ahead = { ...first, idFloorMs: 1_000_000 };
  assert.ok(claimed(ahead, onlyA, () => 0).idFloorMs > 1_000_000);
});

test('a handoff raises the id floor to the giver’s latest time and no further, so that ids stay near the clock', () => {
  const ahead = { ...first, idFloorMs: 1_000_000 };
  const gifts = new Map([['b#1', [0]]]);
  assert.equal(given(ahead, 'a#1', gifts, 10).idFloorMs, 1_000_000);
  assert.equal(given(ahead, 'a#1', gifts, 1_000_000.25).idFloorMs, 1_000_001);
});

test('a surplus is given in batches, to the members that balance selects', () => {
  const all = claimed(EMPTY_MAP, onlyA, () => 0);
  const gifts = surplus(all, both, 'a#1', 100);
  assert.deepEqual([...gifts.keys()], ['b#1']);
  assert.equal(gifts.get('b#1')?.length, 100);
  const next = given(all, 'a#1', gifts, 0);
  assert.equal(shardsOf(next, 'b#1').length, 100);
  assert.equal(surplus(first, both, 'a#1', 100).size, 0);
  assert.equal(surplus(all, both, 'b#1', 100).size, 0);
});

test('a member cannot give shards that it does not own', () => {
  const shard = shardsOf(first, 'b#1')[0] as number;
  assert.equal(given(first, 'a#1', new Map([['c#1', [shard]]]), 0).owners[shard], 'b#1');
});
