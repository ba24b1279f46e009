import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eraOfId } from '../../../actors/domain/ids.js';
import { isProblem, type Problem } from '../../../actors/domain/problem.js';
import { publicBucket, publicLane } from '../../../actors/domain/public.js';
import {
  accountStatuses,
  accounts,
  favouritedBy,
  followers,
  following,
  marks,
  notifications,
  publicBuckets,
  publicStatuses,
  rebloggedBy,
  statuses,
  tokens,
} from '../../../store/tables.js';
import { keyedTokens } from '../../kit/keyed-tokens.js';
import { blankPost, town } from './town.js';

function fine<T>(answer: T | Problem): T {
  assert.ok(!isProblem(answer), JSON.stringify(answer));
  return answer as T;
}

type Town = Awaited<ReturnType<typeof town>>;
const notices = async ({ tables }: Town, account: string) =>
  (await tables.range(notifications, { account, era: eraOfId(account) }, { limit: 100 })).map(
    ({ value }) => value.type,
  );
const followersOf = async ({ tables }: Town, account: string) =>
  (await tables.range(followers, { account, era: eraOfId(account) }, { limit: 100 })).map(
    ({ value }) => value.accountId,
  );
const writes = { targetLocked: false };

test('a follow is in both accounts and their rows before its reply, and notifies the followed account', async () => {
  const here = await town(['alice', 'bob']);
  const [alice, bob] = [here.id('alice'), here.id('bob')];
  const relation = fine(await here.account(alice, 'follow', { target: bob, ...writes }));
  assert.equal(relation.following, true);
  assert.equal((await here.tables.get(accounts, { account: alice }))?.following, 1);
  assert.equal((await here.tables.get(accounts, { account: bob }))?.followers, 1);
  assert.equal((await here.tables.get(following, { account: alice, target: bob }))?.pending, false);
  assert.deepEqual(await followersOf(here, bob), [alice]);
  assert.deepEqual(await notices(here, bob), ['follow']);
  fine(await here.account(alice, 'unfollow', { target: bob }));
  assert.equal((await here.tables.get(accounts, { account: bob }))?.followers, 0);
  assert.deepEqual(await followersOf(here, bob), []);
  here.stage.close();
});

test('two accounts that follow each other at the same time both succeed without a timeout', async () => {
  const here = await town(['alice', 'bob']);
  const [alice, bob] = [here.id('alice'), here.id('bob')];
  const startMs = here.stage.clock.monotonicMs();
  const both = Promise.all([
    here.askAccount(alice, 'follow', { target: bob, ...writes }),
    here.askAccount(bob, 'follow', { target: alice, ...writes }),
  ]);
  await here.stage.clock.settle();
  for (const answer of await both) fine(answer);
  assert.equal(here.stage.clock.monotonicMs(), startMs);
  await here.stage.clock.settle();
  assert.deepEqual([await followersOf(here, alice), await followersOf(here, bob)], [[bob], [alice]]);
  here.stage.close();
});

test('a follow of a locked account believed to be open becomes a request, which is accepted or rejected', async () => {
  const here = await town(['alice', 'bob', 'carol']);
  const [alice, bob, carol] = [here.id('alice'), here.id('bob'), here.id('carol')];
  fine(await here.account(bob, 'updateProfile', { locked: true, fields: [], setFields: false }));
  for (const follower of [alice, carol]) fine(await here.account(follower, 'follow', { target: bob, ...writes }));
  const asked = fine(await here.account(alice, 'relations', { targets: [bob] }));
  assert.deepEqual([asked.relations[0]?.following, asked.relations[0]?.requested], [false, true]);
  assert.equal(fine(await here.account(bob, 'followRequests', {})).requests.length, 2);
  assert.deepEqual(await notices(here, bob), ['follow_request', 'follow_request']);
  fine(await here.account(bob, 'authorizeFollow', { follower: alice }));
  fine(await here.account(bob, 'rejectFollow', { follower: carol }));
  const [granted] = fine(await here.account(alice, 'relations', { targets: [bob] })).relations;
  assert.equal(granted?.following, true);
  assert.equal(await here.tables.get(following, { account: carol, target: bob }), undefined);
  assert.deepEqual(await followersOf(here, bob), [alice]);
  assert.deepEqual(await notices(here, bob), ['follow'], 'no request is pending');
  here.stage.close();
});

test('a block ends the follows of both sides, and both store it', async () => {
  const here = await town(['alice', 'bob']);
  const [alice, bob] = [here.id('alice'), here.id('bob')];
  fine(await here.account(alice, 'follow', { target: bob, ...writes }));
  fine(await here.account(bob, 'follow', { target: alice, ...writes }));
  fine(await here.account(alice, 'block', { target: bob }));
  assert.deepEqual([await followersOf(here, alice), await followersOf(here, bob)], [[], []]);
  assert.equal(fine(await here.account(bob, 'relations', { targets: [alice] })).relations[0]?.blockedBy, true);
  const refused = await here.account(bob, 'follow', { target: alice, ...writes });
  assert.ok(isProblem(refused) && refused.problem === 'forbidden');
  here.stage.close();
});

test('a public status is readable, listed, published and counted before the reply, and notifies mentioned accounts', async () => {
  const here = await town(['alice', 'bob']);
  const [alice, bob] = [here.id('alice'), here.id('bob')];
  const mention = { accountId: bob, username: 'bob', acct: 'bob', url: 'https://here.example/@bob' };
  const { id } = fine(await here.account(alice, 'post', { ...blankPost, mentions: [mention] }));
  assert.equal((await here.tables.get(statuses, { status: id }))?.text, 'Hello');
  const [bucket, lane] = [publicBucket(id), publicLane(id)];
  assert.equal((await here.tables.range(publicStatuses, { bucket, lane }, { limit: 9 })).length, 1);
  assert.equal((await here.tables.range(publicBuckets, { century: 0 }, { limit: 9 })).length, 1);
  const listed = await here.tables.range(accountStatuses, { account: alice, era: eraOfId(id) }, { limit: 9 });
  assert.deepEqual(
    listed.map(({ key }) => key.status),
    [id],
  );
  assert.equal((await here.tables.get(accounts, { account: alice }))?.statuses, 1);
  assert.deepEqual(
    here.published.map(({ kind, status }) => [kind, status?.id]),
    [['update', id]],
  );
  assert.deepEqual(await notices(here, bob), ['mention']);
  here.stage.close();
});

test('favourites, reblogs and replies are counted, undone, and removed with the status', async () => {
  const here = await town(['alice', 'bob']);
  const [alice, bob] = [here.id('alice'), here.id('bob')];
  const { id, conversationId } = fine(await here.account(alice, 'post', blankPost));
  const mark = { statusId: id, by: bob };
  fine(await here.conversation(conversationId, 'favourite', mark));
  const { reblogId = '' } = fine(await here.conversation(conversationId, 'reblog', mark));
  assert.equal(fine(await here.conversation(conversationId, 'reblog', mark)).reblogId, reblogId);
  const reply = { ...blankPost, conversationId, inReplyToId: id, inReplyToAccountId: alice };
  const answer = fine(await here.account(bob, 'post', reply));
  const row = await here.tables.get(statuses, { status: id });
  assert.deepEqual([row?.favourites, row?.reblogs, row?.replies], [1, 1, 1]);
  assert.equal((await here.tables.get(statuses, { status: reblogId }))?.reblogOfId, id);
  assert.equal((await here.tables.get(accounts, { account: bob }))?.statuses, 2);
  assert.deepEqual(await notices(here, alice), ['favourite', 'reblog']);
  assert.deepEqual(fine(await here.conversation(conversationId, 'context', { statusId: id })).descendants, [answer.id]);
  fine(await here.conversation(conversationId, 'remove', { statusId: id, by: alice }));
  const gone = await here.tables.get(statuses, { status: id });
  assert.deepEqual([gone?.deleted, gone?.text], [true, '']);
  assert.equal(await here.tables.get(statuses, { status: reblogId }), undefined);
  assert.equal(await here.tables.get(marks, { account: bob, era: eraOfId(id), status: id }), undefined);
  assert.equal((await here.tables.range(favouritedBy, { status: id }, { limit: 9 })).length, 0);
  assert.equal((await here.tables.range(rebloggedBy, { status: id }, { limit: 9 })).length, 0);
  assert.deepEqual(
    [
      (await here.tables.get(accounts, { account: alice }))?.statuses,
      (await here.tables.get(accounts, { account: bob }))?.statuses,
    ],
    [0, 1],
  );
  assert.deepEqual(
    here.published.map(({ kind }) => kind),
    ['update', 'update', 'update', 'delete'],
  );
  here.stage.close();
});

test('notifications are dismissed one at a time or all at once', async () => {
  const here = await town(['alice', 'bob', 'carol']);
  const [alice, bob, carol] = [here.id('alice'), here.id('bob'), here.id('carol')];
  for (const follower of [bob, carol]) fine(await here.account(follower, 'follow', { target: alice, ...writes }));
  const [first] = await here.tables.range(notifications, { account: alice, era: eraOfId(alice) }, { limit: 9 });
  fine(await here.account(alice, 'dismissNotification', { id: first?.key.notification ?? '' }));
  assert.equal((await notices(here, alice)).length, 1);
  fine(await here.account(alice, 'clearNotifications', {}));
  assert.deepEqual(await notices(here, alice), []);
  here.stage.close();
});

test('a token is in the store until it is revoked, and a new password revokes all', async () => {
  const here = await town(['alice']);
  const alice = here.id('alice');
  for (const tokenHash of ['one', 'two'])
    fine(await here.account(alice, 'issueToken', { tokenHash, clientId: 'app', scopes: ['read'], kind: 'access' }));
  assert.equal((await here.tables.get(tokens, { hash: 'one' }))?.accountId, alice);
  fine(await here.account(alice, 'revokeToken', { tokenHash: 'one' }));
  assert.equal(await here.tables.get(tokens, { hash: 'one' }), undefined);
  fine(await here.account(alice, 'changePassword', { passwordHash: 'other' }));
  assert.equal(await here.tables.get(tokens, { hash: 'two' }), undefined);
  here.stage.close();
});

test('a sign-up without a confirmed address sends one mail with the link', async () => {
  const here = await town(['alice', 'unconfirmed']);
  assert.deepEqual(
    here.mails.map(({ to }) => to),
    ['unconfirmed@example.org'],
  );
  const link = /https:\/\/here\.example\/auth\/confirmation\?confirmation_token=(\S+)/;
  const id = here.id('unconfirmed');
  const nonce = 'confirmation-nonce';
  assert.equal(link.exec(here.mails[0]?.text ?? '')?.[1], keyedTokens.make('confirmation', { account: id, nonce }));
  fine(await here.account(id, 'confirmEmail', { nonce }));
  assert.equal((await here.tables.get(accounts, { account: id }))?.confirmed, true);
  here.stage.close();
});
