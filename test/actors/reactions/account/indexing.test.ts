import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isProblem } from '../../../../actors/domain/problem.js';
import { wordBucket } from '../../../../actors/domain/text/words.js';
import { INDEXED_AT_ONCE_MAX } from '../../../../actors/reactions/account/indexing.js';
import { statuses, statusIndex } from '../../../../store/tables.js';
import { blankPost, town } from '../town.js';

const wish = (indexable: boolean) => ({ indexable, fields: [], setFields: false });
/** More than one step, and not a whole number of steps. */
const MANY = INDEXED_AT_ONCE_MAX * 2 + 7;

/** Returns Alice, who posted many statuses before she enabled indexing. */
async function talkative() {
  const here = await town(['alice']);
  const alice = here.id('alice');
  const say = async (text: string, visibility = 'public') => {
    const posted = await here.account(alice, 'post', { ...blankPost, text, visibility });
    assert.ok(!isProblem(posted));
    return posted;
  };
  const said: string[] = [];
  for (let n = 0; n < MANY; n++) said.push((await say('marmot')).id);
  const quiet = await say('marmot', 'unlisted');
  const found = async (word: string) => {
    const buckets = [...new Set([...said, quiet.id].map(wordBucket))];
    const rows = await Promise.all(
      buckets.map((bucket) => here.tables.range(statusIndex, { word, bucket }, { limit: 1_000 })),
    );
    return rows.flat().map(({ key }) => key.status);
  };
  return { ...here, alice, say, said, quiet, found };
}

test('earlier public statuses are indexed when the owner enables it, and removed when they disable it', async () => {
  const { stage, account, alice, said, found } = await talkative();
  assert.deepEqual(await found('marmot'), []);
  await account(alice, 'updateProfile', wish(true));
  assert.deepEqual(await found('marmot'), said);
  await account(alice, 'updateProfile', wish(false));
  assert.deepEqual(await found('marmot'), []);
  stage.close();
});

test('the latest choice wins when it follows at once', async () => {
  const { stage, askAccount, alice, said, found } = await talkative();
  const all = [true, false, true, false].map((on) => askAccount(alice, 'updateProfile', wish(on)));
  await stage.clock.settle();
  await Promise.all(all);
  assert.deepEqual(await found('marmot'), []);
  const again = [true, false, true].map((on) => askAccount(alice, 'updateProfile', wish(on)));
  await stage.clock.settle();
  await Promise.all(again);
  assert.deepEqual(await found('marmot'), said);
  stage.close();
});

test('an edit or deletion during indexing leaves the correct index rows', async () => {
  const { stage, node, askAccount, askConversation, alice, said, found, tables } = await talkative();
  const [edited = '', deleted = ''] = [said[3], said[5]];
  const records = await tables.getMany(
    statuses,
    [edited, deleted].map((status) => ({ status })),
  );
  const release = node.store.holdWrites(statusIndex);
  void askAccount(alice, 'updateProfile', wish(true));
  await stage.clock.settle();
  const change = { text: 'ibex', html: '', spoilerText: '', sensitive: false, mentions: [], tags: [] };
  const conversationOf = (index: number) => records[index]?.conversationId ?? '';
  const others = [
    askConversation(conversationOf(0), 'edit', { statusId: edited, by: alice, ...change }),
    askConversation(conversationOf(1), 'remove', { statusId: deleted, by: alice }),
  ];
  await stage.clock.settle();
  release();
  await stage.clock.settle();
  for (const answer of await Promise.all(others)) assert.ok(!isProblem(answer));
  assert.deepEqual(await found('ibex'), [edited]);
  assert.deepEqual(
    await found('marmot'),
    said.filter((id) => id !== edited && id !== deleted),
  );
  stage.close();
});

test('the next owner continues indexing after a crash', async () => {
  const here = await talkative();
  const release = here.node.store.holdWrites(statusIndex);
  void here.askAccount(here.alice, 'updateProfile', wish(true));
  await here.stage.clock.settle();
  here.stage.kill(here.node);
  release();
  await here.stage.node(2, {}, here.kinds);
  await here.stage.clock.advance(60_000);
  assert.deepEqual(await here.found('marmot'), here.said);
  here.stage.close();
});
