import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NactHost } from '../../../actors/runtime/nact-host.js';
import { until } from '../../kit/until.js';

function hosted() {
  const host = new NactHost();
  const seen = { turns: 0, atOnce: 0, most: 0 };
  const actor = host.host('test', async () => {
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

test('turns come one after the other, one for all wakes before it begins', async () => {
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

test('what rests wakes again; a turn that is due keeps it from resting; what is stopped stays so', async () => {
  const { host, actor, seen, turns } = hosted();
  actor.rest();
  actor.wake();
  actor.rest();
  await turns(1);
  actor.rest();
  actor.wake();
  await turns(2);
  actor.rest();
  actor.rest();
  actor.stop();
  actor.wake();
  assert.equal(host.idle(), true);
  const other = host.host('test', async () => {
    seen.turns += 1;
  });
  other.wake();
  other.stop();
  assert.equal(host.idle(), true);
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  assert.equal(seen.turns, 2);
  host.close();
});
