import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retryAfterMs } from '../../../transport/web/retry-after.js';

const NOW_MS = Date.parse('2026-11-24T12:00:00Z');
const DAY_MS = 86_400_000;
const read = (text: string | undefined) => retryAfterMs(text, NOW_MS);

test('Retry-After is read as seconds or as a date', () => {
  assert.equal(read('120'), 120_000);
  assert.equal(read(' 0 '), 0);
  assert.equal(read('Tue, 24 Nov 2026 12:05:00 GMT'), 300_000);
  assert.equal(read('Tue, 24 Nov 2026 11:00:00 GMT'), 0);
});

test('Retry-After of a year is a day, in seconds and as a date', () => {
  for (const text of ['31536000', '9'.repeat(400), 'Wed, 24 Nov 2027 12:00:00 GMT']) assert.equal(read(text), DAY_MS);
});

test('Retry-After in words, and every other text, counts as absent', () => {
  for (const text of [undefined, '', 'soon', 'in an hour', '-5', '1.5', '1e9', 'GMT', 'tomorrow GMT', '12 monkeys'])
    assert.equal(read(text), undefined, text);
});
