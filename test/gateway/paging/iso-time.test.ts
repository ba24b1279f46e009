import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isoDay, isoTime } from '../../../gateway/paging/iso-time.js';
import { fc } from '../../kit/property.js';

/** The earliest and the latest time of ECMAScript, milliseconds from 1970. */
const TIME_MAX = 8.64e15;

test('times and days are written as ECMAScript writes them, also before 1970 and after 9999', () => {
  const times = fc.oneof(
    fc.integer({ min: -TIME_MAX, max: TIME_MAX }),
    fc.date({ noInvalidDate: true }).map(Number),
    fc.constantFrom(0, -1, 999, 86_399_999, 86_400_000, TIME_MAX, -TIME_MAX, 1_700_000_000_000.75, -0.5),
  );
  fc.assert(
    fc.property(times, (ms) => {
      const text = new Date(ms).toISOString();
      assert.equal(isoTime(ms), text);
      assert.equal(isoDay(ms), text.slice(0, text.indexOf('T')));
    }),
    { numRuns: 5_000 },
  );
});

test('a number that is no time is refused', () => {
  for (const ms of [Number.NaN, TIME_MAX + 86_400_000, Number.POSITIVE_INFINITY]) {
    assert.throws(() => isoTime(ms), RangeError);
    assert.throws(() => isoDay(ms), RangeError);
  }
});
