import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shardRanges } from '../../../../gateway/html/moderation/shard-ranges.js';

test('neighbouring shards are a range, others stand alone', () => {
  for (const [shards, text] of [
    [[], ''],
    [[0], '0'],
    [[1_023], '1023'],
    [[0, 1], '0–1'],
    [[0, 1, 2, 682], '0–2, 682'],
    [[3, 5, 7], '3, 5, 7'],
    [Array.from({ length: 1_024 }, (_, shard) => shard), '0–1023'],
  ] as const)
    assert.equal(shardRanges(shards), text);
});
