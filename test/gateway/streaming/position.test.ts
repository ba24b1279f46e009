import assert from 'node:assert/strict';
import { test } from 'node:test';
import { idMs, makeId } from '../../../actors/domain/ids.js';
import { isProblem } from '../../../actors/domain/problem.js';
import { Position, type Since, sinceOf } from '../../../gateway/streaming/position.js';

const T0 = 1_767_225_600_000;
/** Lead of the clock that wrote the row of a late status, at most (actors/timelines/publications.ts). */
const ROW_AHEAD_MS = 47_000;
/** Time before its floor from which a resumed stream reads rows (gateway/streaming/hub.ts). */
const ROWS_BEFORE_MS = 30_000;
const at = (ms: number) => makeId(T0 + ms, 7, 3);
const clock = { ms: T0, nowMs: () => clock.ms, publishedMs: () => clock.ms - 30_000 };
const begun = (ms: number) => new Position({ floor: at(ms), sent: [] }, clock);
function resumed(position: Buffer): Since {
  const since = sinceOf(position.toString());
  assert.ok(since !== undefined && !isProblem(since));
  return since;
}

test('a position is the last id, with other ids sent since the stream began or within half a minute', () => {
  clock.ms = T0 + 10_000;
  const position = begun(0);
  for (const ms of [4_000, 6_000, 5_000]) position.statuses.add(at(ms));
  const text = position.after(at(5_000));
  assert.ok(text.toString().startsWith(`${at(5_000)}~`));
  const { floor, sent } = resumed(text);
  assert.equal(floor, at(0));
  assert.deepEqual([...sent].sort(), [at(4_000), at(5_000), at(6_000)]);
  clock.ms = T0 + 40_001;
  const raised = { floor: makeId(T0 + 10_001, 0, 0), isRaised: true };
  assert.deepEqual(resumed(position.after(at(11_000))), { ...raised, sent: [] });
  position.statuses.add(at(20_000));
  const last = resumed(position.after(at(20_000)));
  assert.deepEqual(last, { ...raised, sent: [at(20_000)] });
  assert.deepEqual(resumed(new Position(last, clock).after(at(5_000))), last);
  position.restart(at(50_000));
  assert.deepEqual(resumed(position.after(at(50_000))), { floor: at(50_000), sent: [] });
});

test('a position contains only the highest of many ids: the floor is below them', () => {
  clock.ms = T0 + 10_000;
  const position = begun(0);
  for (let ms = 1; ms <= 400; ms++) {
    position.statuses.add(at(ms));
    // Publishers rely on it (actors/timelines/publications.ts).
    assert.ok(resumed(position.after(at(ms))).floor <= at(Math.max(0, ms - 160)), `after ${ms}`);
  }
  const text = position.after(at(400));
  assert.ok(text.length < 1_000, text.toString());
  const since = resumed(text);
  const { floor, sent, isRaised } = since;
  assert.deepEqual([floor, isRaised, sent.length, [...sent].sort()[0]], [at(231), true, 169, at(232)]);
  assert.deepEqual(resumed(new Position(since, clock).after(at(400))), since);
});

test('a position of a busy stream has at most 2.2 KB', () => {
  clock.ms = T0;
  const position = begun(0);
  let longest = 0;
  for (let ms = 500; ms < 120_000; ms += 150) {
    clock.ms = T0 + ms;
    position.statuses.add(at(ms));
    if (ms % 400 === 0) position.statuses.addLate(at(ms - 20_000));
    longest = Math.max(longest, position.after(at(ms)).length);
  }
  assert.ok(longest < 2_200, `${longest} characters`);
});

test('a position names late statuses below its floor for a minute and a half, the last 128 of them', () => {
  clock.ms = T0 + 10_000;
  const position = begun(0);
  position.statuses.addLate(at(40));
  for (let ms = 100; ms <= 292; ms++) position.statuses.add(at(ms));
  position.statuses.addLate(at(290));
  position.statuses.add(at(30));
  const since = resumed(position.after(at(292)));
  assert.deepEqual([since.floor, since.late], [at(132), [at(40), at(290), at(30)]]);
  const again = new Position(since, clock);
  for (let ms = 293; ms <= 500; ms++) again.statuses.add(at(ms));
  const later = resumed(again.after(at(500)));
  assert.deepEqual(later.late, since.late);
  assert.ok(later.floor > at(290) && !later.sent.includes(at(290)));
  for (let ms = 41; ms <= 167; ms++) again.statuses.addLate(at(ms));
  const late = Array.from({ length: 127 }, (_, index) => at(41 + index));
  assert.deepEqual(resumed(again.after(at(500))).late, [at(30), ...late]);
  clock.ms += 130_000;
  assert.equal(resumed(again.after(at(500))).late, undefined);
});

test('a late status is named while resumed streams read its row, whose time may be ahead after a takeover', () => {
  clock.ms = T0;
  const rowMs = clock.ms + ROW_AHEAD_MS;
  const position = begun(-40_000);
  position.statuses.addLate(at(-20_000));
  let looks = 0;
  for (; ; looks++) {
    clock.ms += 1_000;
    const { floor, late = [] } = resumed(position.after(at(clock.ms - T0)));
    if (rowMs < idMs(floor) - ROWS_BEFORE_MS) break;
    assert.deepEqual(late, [at(-20_000)], `${clock.ms - T0} ms later`);
  }
  assert.ok(looks > 60);
});

test('the floor does not pass what a catch-up has not sent yet', () => {
  clock.ms = T0 + 3_000_000;
  const position = begun(0);
  position.statuses.add(at(1));
  assert.deepEqual(resumed(position.after(at(1), true)), { floor: at(0), sent: [at(1)] });
  assert.equal(resumed(position.after(at(1))).floor, makeId(T0 + 2_970_000, 0, 0));
});

test('notifications have a floor of their own, which many statuses do not raise', () => {
  clock.ms = T0 + 10_000;
  const position = new Position({ floor: at(0), sent: [] }, clock, true);
  for (let ms = 1; ms <= 400; ms++) position.statuses.add(at(ms));
  position.notifications?.add(at(50));
  const text = position.after(at(50));
  const since = resumed(text);
  assert.deepEqual([since.floor, since.notified], [at(231), { floor: at(0), sent: [at(50)] }]);
  assert.deepEqual(new Position(since, clock, true).after(at(50)), text);
  for (let ms = 51; ms <= 100; ms++) position.notifications?.add(at(ms));
  assert.equal(resumed(position.after(at(100))).notified?.floor, at(58));
});

test('an id alone is a position, too; malformed ones are refused', () => {
  assert.deepEqual(sinceOf('12'), { floor: '000000000000000012', sent: [] });
  assert.equal(sinceOf(''), undefined);
  assert.equal(sinceOf(undefined), undefined);
  for (const text of [
    'a',
    '12~',
    '12~A',
    '12~1~~2',
    '-1',
    '12~zzz',
    '1'.repeat(19),
    `1${'~1'.repeat(195)}`,
    '12~1.~1.',
    '12~1.1',
    '12.~1.~1.~1',
    '12.~-z',
    '1 ',
    '1~-zzzzzzzzzzzz',
  ])
    assert.ok(isProblem(sinceOf(text)), text);
});
