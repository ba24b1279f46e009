import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SUSPENSION_KEPT_MS } from '../../../../actors/account/purge.js';
import { eraOfMs, makeId } from '../../../../actors/domain/ids.js';
import { isProblem } from '../../../../actors/domain/problem.js';
import { Alarms } from '../../../../actors/runtime/effects/alarms.js';
import {
  accountStatuses,
  accounts,
  accountWords,
  bookmarks,
  favourites,
  followers,
  following,
  nameIndex,
  statuses,
} from '../../../../store/tables.js';
import { blankPost, registration, town } from '../town.js';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const decided = (action: string) => ({ action, by: '', text: '', mail: false });
const DAY_MS = 86_400_000;

/** Returns Alice, suspended, with statuses, marks and follows. */
async function suspended() {
  const here = await town(['alice', 'bob', 'carol']);
  const [alice, bob, carol] = [here.id('alice'), here.id('bob'), here.id('carol')];
  const say = async (who: string) => {
    const posted = await here.account(who, 'post', blankPost);
    assert.ok(!isProblem(posted));
    return posted;
  };
  await here.account(alice, 'updateProfile', { displayName: 'Alice', fields: [], setFields: false });
  const own: string[] = [];
  for (let n = 0; n < 3; n++) own.push((await say(alice)).id);
  const bobs = await say(bob);
  for (const command of ['favourite', 'bookmark', 'reblog'] as const)
    await here.conversation(bobs.conversationId, command, { statusId: bobs.id, by: alice });
  for (const [from, to] of [
    [alice, bob],
    [bob, alice],
    [carol, alice],
  ] as const)
    await here.account(from, 'follow', { target: to, targetLocked: false });
  await here.account(alice, 'moderate', decided('suspend'));
  const { stage, node, tables } = here;
  const watch = () => {
    const parts = { tables, asker: node.runtime, placement: node.placement, clock: stage.clock, logger: silent };
    const watching = new Alarms(parts);
    watching.start();
    return watching;
  };
  /** Returns what is left of her. */
  const left = async () => {
    let rows = 0;
    for (let era = eraOfMs(0); era <= eraOfMs(stage.clock.nowMs()); era++) {
      const key = { account: alice, era };
      for (const table of [accountStatuses, favourites, bookmarks, followers])
        rows += (await tables.range(table as typeof followers, key, { limit: 100 })).length;
    }
    const follows = await tables.range(following, { account: alice }, { limit: 10 });
    const record = await tables.get(accounts, { account: alice });
    const living = (
      await tables.getMany(
        statuses,
        own.map((status) => ({ status })),
      )
    ).filter((status) => status?.deleted === false);
    return { rows: rows + follows.length, statuses: living.length, name: record?.profile?.displayName };
  };
  return { ...here, alice, bob, carol, bobs, watch, left };
}

const WHOLE = { rows: 9, statuses: 3, name: 'Alice' };

test('the account’s data are deleted 30 days after a suspension, and its name stays', async () => {
  const here = await suspended();
  await here.stage.clock.advance(SUSPENSION_KEPT_MS - DAY_MS);
  const first = here.watch();
  await here.stage.clock.advance(60_000);
  assert.deepEqual(await here.left(), WHOLE);
  // The watching process ends; the next one finds the alarm in the store.
  first.close();
  await here.stage.clock.advance(2 * DAY_MS);
  const second = here.watch();
  await here.stage.clock.advance(60_000);
  assert.deepEqual(await here.left(), { rows: 0, statuses: 0, name: '' });
  const record = await here.tables.get(accounts, { account: here.alice });
  assert.deepEqual([record?.username, record?.removed, record?.email], ['alice', true, '']);
  const bob = await here.tables.get(accounts, { account: here.bob });
  assert.deepEqual([bob?.followers, bob?.following], [0, 0]);
  const marked = await here.tables.get(statuses, { status: here.bobs.id });
  assert.deepEqual([marked?.favourites, marked?.reblogs], [0, 0]);
  const answer = await here.account(here.carol, 'relations', { targets: [here.alice] });
  assert.ok(!isProblem(answer));
  assert.equal(answer.relations[0]?.following, false);
  second.close();
  here.stage.close();
});

test('a suspension that was undone in time deletes nothing', async () => {
  const here = await suspended();
  await here.stage.clock.advance(SUSPENSION_KEPT_MS - DAY_MS);
  await here.account(here.alice, 'moderate', decided('unsuspend'));
  await here.stage.clock.advance(2 * DAY_MS);
  const watching = here.watch();
  await here.stage.clock.advance(60_000);
  assert.deepEqual(await here.left(), WHOLE);
  watching.close();
  here.stage.close();
});

test('the next owner finishes a deletion after a crash', async () => {
  const here = await suspended();
  const release = here.node.store.holdWrites(followers);
  void here.askAccount(here.alice, 'moderate', decided('delete'));
  await here.stage.clock.settle();
  here.stage.kill(here.node);
  release();
  const kinds = here.kinds;
  await here.stage.node(2, {}, kinds);
  await here.stage.clock.advance(60_000);
  assert.deepEqual(await here.left(), { rows: 0, statuses: 0, name: '' });
  here.stage.close();
});

test('no mail is sent to the address of a deleted account', async () => {
  const here = await suspended();
  await here.account(here.alice, 'moderate', { ...decided('delete'), mail: true });
  await here.account(here.alice, 'moderate', { ...decided('none'), mail: true });
  await here.account(here.alice, 'askReset', { nonce: 'n' });
  assert.ok(!here.mails.some(({ to }) => to === ''));
  here.stage.close();
});

test('a rejected account leaves no search rows', async () => {
  const { stage, account, tables } = await town([]);
  const id = makeId(stage.clock.nowMs(), 3, 0);
  const words = () => tables.range(accountWords, { account: id }, { limit: 10 });
  const named = () => tables.range(nameIndex, { start: 'wa' }, { limit: 10 });
  await account(id, 'register', { ...registration('waiting'), approved: false });
  assert.deepEqual([(await words()).length, (await named()).length], [1, 1]);
  await account(id, 'moderate', decided('reject'));
  assert.deepEqual([await words(), await named()], [[], []]);
  stage.close();
});
