import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupLimits } from '../../store/cassandra/group-limits.js';

const unchanged = { partitions: 10, bytes: 4_000 };

test('groups hold what an unchanged Cassandra takes without a warning, also where it does not say', () => {
  assert.deepEqual(groupLimits({ partitions: '10', size: '5KiB' }), unchanged);
  assert.deepEqual(groupLimits({}), unchanged);
  assert.deepEqual(groupLimits({ partitions: null, size: null }), unchanged);
  assert.deepEqual(groupLimits({ partitions: '-1', size: '5 parsecs' }), unchanged);
});

test('they grow with what its operator lets them have, up to a bound', () => {
  assert.deepEqual(groupLimits({ partitions: '60', size: '16KiB' }), { partitions: 60, bytes: 9_664 });
  assert.deepEqual(groupLimits({ partitions: '1000', size: '1MiB' }), { partitions: 60, bytes: 24_000 });
});

test('with more keys alone less is left for each row, so that what rows have besides is not warned of', () => {
  const { partitions, bytes } = groupLimits({ partitions: '60', size: '5KiB' });
  assert.deepEqual({ partitions, bytes }, { partitions: 22, bytes: 2_656 });
});

test('they shrink with it, down to a row by itself', () => {
  assert.deepEqual(groupLimits({ partitions: '3', size: '5120B' }), { partitions: 3, bytes: 4_784 });
  assert.deepEqual(groupLimits({ partitions: '0', size: '0B' }), { partitions: 1, bytes: 0 });
});
