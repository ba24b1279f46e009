import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { emptyProfile } from '../../../actors/account/profile.js';
import { alarmKey } from '../../../actors/domain/alarm.js';
import { makeId } from '../../../actors/domain/ids.js';
import { isProblem } from '../../../actors/domain/problem.js';
import { Alarms } from '../../../actors/runtime/effects/alarms.js';
import { alarms } from '../../../store/tables.js';
import { status as blankStatus } from '../conversation/thread-of-one.js';
import { blankPost, FAR, town } from './town.js';

type Town = Awaited<ReturnType<typeof town>>;
const closing: Town[] = [];
afterEach(() => {
  for (const { stage } of closing.splice(0)) stage.close();
});

const BOB_URI = `https://${FAR}/users/bob`;
const ANN_URI = 'https://here.example/users/ann';

/** Returns an edit of a status. */
const edited = (statusId: string, by: string) => ({
  ...{ statusId, by, text: 'better', html: '<p>better</p>', spoilerText: '', sensitive: false, mentions: [], tags: [] },
});

/** Returns ann, an account of this server, and bob, one of another. */
async function world() {
  const here = await town(['ann']);
  closing.push(here);
  const [ann, bob] = [here.id('ann'), makeId(here.stage.clock.nowMs(), 1, 63)];
  const actor = {
    ...{ uri: BOB_URI, url: '', inbox: `${BOB_URI}/inbox`, sharedInbox: `https://${FAR}/inbox`, outbox: '' },
    ...{ followersUri: '', featuredUri: '', keys: [], type: 'Person', alsoKnownAs: [], movedTo: '' },
    ...{ fetchedAtMs: here.stage.clock.nowMs(), gone: false, avatarUrl: '', headerUrl: '', emojis: [], publishedMs: 0 },
  };
  await here.account(bob, 'describe', { username: 'bob', domain: FAR, profile: emptyProfile, actor });
  const relation = async () => {
    const relations = await here.account(ann, 'relations', { targets: [bob] });
    if (isProblem(relations)) throw new Error(relations.detail);
    return relations.relations[0];
  };
  /** Returns the activities that were delivered since the last call. */
  const sent = async () => {
    await here.stage.clock.settle();
    return here.delivered.splice(0);
  };
  const types = async () => (await sent()).map(({ activity }) => activity.type);
  const follow = { target: bob, targetLocked: false };
  const followed = { target: ann, targetLocked: false, activityId: `${BOB_URI}/follows/1` };
  return { ...here, ann, bob, relation, sent, types, follow, followed };
}

test('a follow of an unlocked remote account shows at once, waits then, and is sent to its inbox', async () => {
  const { account, ann, relation, sent, follow } = await world();
  const answer = await account(ann, 'follow', follow);
  assert.ok(!isProblem(answer));
  assert.deepEqual([answer.following, answer.requested], [true, false]);
  const pending = await relation();
  assert.deepEqual([pending?.following, pending?.requested], [false, true]);
  const [one, ...more] = await sent();
  assert.deepEqual(more, []);
  assert.deepEqual([one?.inbox, one?.signer], [`${BOB_URI}/inbox`, ann]);
  const { id, type, actor, object } = one?.activity ?? {};
  assert.deepEqual({ type, actor, object }, { type: 'Follow', actor: ANN_URI, object: BOB_URI });
  assert.match(id ?? '', /^https:\/\/here\.example\/users\/ann#follows\/[0-9]{18}$/);
});

test('an Accept settles the follow, and its end sends Undo of the same Follow', async () => {
  const { account, ann, bob, relation, sent, follow } = await world();
  await account(ann, 'follow', follow);
  const [one] = await sent();
  await account(bob, 'authorizeFollow', { follower: ann });
  assert.equal((await relation())?.following, true);
  await account(ann, 'unfollow', { target: bob });
  const [undo, ...more] = await sent();
  assert.deepEqual(more, []);
  const { id, type, object } = undo?.activity ?? {};
  assert.deepEqual([type, id], ['Undo', `${one?.activity.id}/undo`]);
  assert.deepEqual((object as { id: string }).id, one?.activity.id);
});

test('a Reject ends a request or a follow, and sends nothing', async () => {
  const { account, ann, bob, relation, types, follow } = await world();
  await account(ann, 'follow', follow);
  await account(bob, 'rejectFollow', { follower: ann });
  assert.deepEqual([(await relation())?.requested, await types()], [false, ['Follow']]);
});

test('a withdrawn request sends Undo', async () => {
  const { account, ann, bob, types, follow } = await world();
  await account(ann, 'follow', follow);
  await account(ann, 'unfollow', { target: bob });
  assert.deepEqual(await types(), ['Follow', 'Undo']);
});

test('a remote follower is accepted by an Accept that contains the Follow', async () => {
  const { account, ann, bob, relation, sent, followed } = await world();
  await account(bob, 'follow', followed);
  assert.equal((await relation())?.followedBy, true);
  const [accept, ...more] = await sent();
  assert.deepEqual([more, accept?.signer, accept?.inbox], [[], ann, `${BOB_URI}/inbox`]);
  const { type, actor, object } = accept?.activity ?? {};
  const embedded = { id: followed.activityId, type: 'Follow', actor: BOB_URI, object: ANN_URI };
  assert.deepEqual({ type, actor, object }, { type: 'Accept', actor: ANN_URI, object: embedded });
});

test('a remote follower who asks again gets another Accept', async () => {
  const { account, bob, sent, followed } = await world();
  await account(bob, 'follow', followed);
  await account(bob, 'follow', { ...followed, activityId: `${BOB_URI}/follows/2` });
  const accepts = await sent();
  assert.deepEqual(
    accepts.map(({ activity }) => (activity.object as { id: string }).id),
    [`${BOB_URI}/follows/1`, `${BOB_URI}/follows/2`],
  );
  assert.equal(new Set(accepts.map(({ activity }) => activity.id)).size, 2);
});

test('a locked account answers a remote follower when its owner has decided', async () => {
  const { account, ann, bob, types, followed } = await world();
  await account(ann, 'updateProfile', { fields: [], locked: true } as never);
  await account(bob, 'follow', followed);
  assert.deepEqual(await types(), []);
  await account(ann, 'authorizeFollow', { follower: bob });
  assert.deepEqual(await types(), ['Accept']);
  await account(bob, 'unfollow', { target: ann });
  await account(bob, 'follow', followed);
  await account(ann, 'rejectFollow', { follower: bob });
  assert.deepEqual(await types(), ['Reject']);
});

test('a removed remote follower gets a Reject, and its own Undo gets nothing', async () => {
  const { account, ann, bob, types, followed } = await world();
  await account(bob, 'follow', followed);
  await account(bob, 'unfollow', { target: ann });
  assert.deepEqual(await types(), ['Accept']);
  await account(bob, 'follow', followed);
  await types();
  const state = await account(bob, 'following', { limit: 1 } as never);
  const edgeId = isProblem(state) ? '' : (state.edges[0]?.edgeId ?? '');
  await account(ann, 'dropFollower', { follower: bob, edgeId });
  assert.deepEqual(await types(), ['Reject']);
});

test('a hidden domain ends the follows of its accounts with a Reject', async () => {
  const { account, ann, bob, relation, types, followed } = await world();
  await account(bob, 'follow', followed);
  await types();
  await account(ann, 'partFromDomain', { domain: FAR, following: false });
  assert.deepEqual([await types(), (await relation())?.followedBy], [['Reject'], false]);
});

test('a block sends Block and ends the follows of both, and its end sends Undo of the same Block', async () => {
  const { account, ann, bob, relation, sent, follow, followed } = await world();
  await account(ann, 'follow', follow);
  await account(bob, 'authorizeFollow', { follower: ann });
  await account(bob, 'follow', followed);
  await sent();
  await account(ann, 'block', { target: bob });
  const blocked = await sent();
  assert.deepEqual(blocked.map(({ activity }) => activity.type).sort(), ['Block', 'Reject', 'Undo']);
  const { following, followedBy, blocking } = (await relation()) ?? {};
  assert.deepEqual([following, followedBy, blocking], [false, false, true]);
  await account(ann, 'unblock', { target: bob });
  const [undo, ...more] = await sent();
  const block = blocked.find(({ activity }) => activity.type === 'Block');
  assert.deepEqual(more, []);
  assert.equal(undo?.activity.id, `${block?.activity.id}/undo`);
  await account(ann, 'block', { target: bob });
  assert.notEqual((await sent())[0]?.activity.id, block?.activity.id);
});

test('a follow of a blocked account is rejected', async () => {
  const { account, ann, bob, relation, types, followed } = await world();
  await account(ann, 'block', { target: bob });
  await types();
  await account(bob, 'follow', followed);
  assert.deepEqual([await types(), (await relation())?.followedBy], [['Reject'], false]);
});

test('a post to followers elsewhere asks no follower: their inboxes are rows', async () => {
  const { account, ann, bob, sent, types, followed, node } = await world();
  await account(bob, 'follow', followed);
  await sent();
  const asked = () => new Map(node.runtime.load(10).hot.map(({ id, count }) => [id, count]));
  const before = asked();
  // One command of some is counted.
  for (let number = 0; number < 64; number++) await account(ann, 'post', blankPost);
  assert.equal((await types()).filter((type) => type === 'Create').length, 64);
  const after = asked();
  assert.ok(Number(after.get(ann)) > Number(before.get(ann) ?? 0));
  assert.deepEqual([after.get(bob), after.size], [before.get(bob), before.size]);
});

test('follows between local accounts send nothing', async () => {
  const here = await town(['ann', 'carl']);
  closing.push(here);
  await here.account(here.id('ann'), 'follow', { target: here.id('carl'), targetLocked: false });
  await here.account(here.id('ann'), 'block', { target: here.id('carl') });
  await here.stage.clock.settle();
  assert.deepEqual(here.delivered, []);
});

test('votes of a minute reach followers elsewhere as one Update with the counts, and so does the end', async () => {
  const { account, conversation, ann, bob, sent, followed, stage, tables } = await world();
  await account(bob, 'follow', followed);
  const poll = { options: ['felt', 'wool'], expiresInMs: 300_000, multiple: false, hideTotals: false };
  const made = await account(ann, 'post', { ...blankPost, poll });
  assert.ok('id' in made);
  await sent();
  const voters = [1, 2, 3].map((n) => makeId(stage.clock.nowMs(), 2, n));
  for (const by of voters) await conversation(made.conversationId, 'vote', { statusId: made.id, by, choices: [1] });
  assert.deepEqual(await sent(), [], 'no request for each vote');
  assert.equal(await ring(tables, stage, made.conversationId, conversation, 2_000), 1, 'the first vote has an alarm');
  const [first, ...others] = await sent();
  assert.deepEqual([first?.activity.type, others], ['Update', []]);
  assert.equal(await ring(tables, stage, made.conversationId, conversation, 58_000), 1, 'later votes share theirs');
  const [counts, ...more] = await sent();
  assert.deepEqual([counts?.inbox, counts?.activity.type, more], [`https://${FAR}/inbox`, 'Update', []]);
  assert.deepEqual(countsOf(counts?.activity.object), [0, 3, 3]);
  await ring(tables, stage, made.conversationId, conversation, 300_000);
  const [end, ...none] = await sent();
  assert.deepEqual([end?.activity.type, none], ['Update', []]);
  assert.equal(typeof (end?.activity.object as { closed?: string } | undefined)?.closed, 'string');
  assert.notEqual(end?.activity.id, counts?.activity.id);
});

test('edits and deletions reach the servers of those who answered, favourited, reblogged or quoted, once', async () => {
  const { account, conversation, ann, bob, sent, stage } = await world();
  const takesPart: Readonly<Record<string, (statusId: string, thread: string) => Promise<unknown>>> = {
    favourited: (statusId, thread) => conversation(thread, 'favourite', { statusId, by: bob }),
    reblogged: (statusId, thread) => conversation(thread, 'reblog', { statusId, by: bob }),
    quoted: (statusId, thread) =>
      conversation(thread, 'quote', {
        ...{ statusId, by: bob, visibility: 'public', follows: false, conversationId: '9' },
        quotingId: makeId(stage.clock.nowMs(), 3, 1),
      }),
    answered: (statusId, thread) =>
      conversation(thread, 'add', {
        status: {
          ...blankStatus({ id: makeId(stage.clock.nowMs(), 3, 2), conversationId: thread }),
          ...{ accountId: bob, domain: FAR, inReplyToId: statusId },
        },
      }),
    'answered in a conversation of its own': (statusId, thread) => {
      const id = makeId(stage.clock.nowMs(), 3, 3);
      const reply = { ...blankStatus({ id, conversationId: id }), accountId: bob, domain: FAR, inReplyToId: statusId };
      return conversation(id, 'add', { status: reply, parentConversationId: thread });
    },
  };
  for (const [what, takePart] of Object.entries(takesPart)) {
    const made = await account(ann, 'post', blankPost);
    assert.ok('id' in made);
    await takePart(made.id, made.conversationId);
    assert.deepEqual(await sent(), [], what);
    await conversation(made.conversationId, 'edit', edited(made.id, ann));
    await conversation(made.conversationId, 'remove', { statusId: made.id, by: ann, discardMedia: false });
    const activities = await sent();
    assert.deepEqual(
      activities.map(({ inbox, activity }) => [inbox, activity.type]),
      [
        [`https://${FAR}/inbox`, 'Update'],
        [`https://${FAR}/inbox`, 'Delete'],
      ],
      what,
    );
  }
});

test('a new version for followers only does not reach those who took part; its deletion does', async () => {
  const { account, conversation, ann, bob, types } = await world();
  const made = await account(ann, 'post', { ...blankPost, visibility: 'private' });
  assert.ok('id' in made);
  await conversation(made.conversationId, 'favourite', { statusId: made.id, by: bob });
  await conversation(made.conversationId, 'edit', edited(made.id, ann));
  assert.deepEqual(await types(), []);
  await conversation(made.conversationId, 'remove', { statusId: made.id, by: ann, discardMedia: false });
  assert.deepEqual(await types(), ['Delete']);
});

test('votes in the poll of somebody whom nobody elsewhere follows send nothing', async () => {
  const { account, conversation, ann, sent, stage, tables } = await world();
  const poll = { options: ['felt', 'wool'], expiresInMs: 300_000, multiple: false, hideTotals: false };
  const made = await account(ann, 'post', { ...blankPost, poll });
  assert.ok('id' in made);
  const by = makeId(stage.clock.nowMs(), 2, 1);
  await conversation(made.conversationId, 'vote', { statusId: made.id, by, choices: [1] });
  await ring(tables, stage, made.conversationId, conversation, 60_000);
  assert.deepEqual(await sent(), []);
});

test('a vote from elsewhere brings the counts to its server, though nobody follows there', async () => {
  const { account, conversation, ann, bob, types, stage, tables } = await world();
  const poll = { options: ['felt', 'wool'], expiresInMs: 300_000, multiple: false, hideTotals: false };
  const made = await account(ann, 'post', { ...blankPost, poll });
  assert.ok('id' in made);
  await conversation(made.conversationId, 'vote', { statusId: made.id, by: bob, choices: [1] });
  await ring(tables, stage, made.conversationId, conversation, 1_999);
  assert.deepEqual(await types(), []);
  await ring(tables, stage, made.conversationId, conversation, 1);
  assert.deepEqual(await types(), ['Update'], 'two seconds after the first vote');
  await ring(tables, stage, made.conversationId, conversation, 300_000);
  assert.deepEqual(await types(), ['Update']);
});

test('the first vote in a poll reaches followers elsewhere two seconds later', async () => {
  const { account, conversation, ann, bob, sent, types, followed, stage, node, tables } = await world();
  const ringing = new Alarms({
    ...{ tables, asker: node.runtime, placement: node.placement, clock: stage.clock },
    logger: { info: () => undefined, warn: () => undefined, error: () => undefined },
  });
  node.alarmSet = (alarm) => ringing.wasSet(alarm);
  ringing.start();
  await account(bob, 'follow', followed);
  const poll = { options: ['felt', 'wool'], expiresInMs: 300_000, multiple: false, hideTotals: false };
  const made = await account(ann, 'post', { ...blankPost, poll });
  assert.ok('id' in made);
  await sent();
  await conversation(made.conversationId, 'vote', { statusId: made.id, by: bob, choices: [1] });
  await stage.clock.advance(1_999);
  assert.deepEqual(await types(), []);
  await stage.clock.advance(1);
  const [counts, ...more] = await sent();
  assert.deepEqual([counts?.activity.type, countsOf(counts?.activity.object), more], ['Update', [0, 1, 1], []]);
  await stage.clock.advance(58_000);
  assert.deepEqual(await types(), []);
  ringing.close();
});

/** Calls the conversation for its alarms of the next time, as a node does. Returns their number. */
async function ring(
  tables: Town['tables'],
  stage: Town['stage'],
  id: string,
  conversation: Town['conversation'],
  ms: number,
): Promise<number> {
  const fromMs = stage.clock.nowMs();
  await stage.clock.advance(ms);
  const { lane, day } = alarmKey('conversation', id, stage.clock.nowMs(), '');
  const rows = await tables.range(alarms, { lane, day }, { limit: 100 });
  const due = rows.filter(
    ({ key }) => key.actor === `conversation/${id}` && key.ringMs > fromMs && key.ringMs <= stage.clock.nowMs(),
  );
  for (const { key } of due) await conversation(id, 'alarm', { what: key.what, atMs: key.ringMs });
  return due.length;
}

/** Returns the votes of the options, and the number of voters, of a Question. */
function countsOf(question: unknown): unknown[] {
  const { oneOf, votersCount } = question as { oneOf: { replies: { totalItems: number } }[]; votersCount: number };
  return [...oneOf.map(({ replies }) => replies.totalItems), votersCount];
}
