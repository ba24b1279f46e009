import assert from 'node:assert/strict';
import { createOAuthAPIClient, createRestAPIClient, createStreamingAPIClient, type mastodon } from 'masto';
import WebSocket from 'ws';
import { compareIds } from '../../../actors/domain/ids.js';
import { until } from '../../kit/time/until.js';
import { confirmationLink } from './mail.js';

/**
 * The environment of a scenario: two entry points (two nodes of a cluster, or one server twice) and the mail folders.
 */
export interface Stage {
  readonly urlA: string;
  readonly urlB: string;
  readonly dataDirs: readonly string[];
  /** Makes the names of this run's people unique. */
  readonly suffix: string;
}

type Rest = mastodon.rest.Client;
/** Timeout of a status's arrival in another node's stream and timelines. */
const ARRIVAL_MS_MAX = 60_000;
/** Number of posts until a newly opened stream must have shown one. */
const PROBES_MAX = 10;
const SCOPES = 'read write follow push';
const OUT_OF_BAND = 'urn:ietf:wg:oauth:2.0:oob';

/** Registers an app, signs up through it, opens the mailed link; returns a client of that new user on node A. */
async function signUp(stage: Stage, name: string): Promise<{ rest: Rest; token: string }> {
  const anonymous = createRestAPIClient({ url: stage.urlA });
  const app = await anonymous.v1.apps.create({
    clientName: 'scenario',
    redirectUris: OUT_OF_BAND,
    scopes: SCOPES,
  });
  assert.ok(app.clientId && app.clientSecret);
  const oauth = createOAuthAPIClient({ url: stage.urlA });
  const grant = { clientId: app.clientId, clientSecret: app.clientSecret, scope: SCOPES, redirectUri: OUT_OF_BAND };
  const appToken = await oauth.token.create({ grantType: 'client_credentials', ...grant });
  const email = `${name}@example.org`;
  const signed = await createRestAPIClient({ url: stage.urlA, accessToken: appToken.accessToken }).v1.accounts.create({
    username: name,
    email,
    password: 'correct horse battery',
    agreement: true,
    locale: 'en',
  });
  const early = createRestAPIClient({ url: stage.urlA, accessToken: signed.accessToken });
  await assert.rejects(async () => await early.v1.timelines.home.list(), /confirmed e-mail/);
  const page = await fetch(await confirmationLink(stage.dataDirs, email));
  assert.equal(page.status, 200);
  return { rest: early, token: signed.accessToken };
}

/** Logs in with the password grant, as tools do. */
async function logIn(stage: Stage, name: string): Promise<{ rest: Rest; token: string }> {
  const app = await createRestAPIClient({ url: stage.urlB }).v1.apps.create({
    clientName: 'scenario',
    redirectUris: OUT_OF_BAND,
    scopes: SCOPES,
  });
  const token = await createOAuthAPIClient({ url: stage.urlB }).token.create({
    grantType: 'password',
    redirectUri: OUT_OF_BAND,
    clientId: app.clientId as string,
    clientSecret: app.clientSecret as string,
    username: `${name}@example.org`,
    password: 'correct horse battery',
    scope: SCOPES,
  });
  return { rest: createRestAPIClient({ url: stage.urlB, accessToken: token.accessToken }), token: token.accessToken };
}

/** Plays the main scenario with masto: alice on node A, bob on node B. */
export async function playWithMasto(stage: Stage): Promise<void> {
  const names = { alice: `alice_${stage.suffix}`, bob: `bob_${stage.suffix}` };
  const alice = await signUp(stage, names.alice);
  await signUp(stage, names.bob);
  const bob = await logIn(stage, names.bob);
  const aliceAccount = await alice.rest.v1.accounts.verifyCredentials();
  const bobAccount = await bob.rest.v1.accounts.verifyCredentials();
  assert.equal(aliceAccount.username, names.alice);
  const instance = await bob.rest.v2.instance.fetch();

  const streaming = createStreamingAPIClient({
    streamingApiUrl: instance.configuration.urls.streaming,
    accessToken: bob.token,
    implementation: WebSocket,
  });
  const events: mastodon.streaming.Event[] = [];
  await streaming.prepare();
  const subscription = streaming.user.subscribe();
  const listening = (async () => {
    for await (const event of subscription) events.push(event);
  })();
  let listeningToo: Promise<void> | undefined;
  try {
    await streamOpens(bob.rest, events);
    const relationship = await bob.rest.v1.accounts.$select(aliceAccount.id).follow();
    assert.equal(relationship.following, true);
    await postsReachHome(alice.rest, bob.rest, names.bob, events);
    const list = await bob.rest.v1.lists.create({ title: 'friends' });
    const streamed: string[] = [];
    const ofList = streaming.list.subscribe({ list: list.id });
    listeningToo = (async () => {
      for await (const event of ofList) if (event.event === 'update') streamed.push(event.payload.id);
    })();
    await listsAndMutes(alice.rest, bob.rest, aliceAccount.id, list.id, streamed);
    ofList.unsubscribe();
    await peopleTalk(alice.rest, bob.rest, aliceAccount.id, bobAccount.id);
  } finally {
    subscription.unsubscribe();
    streaming.close();
    await listening;
    await listeningToo;
  }
}

/** A subscription is not acknowledged: an own post shows that the stream is open. */
async function streamOpens(bob: Rest, events: readonly mastodon.streaming.Event[]): Promise<void> {
  for (let attempt = 0; attempt < PROBES_MAX && events.length === 0; attempt++) {
    await bob.v1.statuses.create({ status: `is this on? ${attempt}`, visibility: 'direct' });
    await until('an own post in the stream', () => events.length > 0 || undefined, 1_000).catch(() => undefined);
  }
  assert.ok(events.length > 0, 'the stream never opened');
}

async function postsReachHome(
  alice: Rest,
  bob: Rest,
  bobName: string,
  events: readonly mastodon.streaming.Event[],
): Promise<void> {
  const posted: mastodon.v1.Status[] = [];
  for (const visibility of ['public', 'unlisted', 'private'] as const) {
    posted.push(await alice.v1.statuses.create({ status: `hello, ${visibility}`, visibility }));
  }
  posted.push(await alice.v1.statuses.create({ status: `@${bobName} psst`, visibility: 'direct' }));
  assert.deepEqual(
    posted.map((status) => status.visibility),
    ['public', 'unlisted', 'private', 'direct'],
  );
  const wanted = posted.map((status) => status.id).reverse();
  await until(
    'all four posts in the follower’s stream',
    () => {
      const seen = events.flatMap((event) => (event.event === 'update' ? [event.payload.id] : []));
      return wanted.every((id) => seen.includes(id)) ? seen : undefined;
    },
    ARRIVAL_MS_MAX,
  );
  // Just after a takeover, ids of two nodes differ by up to the lease, so bob's own posts may lie between alice's.
  const paged: string[] = [];
  const ofAlice = () => paged.filter((id) => wanted.includes(id));
  for await (const page of bob.v1.timelines.home.list({ limit: 2 })) {
    paged.push(...page.map((status) => status.id));
    if (ofAlice().length >= wanted.length || paged.length > wanted.length + PROBES_MAX) break;
  }
  assert.deepEqual(ofAlice(), wanted, 'home, paged by Link, holds each post once, newest first');
  assert.deepEqual(paged, [...new Set(paged)].sort(compareIds).reverse(), 'no status comes twice or out of order');
}

async function listsAndMutes(
  alice: Rest,
  bob: Rest,
  aliceId: string,
  listId: string,
  streamed: readonly string[],
): Promise<void> {
  const own = bob.v1.lists.$select(listId);
  await own.accounts.create({ accountIds: [aliceId] });
  assert.deepEqual(
    (await own.accounts.list()).map((member) => member.id),
    [aliceId],
  );
  const inList = async () => (await bob.v1.timelines.list.$select(listId).list()).map((status) => status.id);
  const inHome = async () => (await bob.v1.timelines.home.list()).filter((status) => status.account.id === aliceId);
  const before = (await inHome()).length;
  const posted: string[] = [];
  for (let attempt = 0; attempt < PROBES_MAX && streamed.length === 0; attempt++) {
    posted.push((await alice.v1.statuses.create({ status: `for the list ${attempt}` })).id);
    await until('a post in the list’s stream', () => streamed.length > 0 || undefined, 1_000).catch(() => undefined);
  }
  assert.ok(posted.includes(streamed[0] ?? ''), 'the list’s stream never opened');
  assert.deepEqual((await inList()).slice(0, posted.length), [...posted].reverse());
  const muted = await bob.v1.accounts.$select(aliceId).mute({ duration: 3_600 });
  assert.deepEqual([muted.muting, muted.mutingNotifications], [true, true]);
  assert.deepEqual([await inHome(), await inList()], [[], []]);
  const [listed] = await bob.v1.mutes.list();
  assert.equal(listed?.id, aliceId);
  await bob.v1.accounts.$select(aliceId).unmute();
  assert.equal((await inHome()).length, before + posted.length);
  await own.accounts.remove({ accountIds: [aliceId] });
  assert.deepEqual(await inList(), []);
  await own.remove();
  assert.deepEqual([...(await bob.v1.lists.list())], []);
  for (const id of posted) await alice.v1.statuses.$select(id).remove();
}

async function peopleTalk(alice: Rest, bob: Rest, aliceId: string, bobId: string): Promise<void> {
  const [status] = await bob.v1.accounts.$select(aliceId).statuses.list({ limit: 40 });
  const open = (await bob.v1.accounts.$select(aliceId).statuses.list({ limit: 40 })).find(
    (item) => item.visibility === 'public',
  );
  assert.ok(status && open);
  const author = (await alice.v1.accounts.verifyCredentials()).username;
  const reply = await bob.v1.statuses.create({ status: `@${author} well said`, inReplyToId: open.id });
  const favourited = await bob.v1.statuses.$select(open.id).favourite();
  const reblogged = await bob.v1.statuses.$select(open.id).reblog();
  assert.equal(favourited.favourited, true);
  assert.equal(reblogged.reblog?.id, open.id);
  const context = await alice.v1.statuses.$select(open.id).context.fetch();
  assert.deepEqual(
    context.descendants.map((item) => item.id),
    [reply.id],
  );
  const counted = await alice.v1.statuses.$select(open.id).fetch();
  assert.deepEqual([counted.favouritesCount, counted.reblogsCount, counted.repliesCount], [1, 1, 1]);
  await until(
    'the author is told of follow, mention, favourite and reblog',
    async () => {
      const told = await alice.v1.notifications.list();
      const types = told.filter((item) => item.account.id === bobId).map((item) => item.type);
      return types.sort().join() === 'favourite,follow,mention,reblog' ? types : undefined;
    },
    ARRIVAL_MS_MAX,
  );
  await bob.v1.statuses.$select(open.id).unfavourite();
  await bob.v1.statuses.$select(open.id).unreblog();
  await bob.v1.accounts.$select(aliceId).unfollow();
  const home = await bob.v1.timelines.home.list({ limit: 40 });
  assert.ok(home.every((item) => item.account.id !== aliceId || item.mentions.some((mention) => mention.id === bobId)));
}
