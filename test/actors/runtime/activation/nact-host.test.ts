import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NactHost } from '../../../../actors/runtime/activation/nact-host.js';
import { until } from '../../../kit/time/until.js';

function hosted() {
  const host = new NactHost();
  const seen = { turns: 0, atOnce: 0, most: 0 };
  const actor = host.host(async () => {
    seen.turns += 1;
    seen.atOnce += 1;
    seen.most = Math.max(seen.most, seen.atOnce);
    await new Promise((resolve) => setImmediate(resolve));
    seen.atOnce -= 1;
  });
  const turns = (count: number) =>
    until(`${count} turns`, () => (seen.turns === count && seen.atOnce === 0) || undefined, 5_000);
  return { host, actor, seen, turns };
}

test('turns run one after the other, and several wakes before a turn cause one turn', async () => {
  const { host, actor, seen, turns } = hosted();
  for (let time = 0; time < 5; time++) actor.wake();
  assert.equal(host.idle(), false);
  await turns(1);
  assert.equal(host.idle(), true);
  for (let count = 2; count <= 20; count++) {
    actor.wake();
    await turns(count);
  }
  assert.equal(seen.most, 1);
  host.close();
});

test('a stopped actor has no more turns, not even a due one', async () => {
  const { host, actor, seen, turns } = hosted();
  actor.wake();
  await turns(1);
  actor.stop();
  actor.wake();
  assert.equal(host.idle(), true);
  const other = host.host(async () => {
    seen.turns += 1;
  });
  other.wake();
  other.stop();
  assert.equal(host.idle(), true);
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  assert.equal(seen.turns, 1);
  host.close();
});

test('many actors have concurrent turns, each in order, also when one is stopped or woken within its turn', async () => {
  const host = new NactHost();
  const many = Array.from({ length: 2_000 }, () => ({ turns: 0, within: false, overlaps: 0 }));
  for (let round = 1; round <= 3; round++) {
    for (const [index, own] of many.entries()) {
      const actor = host.host(async () => {
        own.overlaps += own.within ? 1 : 0;
        own.within = true;
        own.turns += 1;
        if (index % 3 !== 2) actor.wake();
        if (index % 3 === 1) actor.stop();
        await new Promise((resolve) => setImmediate(resolve));
        own.within = false;
        // The first of three continues for two more turns; the second was stopped in its first.
        if (own.turns === 3 * round) actor.stop();
      });
      actor.wake();
    }
    const expected = (index: number) => (index % 3 === 0 ? 3 : 1) * round;
    await until(
      'all turns',
      () => many.every((own, index) => own.turns === expected(index) && !own.within) || undefined,
      10_000,
    );
  }
  assert.ok(many.every(({ overlaps }) => overlaps === 0));
  assert.equal(host.idle(), true);
  host.close();
});
