import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../../../gateway/discovery/tag-histories.js';
import { ranked } from '../../../gateway/discovery/trends.js';

const nowMs = Date.UTC(2026, 10, 21, 12);
/** Uses by that many accounts, one each, that many days ago. */
const by = (people: number, daysAgo: number, from = 0) =>
  Array.from({ length: people }, (_, n) => ({ atMs: nowMs - daysAgo * DAY_MS, accountId: `${from + n}` }));
const order = (uses: Readonly<Record<string, ReturnType<typeof by>>>) =>
  ranked(new Map(Object.entries(uses)), nowMs).map(({ name }) => name);

test('a use counts half for each day since', () => {
  assert.deepEqual(order({ before: by(5, 1), now: by(3, 0) }), ['now', 'before']);
  assert.deepEqual(order({ before: by(7, 1), now: by(3, 0) }), ['before', 'now']);
  assert.deepEqual(order({ now: by(3, 0), earlier: by(13, 2) }), ['earlier', 'now']);
  assert.deepEqual(order({ now: by(3, 0), earlier: by(11, 2) }), ['now', 'earlier']);
});

test('a score adds up seven days and ignores older ones', () => {
  assert.deepEqual(order({ once: by(4, 0), often: [...by(3, 0), ...by(3, 1, 10)] }), ['often', 'once']);
  const [trend] = ranked(new Map([['old', [...by(4, 6), ...by(40, 7)]]]), nowMs);
  assert.deepEqual(
    trend?.history.map(({ accounts }) => accounts),
    [0, 0, 0, 0, 0, 0, 4],
  );
});

test('uses by one account are no trend, however many', () => {
  assert.deepEqual(order({ mine: [...by(1, 0), ...by(1, 0), ...by(1, 1)], ours: by(2, 6) }), ['ours']);
});
