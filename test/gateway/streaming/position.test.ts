import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeId } from '../../../actors/domain/ids.js';
import { isProblem } from '../../../actors/domain/problem.js';
import { Position, type Since, sinceOf } from '../../../gateway/streaming/position.js';

const T0 = 1_767_225_600_000;
const at = (ms: number) => makeId(T0 + ms, 7, 3);
const clock = { ms: T0, nowMs: () => clock.ms };
const begun = (ms: number) => new Position({ floor: at(ms), sent: [] }, clock);
function resumed(position: string): Since {
  const since = sinceOf(position);
  assert.ok(since !== undefined && !isProblem(since));
  return since;
}

test('a position is the last id, with other ids sent since the stream began or within half a minute', () => {
  clock.ms = T0 + 10_000;
  const position = begun(0);
  for (const ms of [4_000, 6_000, 5_000]) position.add(at(ms));
  const text = position.after(at(5_000));
  assert.ok(text.startsWith(`${at(5_000)}~`));
  const { floor, sent } = resumed(text);
  assert.equal(floor, at(0));
  assert.deepEqual([...sent].sort(), [at(4_000), at(5_000), at(6_000)]);
  clock.ms = T0 + 40_001;
  assert.deepEqual(resumed(position.after(at(11_000))), { floor: makeId(T0 + 10_001, 0, 0), sent: [] });
  position.add(at(20_000));
  const last = resumed(position.after(at(20_000)));
  assert.deepEqual(last, { floor: makeId(T0 + 10_001, 0, 0), sent: [at(20_000)] });
});

test('a position contains only the highest of many ids: the floor is below them', () => {
  clock.ms = T0 + 10_000;
  const position = begun(0);
  for (let ms = 1; ms <= 400; ms++) position.add(at(ms));
  const text = position.after(at(400));
  assert.ok(text.length < 1_000, text);
  const { floor, sent } = resumed(text);
  assert.deepEqual([floor, sent.length, [...sent].sort()[0]], [at(297), 103, at(298)]);
  assert.deepEqual(resumed(new Position({ floor, sent }, clock).after(at(400))), { floor, sent });
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
    `1${'~1'.repeat(131)}`,
    '1 ',
    '1~-zzzzzzzzzzzz',
  ])
    assert.ok(isProblem(sinceOf(text)), text);
});
