import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { emptyProfile } from '../../../actors/account/profile.js';
import { makeId } from '../../../actors/domain/ids.js';
import { quoteStamps } from '../../../store/federation-tables.js';
import { statuses } from '../../../store/tables.js';
import { status as blankStatus } from '../conversation/thread-of-one.js';
import { blankPost, FAR, town } from './town.js';

type Town = Awaited<ReturnType<typeof town>>;
const closing: Town[] = [];
afterEach(() => {
  for (const { stage } of closing.splice(0)) stage.close();
});

const BOB_URI = `https://${FAR}/users/bob`;
const THEIRS = `${BOB_URI}/statuses/7`;
const STAMP = `${BOB_URI}/stamps/1`;
const ANN_URI = 'https://here.example/users/ann';
// biome-ignore lint/suspicious/noExplicitAny: tests read into documents of every shape.
type Activity = any;

/** Returns ann, an account of this server, and bob, one of another, with one status each. */
async function world() {
  const here = await town(['ann']);
  closing.push(here);
  const { account, conversation, stage } = here;
  const [ann, bob] = [here.id('ann'), makeId(stage.clock.nowMs(), 1, 63)];
  const actor = {
    ...{ uri: BOB_URI, url: '', inbox: `${BOB_URI}/inbox`, sharedInbox: `https://${FAR}/inbox`, outbox: '' },
    ...{ followersUri: '', featuredUri: '', keys: [], type: 'Person', alsoKnownAs: [], movedTo: '' },
    ...{ fetchedAtMs: stage.clock.nowMs(), gone: false, avatarUrl: '', headerUrl: '', emojis: [], publishedMs: 0 },
  };
  await account(bob, 'describe', { username: 'bob', domain: FAR, profile: emptyProfile, actor });
  const theirs = makeId(stage.clock.nowMs(), 1, 5);
  const origin = { uri: THEIRS, url: '' };
  const remote = { emojis: [], updatedMs: 0, inReplyToUri: '', repliesUri: '' };
  const foreign = {
    ...blankStatus({ id: theirs, conversationId: theirs, domain: FAR }),
    accountId: bob,
    origin,
    remote,
  };
  await conversation(theirs, 'add', { status: { ...foreign, quotePolicy: 'public' } });
  /** Ann posts. Returns the id. */
  const post = async (more: object = {}): Promise<string> => {
    const made = await account(ann, 'post', { ...blankPost, ...more });
    assert.ok('id' in made);
    return made.id;
  };
  const quote = { statusId: theirs, accountId: bob, conversationId: theirs, state: '', follows: false, uri: THEIRS };
  /** Returns the activities that were delivered since the last call, with their inboxes. */
  const sent = async () => {
    await stage.clock.settle();
    return here.delivered.splice(0) as { inbox: string; activity: Activity }[];
  };
  const sentTypes = async () => (await sent()).map(({ activity }) => activity.type);
  const record = async (id: string) => here.tables.get(statuses, { status: id });
  const settle = (id: string, state: string) =>
    conversation(id, 'settleQuote', {
      ...{ statusId: id, quotedId: theirs, state },
      ...(state === 'accepted' ? { approvalUri: STAMP } : {}),
    });
  return { ...here, ann, bob, theirs, foreign, post, quote, sent, sentTypes, record, settle };
}

test('a quote of a remote status asks its author, and shows after the Accept, with its stamp', async () => {
  const { post, quote, sent, record, settle, theirs, tables, bob } = await world();
  const id = await post({ quote });
  assert.equal((await record(id))?.quote?.state, 'pending');
  const [create, request, ...more] = await sent();
  assert.deepEqual(more, []);
  const { quote: stated, quoteUri, quoteAuthorization } = create?.activity.object ?? {};
  assert.deepEqual(
    [create?.activity.type, stated, quoteUri, quoteAuthorization],
    ['Create', THEIRS, undefined, undefined],
  );
  assert.equal(request?.inbox, `${BOB_URI}/inbox`);
  const { instrument, ...asked } = request?.activity ?? {};
  const uri = `${ANN_URI}/statuses/${id}`;
  assert.deepEqual(
    [asked.id, asked.type, asked.actor, asked.object],
    [`${uri}#quote-request`, 'QuoteRequest', ANN_URI, THEIRS],
  );
  assert.deepEqual([instrument.id, instrument.quote], [uri, THEIRS]);
  await settle(id, 'accepted');
  const [update, ...others] = await sent();
  assert.deepEqual([update?.activity.type, others], ['Update', []]);
  const { object } = update?.activity ?? {};
  assert.deepEqual([object.quote, object.quoteUri, object.quoteAuthorization], [THEIRS, THEIRS, STAMP]);
  assert.equal((await record(theirs))?.quotes, 1);
  assert.deepEqual(await tables.get(quoteStamps, { account: bob, stamp: STAMP }), { statusId: id });
});

test('a scheduled status that answers a remote one and quotes it is sent at its time', async () => {
  const { account, ann, bob, theirs, quote, stage, sent, sentTypes } = await world();
  const answer = { inReplyToId: theirs, inReplyToAccountId: bob, conversationId: theirs };
  const dueMs = stage.clock.nowMs() + 600_000;
  const kept = await account(ann, 'schedule', { post: { ...blankPost, ...answer, quote }, dueMs });
  assert.ok('id' in kept);
  await stage.clock.advance(600_000 - 1);
  assert.deepEqual(await sentTypes(), []);
  await stage.clock.advance(1);
  await account(ann, 'alarm', { what: kept.id, atMs: dueMs });
  const [create, request, ...more] = await sent();
  assert.deepEqual([create?.activity.type, request?.activity.type, more], ['Create', 'QuoteRequest', []]);
  const { inReplyTo, quote: quoted } = create?.activity.object ?? {};
  assert.deepEqual([inReplyTo, quoted], [THEIRS, THEIRS]);
});

test('the quote goes when its author revokes or refuses it', async () => {
  const { post, quote, sent, record, settle, theirs, tables, bob } = await world();
  const id = await post({ quote });
  await settle(id, 'accepted');
  await sent();
  await settle(id, 'revoked');
  const [update] = await sent();
  assert.deepEqual([update?.activity.type, update?.activity.object.quote], ['Update', undefined]);
  assert.equal((await record(theirs))?.quotes, undefined);
  assert.equal(await tables.get(quoteStamps, { account: bob, stamp: STAMP }), undefined);
  const refused = await post({ quote });
  await sent();
  await settle(refused, 'rejected');
  const [told] = await sent();
  assert.deepEqual([told?.activity.type, told?.activity.object.quote], ['Update', undefined]);
  assert.equal((await record(refused))?.quote?.state, 'rejected');
});

test('a deleted quoting status is deleted at the quoted author, too, and is not counted', async () => {
  const { post, quote, sentTypes, record, settle, theirs, conversation, ann } = await world();
  const id = await post({ quote });
  await settle(id, 'accepted');
  await sentTypes();
  await conversation(id, 'remove', { statusId: id, by: ann, discardMedia: false });
  assert.deepEqual([await sentTypes(), (await record(theirs))?.quotes], [['Delete'], undefined]);
});

test('a quote that its author may not see is only named to them, and a direct one stays so', async () => {
  for (const visibility of ['private', 'direct']) {
    const { post, quote, sent, settle } = await world();
    const id = await post({ quote, visibility });
    const [request, ...more] = await sent();
    assert.deepEqual([request?.activity.instrument, more], [`${ANN_URI}/statuses/${id}`, []], visibility);
    await settle(id, 'accepted');
    assert.deepEqual(await sent(), [], visibility);
  }
});

/** Returns a world in which bob's status 9 asks to quote one of ann's. */
async function asking(more: object = {}) {
  const here = await world();
  const { conversation, post, foreign, bob } = here;
  const id = await post(more);
  const quotingId = makeId(here.stage.clock.nowMs(), 1, 9);
  const quotingUri = `${BOB_URI}/statuses/9`;
  const origin = { uri: quotingUri, url: '' };
  await conversation(quotingId, 'add', { status: { ...foreign, id: quotingId, conversationId: quotingId, origin } });
  const stamp = `${ANN_URI}/statuses/${id}/quote_authorizations/${quotingId}`;
  const ask = () =>
    conversation(id, 'requestQuote', {
      ...{ statusId: id, by: bob, quotingId, quotingUri, visibility: 'public', follows: false },
      ...{ conversationId: quotingId, requestId: `${quotingUri}/request`, approvalUri: stamp },
    });
  await here.sent();
  return { ...here, id, quotingId, quotingUri, stamp, ask };
}

test('a permitted request gets an Accept with the stamp, and the quote shows here', async () => {
  const { ask, sent, stamp, quotingUri, quotingId, record, id } = await asking();
  await ask();
  const [accept, ...more] = await sent();
  assert.deepEqual([more, accept?.inbox], [[], `${BOB_URI}/inbox`]);
  const { type, actor, object, result } = accept?.activity ?? {};
  assert.deepEqual([type, actor, result], ['Accept', ANN_URI, stamp]);
  assert.deepEqual(object, {
    ...{ id: `${quotingUri}/request`, type: 'QuoteRequest', actor: BOB_URI },
    ...{ object: `${ANN_URI}/statuses/${id}`, instrument: quotingUri },
  });
  const { state, statusId, approvalUri } = (await record(quotingId))?.quote ?? {};
  assert.deepEqual([state, statusId, approvalUri, (await record(id))?.quotes], ['accepted', id, stamp, 1]);
  await ask();
  const [again] = await sent();
  assert.deepEqual([again?.activity.result, again?.activity.id === accept?.activity.id], [stamp, false]);
});

test('a refused request gets a Reject, and a revoked quote a Delete of its stamp', async () => {
  const refused = await asking({ quotePolicy: 'nobody' });
  await refused.ask();
  assert.deepEqual(await refused.sentTypes(), ['Reject']);
  assert.equal((await refused.record(refused.quotingId))?.quote?.state, 'rejected');
  const { ask, sent, sentTypes, conversation, ann, id, quotingId, quotingUri, stamp, record } = await asking();
  await ask();
  await sent();
  await conversation(id, 'revokeQuote', { statusId: id, by: ann, quotingId });
  const [deleted, ...more] = await sent();
  assert.deepEqual([deleted?.activity.type, more], ['Delete', []]);
  assert.deepEqual(deleted?.activity.object, {
    ...{ id: stamp, type: 'QuoteAuthorization', attributedTo: ANN_URI },
    ...{ interactingObject: quotingUri, interactionTarget: `${ANN_URI}/statuses/${id}` },
  });
  assert.equal((await record(quotingId))?.quote?.state, 'revoked');
  await ask();
  assert.deepEqual([await sentTypes(), (await record(quotingId))?.quote?.state], [['Reject'], 'revoked']);
});

test('a new policy on quotes reaches other servers', async () => {
  const { ask, sent, conversation, ann, id } = await asking();
  await ask();
  await sent();
  await conversation(id, 'setQuotePolicy', { statusId: id, by: ann, policy: 'nobody' });
  const [update] = await sent();
  const { canQuote } = update?.activity.object.interactionPolicy ?? {};
  assert.deepEqual([update?.activity.type, canQuote.automaticApproval], ['Update', [ANN_URI]]);
});
