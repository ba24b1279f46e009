import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { emptyProfile } from '../../../actors/account/profile.js';
import { GRAFTS_OF_STATUS_MAX } from '../../../actors/conversation/graft.js';
import { THREAD_STATUSES_MAX } from '../../../actors/conversation/state.js';
import { eraOfId, makeId } from '../../../actors/domain/ids.js';
import { isProblem } from '../../../actors/domain/problem.js';
import { earlyReplies, knownUris } from '../../../store/federation-tables.js';
import { accountStatuses, notifications, statuses } from '../../../store/tables.js';
import { status as blankStatus } from '../conversation/thread-of-one.js';
import { blankPost, FAR, town } from './town.js';

/** Time of the id of the first status that fills a thread. */
const FIRST_MS = 1_760_000_000_000;
/** Commands that an actor accepts at the same time. */
const AT_ONCE = 200;

type Town = Awaited<ReturnType<typeof town>>;
const closing: Town[] = [];
afterEach(() => {
  for (const { stage } of closing.splice(0)) stage.close();
});

/** Returns two accounts of another server, whose statuses arrive by `receive`. */
async function world() {
  const here = await town(['ann']);
  closing.push(here);
  const { account, stage, tables } = here;
  const described = async (username: string, shard: number) => {
    const id = makeId(stage.clock.nowMs(), shard, 63);
    const uri = `https://${FAR}/users/${username}`;
    const actor = {
      ...{ uri, url: '', inbox: `${uri}/inbox`, sharedInbox: '', outbox: '', followersUri: '', featuredUri: '' },
      ...{ keys: [], type: 'Person', alsoKnownAs: [], movedTo: '', fetchedAtMs: stage.clock.nowMs(), gone: false },
      ...{ avatarUrl: '', headerUrl: '', emojis: [], publishedMs: 0 },
    };
    await account(id, 'describe', { username, domain: FAR, profile: emptyProfile, actor });
    return id;
  };
  const [bob, eve] = [await described('bob', 1), await described('eve', 2)];
  const uriOf = (name: string) => `https://${FAR}/notes/${name}`;
  /** Returns a status whose parent is not known here. */
  const statusOf = (name: string, parent = '', more: object = {}) => ({
    ...blankStatus({ id: '', conversationId: '', domain: FAR, createdAtMs: stage.clock.nowMs() }),
    ...{ accountId: '', origin: { uri: uriOf(name), url: '' } },
    remote: { emojis: [], updatedMs: 0, inReplyToUri: parent && uriOf(parent), repliesUri: '' },
    ...more,
  });
  const receive = async (by: string, ...status: Parameters<typeof statusOf>) => {
    const answer = await account(by, 'receive', { status: statusOf(...status) });
    assert.ok(!isProblem(answer));
    return answer.id;
  };
  const record = async (id: string) => (await tables.get(statuses, { status: id })) ?? assert.fail(id);
  const waiting = async (parent: string) =>
    (await tables.range(earlyReplies, { parent: uriOf(parent) }, { limit: 5_000 })).map(({ key }) => key.reply);
  const below = async (id: string) => {
    const context = await here.conversation((await record(id)).conversationId, 'context', { statusId: id });
    assert.ok(!isProblem(context));
    return context.descendants;
  };
  return { ...here, bob, eve, uriOf, statusOf, receive, record, waiting, below };
}

test('a reply that arrived first is joined to its parent, and forgotten by the index', async () => {
  const { bob, eve, receive, record, waiting, below, tables, published } = await world();
  const reply = await receive(bob, 'reply', 'root');
  assert.deepEqual(await waiting('root'), [reply]);
  const root = await receive(eve, 'root');
  const { inReplyToId, inReplyToAccountId } = await record(reply);
  assert.deepEqual([inReplyToId, inReplyToAccountId], [root, eve]);
  const listed = await tables.get(accountStatuses, { account: bob, era: eraOfId(reply), status: reply });
  assert.equal(listed?.inReplyToId, root);
  assert.deepEqual([await below(root), (await record(root)).replies], [[reply], 1]);
  assert.deepEqual(await waiting('root'), []);
  const edits = published.filter(({ kind, id }) => kind === 'edit' && id === reply);
  assert.deepEqual(
    edits.map(({ status }) => status?.inReplyToId),
    [root],
  );
});

test('a muted conversation makes no notifications, from its grafts neither', async () => {
  const { id, bob, eve, account, receive, tables, stage } = await world();
  const ann = id('ann');
  const mentions = [{ accountId: ann, username: 'ann', acct: 'ann', url: '' }];
  const era = eraOfId(makeId(stage.clock.nowMs(), 0, 0));
  const notices = async () => (await tables.range(notifications, { account: ann, era }, { limit: 10 })).length;
  const reply = await receive(bob, 'reply', 'middle', { mentions });
  const middle = await receive(eve, 'middle', 'root', { mentions });
  const root = await receive(eve, 'root', '', { mentions });
  const before = await notices();
  await account(ann, 'muteConversation', { conversationId: root });
  for (const [name, at] of [
    ['one', reply],
    ['two', middle],
    ['three', root],
  ] as const)
    await receive(bob, name, '', { mentions, inReplyToId: at, inReplyToAccountId: eve, conversationId: at });
  assert.equal(await notices(), before);
  await account(ann, 'unmuteConversation', { conversationId: root });
  const answering = { mentions, inReplyToId: reply, inReplyToAccountId: bob, conversationId: reply };
  await receive(bob, 'four', '', answering);
  assert.equal(await notices(), before + 1);
});

test('a reply and its parent that arrive at the same time find each other', async () => {
  const { bob, eve, askAccount, statusOf, stage, record, below, waiting } = await world();
  const pairs = Array.from({ length: 20 }, (_, n) => {
    const reply = () => askAccount(bob, 'receive', { status: statusOf(`reply${n}`, `root${n}`) });
    const root = () => askAccount(eve, 'receive', { status: statusOf(`root${n}`) });
    return n % 2 === 0 ? [reply(), root()] : [root(), reply()].toReversed();
  });
  await stage.clock.settle();
  for (const [n, pair] of pairs.entries()) {
    const [reply, root] = await Promise.all(pair);
    assert.ok(reply !== undefined && root !== undefined && !isProblem(reply) && !isProblem(root));
    assert.equal((await record(reply.id)).inReplyToId, root.id, `pair ${n}`);
    assert.deepEqual([await below(root.id), await waiting(`root${n}`)], [[reply.id], []]);
  }
});

test('a deleted reply leaves the thread, and a deleted parent leaves the reply', async () => {
  const { bob, eve, account, receive, record, below, waiting, uriOf } = await world();
  const [one, two] = [await receive(bob, 'one', 'root'), await receive(bob, 'two', 'root')];
  const never = await receive(bob, 'three', 'never');
  await account(bob, 'forgetReceived', { uri: uriOf('three') });
  assert.deepEqual([(await record(never)).deleted, await waiting('never')], [true, []]);
  const root = await receive(eve, 'root');
  assert.equal((await record(root)).replies, 2);
  await account(bob, 'forgetReceived', { uri: uriOf('one') });
  assert.deepEqual([await below(root), (await record(root)).replies], [[two], 1]);
  assert.equal((await record(one)).deleted, true);
  await account(eve, 'forgetReceived', { uri: uriOf('root') });
  assert.equal((await record(two)).parentGone, true);
});

test('a thousand replies to a status that never arrives leave a bounded index', async () => {
  const { bob, receive, waiting } = await world();
  for (let n = 0; n < 1_000; n++) await receive(bob, `claim${n}`, 'never');
  assert.equal((await waiting('never')).length, GRAFTS_OF_STATUS_MAX);
});

test('claims in a circle end with one thread', async () => {
  const { bob, eve, receive, record, below } = await world();
  const one = await receive(bob, 'one', 'two');
  const two = await receive(eve, 'two', 'one', { inReplyToId: one, inReplyToAccountId: bob, conversationId: one });
  assert.deepEqual([(await record(one)).inReplyToId, (await record(two)).inReplyToId], [undefined, one]);
  assert.deepEqual([await below(one), await below(two)], [[two], []]);
});

test('claims in a circle through two threads end with a graft each way', async () => {
  const { bob, eve, receive, record, below } = await world();
  const [one, two] = [await receive(bob, 'one', 'two'), await receive(eve, 'two', 'three')];
  const answering = { inReplyToId: one, inReplyToAccountId: bob, conversationId: one };
  const three = await receive(bob, 'three', 'one', answering);
  const parents = await Promise.all([one, two, three].map(async (id) => (await record(id)).inReplyToId));
  assert.deepEqual(parents, [two, three, one]);
  assert.deepEqual([await below(one), await below(two)], [[three, two], [one]]);
});

test('a claim to answer a status of this server that does not exist is not remembered', async () => {
  const { bob, account, statusOf, tables } = await world();
  const uri = 'https://here.example/users/ann/statuses/1';
  const status = statusOf('claim', '');
  await account(bob, 'receive', { status: { ...status, remote: { ...status.remote, inReplyToUri: uri } } });
  assert.deepEqual(await tables.range(earlyReplies, { parent: uri }, { limit: 10 }), []);
});

test('a reply that does not fit its thread begins one of its own, and is below its parent', async () => {
  const { id, account, askConversation, stage, record, below, bob, receive, uriOf, tables, delivered, conversation } =
    await world();
  const root = await account(id('ann'), 'post', blankPost);
  assert.ok(!isProblem(root));
  const { id: inReplyToId, conversationId } = root;
  const answering = { inReplyToId, inReplyToAccountId: id('ann'), conversationId };
  const early = await receive(bob, 'early', '', answering);
  for (let from = 2; from < THREAD_STATUSES_MAX; from += AT_ONCE) {
    const count = Math.min(AT_ONCE, THREAD_STATUSES_MAX - from);
    const added = Array.from({ length: count }, (_, n) => {
      const status = blankStatus({ id: makeId(FIRST_MS + from + n, 1, 1), accountId: id('ann'), conversationId });
      return askConversation(conversationId, 'add', { status });
    });
    await stage.clock.settle();
    await Promise.all(added);
  }
  const local = await account(id('ann'), 'post', { ...blankPost, ...answering });
  assert.ok(!isProblem(local));
  const remote = await receive(bob, 'reply', '', answering);
  for (const reply of [local.id, remote]) {
    const stored = await record(reply);
    assert.deepEqual([stored.conversationId, stored.inReplyToId], [reply, root.id]);
  }
  assert.equal((await tables.get(knownUris, { uri: uriOf('reply') }))?.conversationId, remote);
  assert.deepEqual([await below(root.id), (await record(root.id)).replies], [[early, local.id, remote], 3]);
  const toBob = { ...blankPost, inReplyToId: early, inReplyToAccountId: bob, conversationId };
  const told = await account(id('ann'), 'post', toBob);
  assert.ok(!isProblem(told));
  assert.equal((await record(told.id)).conversationId, told.id);
  await conversation(told.id, 'remove', { statusId: told.id, by: id('ann'), discardMedia: false });
  assert.deepEqual(
    delivered.map(({ inbox, activity }) => [inbox, activity.type]),
    [
      [`https://${FAR}/users/bob/inbox`, 'Create'],
      [`https://${FAR}/users/bob/inbox`, 'Delete'],
    ],
  );
});
