import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecentlyReceived } from '../../../actors/timelines/recently-received.js';

test('everything after the reported loss is stored', () => {
  let number = 0;
  const recently = new RecentlyReceived(() => [{ publisher: 'a', number }], 4);
  for (number = 1; number <= 50; number++) {
    recently.add('author', String(number));
    const kept = new Set(recently.by(['author']));
    const lost = recently.lost[0]?.number ?? 0;
    for (let later = lost + 1; later <= number; later++) assert.ok(kept.has(String(later)), `${later} of ${number}`);
    assert.ok(number - lost <= 8 && kept.size <= 8);
    if (number > 8) assert.ok(number - lost >= 4);
  }
});

test('only ids by the given authors are returned, each once', () => {
  const recently = new RecentlyReceived(() => [], 3);
  for (const [author, id] of ['a1', 'b2', 'a3', 'c4', 'a5'].map((said) => [said[0] ?? '', said])) {
    recently.add(author ?? '', id ?? '');
  }
  assert.deepEqual(recently.by(['a', 'c', 'd']).sort(), ['a1', 'a3', 'a5', 'c4']);
});
