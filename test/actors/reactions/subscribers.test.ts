import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ANNOUNCED_AT_ONCE_MAX } from '../../../actors/account/subscribers.js';
import { eraOfId, makeId } from '../../../actors/domain/ids.js';
import { isProblem } from '../../../actors/domain/problem.js';
import { codec } from '../../../proto/codec.js';
import { Journal } from '../../../store/journal.js';
import { notifications } from '../../../store/tables.js';
import { blankPost, town } from './town.js';

const STRANGERS = 2 * ANNOUNCED_AT_ONCE_MAX;

test('subscribers are notified in slices, and a crash repeats one slice and skips nobody', async () => {
  const here = await town(['alice', 'bob']);
  const [alice, bob] = [here.id('alice'), here.id('bob')];
  // All are older than Bob, so he is notified last.
  for (let n = 0; n < STRANGERS; n++)
    await here.askAccount(alice, 'subscribe', { follower: makeId(1_000 + n, n % 4, 0), on: true });
  await here.account(bob, 'follow', { target: alice, targetLocked: false, notify: true });
  const slices = async () => {
    const found: number[] = [];
    for await (const { record } of new Journal(here.tables).read(`account/${alice}`, 0, 2))
      for (const { type, payload } of record.events)
        if (type === 'announced') found.push(codec('murmuration.account.Announced').decode(payload).followers.length);
    return found;
  };
  const notified = async () => {
    const rows = await here.tables.range(notifications, { account: bob, era: eraOfId(bob) }, { limit: 10 });
    return rows.filter(({ value }) => value.type === 'status').length;
  };
  const posted = await here.account(alice, 'post', blankPost);
  assert.ok(!isProblem(posted));
  await here.stage.clock.advance(1_000);
  assert.deepEqual(await slices(), [ANNOUNCED_AT_ONCE_MAX, ANNOUNCED_AT_ONCE_MAX, 1]);
  assert.equal(await notified(), 1);
  const isSecond = () => slices().then(({ length }) => length > 4);
  void here.askAccount(alice, 'post', blankPost);
  while (!(await isSecond())) await new Promise((resolve) => setImmediate(resolve));
  here.stage.kill(here.node);
  await here.stage.node(2, {}, here.kinds);
  await here.stage.clock.advance(60_000);
  assert.equal((await slices()).length, 6);
  assert.equal(await notified(), 2);
  here.stage.close();
});
