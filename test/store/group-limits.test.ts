import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupLimits } from '../../store/cassandra/group-limits.js';

const unchanged = { partitions: 10, bytes: 4_000 };

test('groups stay below the warnings of an unchanged Cassandra, also when it does not report its settings', () => {
  assert.deepEqual(groupLimits({ partitions: '10', size: '5KiB' }), unchanged);
  assert.deepEqual(groupLimits({}), unchanged);
  assert.deepEqual(groupLimits({ partitions: null, size: null }), unchanged);
  assert.deepEqual(groupLimits({ partitions: '-1', size: '5 parsecs' }), unchanged);
});

test('groups grow with the configured thresholds, up to a bound', () => {
  assert.deepEqual(groupLimits({ partitions: '60', size: '16KiB' }), { partitions: 60, bytes: 9_664 });
  assert.deepEqual(groupLimits({ partitions: '1000', size: '1MiB' }), { partitions: 60, bytes: 24_000 });
});

test('with more keys, fewer bytes remain, so that the overhead of rows causes no warning', () => {
  const { partitions, bytes } = groupLimits({ partitions: '60', size: '5KiB' });
  assert.deepEqual({ partitions, bytes }, { partitions: 22, bytes: 2_656 });
});

test('groups shrink with lower thresholds, down to a single row', () => {
  assert.deepEqual(groupLimits({ partitions: '3', size: '5120B' }), { partitions: 3, bytes: 4_784 });
  assert.deepEqual(groupLimits({ partitions: '0', size: '0B' }), { partitions: 1, bytes: 0 });
});
