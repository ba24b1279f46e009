import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALARM_LANES } from '../../../actors/domain/alarm.js';
import { eraOfId } from '../../../actors/domain/ids.js';
import { isProblem } from '../../../actors/domain/problem.js';
import { Alarms, LOOK_EVERY_MS } from '../../../actors/runtime/alarms.js';
import { accountStatuses, alarms, notifications, statuses } from '../../../store/tables.js';
import { blankPost, town } from '../reactions/town.js';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const POLL = { options: ['yes', 'no'], expiresInMs: 300_000, multiple: false, hideTotals: false };

async function asked() {
  const here = await town(['alice', 'bob']);
  const posted = await here.account(here.id('alice'), 'post', { ...blankPost, poll: POLL });
  assert.ok(!isProblem(posted));
  const vote = { statusId: posted.id, by: here.id('bob'), choices: [0] };
  assert.ok(!isProblem(await here.conversation(posted.conversationId, 'vote', vote)));
  const watch = () => {
    const { stage, node, tables } = here;
    const watching = new Alarms({
      tables,
      asker: node.runtime,
      placement: node.placement,
      clock: stage.clock,
      logger: silent,
    });
    watching.start();
    return watching;
  };
  const told = async (name: string) =>
    (
      await here.tables.range(notifications, { account: here.id(name), era: eraOfId(here.id(name)) }, { limit: 10 })
    ).map(({ value }) => value.type);
  const waiting = async () => {
    let rows = 0;
    for (let lane = 0; lane < ALARM_LANES; lane++)
      rows += (await here.tables.range(alarms, { lane }, { limit: 10 })).length;
    return rows;
  };
  const ended = async () => (await here.tables.get(statuses, { status: posted.id }))?.poll?.ended;
  return { ...here, watch, told, waiting, ended };
}

test('a poll ends at its time; its author and who voted are told, once', async () => {
  const here = await asked();
  const watching = here.watch();
  await here.stage.clock.advance(299_000);
  assert.deepEqual([await here.ended(), await here.waiting()], [false, 1]);
  await here.stage.clock.advance(2_000);
  assert.deepEqual([await here.ended(), await here.waiting()], [true, 0]);
  await here.stage.clock.advance(LOOK_EVERY_MS * 3);
  assert.deepEqual([await here.told('alice'), await here.told('bob')], [['poll'], ['poll']]);
  watching.close();
  here.stage.close();
});

test('an end that nobody was there for is made up for when somebody is', async () => {
  const here = await asked();
  const first = here.watch();
  await here.stage.clock.advance(60_000);
  first.close();
  await here.stage.clock.advance(86_400_000);
  assert.equal(await here.ended(), false);
  const second = here.watch();
  await here.stage.clock.advance(1_000);
  assert.deepEqual([await here.ended(), await here.waiting(), await here.told('bob')], [true, 0, ['poll']]);
  second.close();
  here.stage.close();
});

test('whoever does not own the actor leaves its alarm alone', async () => {
  const here = await asked();
  here.node.placement.epoch = undefined;
  const watching = here.watch();
  await here.stage.clock.advance(400_000);
  assert.equal(await here.waiting(), 1);
  watching.close();
  here.stage.close();
});

test('what became due while another had the actor rings soon after it came here', async () => {
  const here = await asked();
  here.node.placement.epoch = undefined;
  const watching = here.watch();
  await here.stage.clock.advance(LOOK_EVERY_MS * 12);
  assert.equal(await here.ended(), false);
  here.node.placement.epoch = 2;
  watching.shardsChanged();
  watching.shardsChanged();
  await here.stage.clock.advance(LOOK_EVERY_MS / 10);
  assert.deepEqual([await here.ended(), await here.waiting()], [true, 0]);
  watching.close();
  here.stage.close();
});

test('a scheduled status is posted at its time, though everything was down in between', async () => {
  const here = await asked();
  const [alice, { clock }] = [here.id('alice'), here.stage];
  const dueMs = clock.nowMs() + 600_000;
  const later = { post: { ...blankPost, text: 'later', html: '<p>later</p>' }, dueMs };
  assert.ok(!isProblem(await here.account(alice, 'schedule', later)));
  const texts = async () => {
    const rows = await here.tables.range(accountStatuses, { account: alice, era: eraOfId(alice) }, { limit: 10 });
    const keys = rows.map(({ key }) => ({ status: key.status }));
    return (await here.tables.getMany(statuses, keys)).map((record) => record?.text);
  };
  await clock.advance(700_000);
  assert.deepEqual(await texts(), ['Hello']);
  const watching = here.watch();
  await clock.advance(1_000);
  assert.deepEqual([await texts(), await here.waiting()], [['Hello', 'later'], 0]);
  watching.close();
  here.stage.close();
});
