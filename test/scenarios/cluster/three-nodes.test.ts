import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { idShard } from '../../../actors/domain/ids.js';
import { linkId } from '../../../actors/web-page/web-page.js';
import type { AnyRoute } from '../../../gateway/http/route.js';
import { allRoutes } from '../../../gateway/routes/index.js';
import { ClusterNodes } from '../../kit/services/cluster-nodes.js';
import { prefixed, program, withoutSettings } from '../../kit/services/server-process.js';
import { sameDayFor } from '../../kit/time/same-day.js';
import { until } from '../../kit/time/until.js';
import { playWithMasto } from '../clients/masto.js';
import { playOwnAccountWithMasto } from '../clients/masto-own-account.js';
import { playStatusesWithMasto } from '../clients/masto-statuses.js';
import { playWithMegalodon } from '../clients/megalodon.js';
import { playWithToot } from '../clients/toot.js';
import { EveryRoute, nameOf, pathOf } from '../requests/every-route.js';
import { PUSH_SUBSCRIPTION } from '../requests/own-account-requests.js';
import { answersOf, appTokenOf, differences, misfits, readings, settledAnswers } from '../requests/read-requests.js';
import { assertTold, playStory } from '../worlds/told-story.js';
import { assertOperatorsPage } from './operators-page.js';
import { call, makePeople, type Person } from './people.js';
import { SlowPage } from './slow-page.js';
import { type OpenStream, streamsEverywhere } from './streams-everywhere.js';
import { takeAway } from './taken-away.js';
import { shownByAll, type Uploaded, uploadedByAll } from './uploaded.js';

const run = promisify(execFile);
const PLAY_MS_MAX = 240_000;
/** The specified time after which every node refuses a revoked token and a suspended account. */
const SHUT_MS_MAX = 1_000;
/** Timeout of a takeover: a lease of 6 s expires, its shards are taken over, and alarms are read. */
const TAKEOVER_MS_MAX = 60_000;
const TOLD_MS_MAX = 30_000;
/** Time after which a node is no longer overloaded. */
const ANSWERED_MS_MAX = 20_000;
/** Timeout of a card: a page is fetched within 8 s; then the statuses that link to it are notified. */
const CARD_MS_MAX = 60_000;
/**
 * Without the invalidation barrier, 26 of 1,920 reads in 160 rounds were stale: these rounds detect that in all but one
 * of 10^2 runs.
 */
const TAKEN_ROUNDS = 8;
/** Number of addresses of which each node owns some, except in one of 10^8 runs. */
const LINKS_TRIED_MAX = 48;
/** Rate limits that only the test about limits reaches. */
const WIDE =
  '{"token":{"limit":100000,"seconds":86400},"address":{"limit":100000,"seconds":86400},"media":{"limit":1000,"seconds":86400},"deletes":{"limit":1000,"seconds":86400},"sign_up":{"limit":1000,"seconds":86400}}';

type Sextet = [Person, Person, Person, Person, Person, Person];

let cluster: ClusterNodes;
let url = '';
let world: EveryRoute;
let story: Awaited<ReturnType<typeof playStory>>;
let questions: Awaited<ReturnType<typeof readings>>;
/** The keys that all nodes reported at the first request, which went to all of them at once. */
let firstKeys: readonly string[] = [];
/** Files uploaded at each node, at the same time, before any other upload. */
let firstFiles: readonly Uploaded[] = [];
before(async () => {
  await sameDayFor(600_000);
  cluster = await ClusterNodes.start({ RATE_LIMITS: WIDE, FEDERATION_ALLOW_CIDRS: '127.0.0.0/8' });
  url = cluster.balancer.url;
  firstKeys = await serverKeys();
  firstFiles = await uploadedByAll(cluster.urls, await people('pam', 'quin', 'rex'));
  world = await EveryRoute.prepare({ url, dataDir: cluster.node(0).dataDir });
});
after(() => cluster?.dispose());

const people = (...names: string[]) => makePeople(cluster.node(1).dataDir, names);

async function operator(...args: string[]): Promise<void> {
  const env = { ...withoutSettings(), ...prefixed({ DATA_DIR: cluster.node(2).dataDir }) };
  await run(process.execPath, [program, ...args], { env });
}

const statusAt = async (base: string, token: string, path = '/api/v1/timelines/home') => {
  const response = await fetch(`${base}${path}`, { headers: { authorization: `Bearer ${token}` } });
  await response.arrayBuffer();
  return response;
};

/** Returns a node's answer, repeating requests that an overloaded node refuses (503). */
async function answered(path: string, init?: RequestInit): Promise<unknown> {
  return until(
    `${path} answered`,
    async () => {
      const response = await fetch(path, init);
      const text = await response.text();
      if (response.status === 503) return undefined;
      assert.equal(response.status, 200, `${path}: ${text}`);
      return JSON.parse(text) as unknown;
    },
    ANSWERED_MS_MAX,
  );
}

/**
 * Returns the key of this instance for push services, as every node's instance, and an application created there,
 * report it.
 */
async function serverKeys(): Promise<string[]> {
  const app = JSON.stringify({ client_name: 'key', redirect_uris: 'urn:ietf:wg:oauth:2.0:oob' });
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: app };
  type Told = { readonly vapid_key: string };
  type Instance = { readonly configuration: { readonly vapid: { readonly public_key: string } } };
  const keys = cluster.urls.flatMap((base) => [
    answered(`${base}/api/v2/instance`).then((told) => (told as Instance).configuration.vapid.public_key),
    answered(`${base}/api/v1/apps`, post).then((told) => (told as Told).vapid_key),
  ]);
  return Promise.all(keys);
}

/** Asserts that all nodes have the same key, unchanged from the start. */
async function assertOneKey(): Promise<void> {
  const [key = ''] = firstKeys;
  assert.equal(Buffer.from(key, 'base64url').length, 65);
  for (const other of [...firstKeys, ...(await serverKeys())]) assert.equal(other, key);
  for (const base of cluster.urls) {
    const path = '/api/v1/push/subscription';
    const made = await call(base, world.viewer, 'POST', path, { subscription: PUSH_SUBSCRIPTION });
    assert.equal((made as { server_key: string }).server_key, key);
  }
}

test('three nodes that concurrently create the instance key report the same one', assertOneKey);

test('files that three nodes stored concurrently, each as its first, belong to their senders on every node', async () => {
  assert.deepEqual(await shownByAll(cluster.urls, firstFiles), Array(9).fill(200));
  // A file's name contains its owner, encrypted by a key that all nodes share: no node has to look it up.
  for (const { owner } of firstFiles)
    await call(url, world.chief, 'POST', `/api/v1/admin/accounts/${owner.id}/action`, { type: 'suspend' });
  assert.deepEqual(await shownByAll(cluster.urls, firstFiles), Array(9).fill(404));
});

test('every route answers the same on every node, whichever node stored the data', async () => {
  questions = await readings(world, await appTokenOf(world, url));
  const answers = await settledAnswers(cluster.node(0).url, questions);
  assert.deepEqual(misfits(answers), []);
  for (const other of [1, 2])
    assert.deepEqual(differences(answers, await answersOf(cluster.node(other).url, questions)), [], `node ${other}`);
  assert.ok(
    cluster.balancer.taken.every((count) => count > 30),
    'every node took its part',
  );
});

test('hidden data are shown by no node, whichever node each step went to', async () => {
  story = await playStory({ url, dataDir: cluster.node(1).dataDir }, 11);
  await assertTold(story);
});

test('a decision of a moderator or an operator at one node applies on every other at once', async () => {
  const [uma] = (await people('uma')) as [Person];
  const act = (node: number, path: string, body?: object) =>
    call(cluster.node(node).url, world.chief, 'POST', `/api/v1/admin/accounts/${uma.id}/${path}`, body);
  const seen = async (node: number) =>
    (await call(cluster.node(node).url, world.viewer, 'GET', `/api/v1/accounts/${uma.id}`)) as Record<string, unknown>;
  for (const [verb, undo, field] of [
    ['silence', 'unsilence', 'limited'],
    ['suspend', 'unsuspend', 'suspended'],
  ] as const) {
    for (const node of [0, 1, 2]) await seen(node);
    await act(0, 'action', { type: verb });
    for (const node of [0, 1, 2]) assert.equal((await seen(node))[field], true, `${field} at node ${node}`);
    await act(1, undo);
    for (const node of [0, 1, 2]) assert.notEqual((await seen(node))[field], true, `${undo} at node ${node}`);
  }
  await operator('instance', 'set', 'title', 'Three in one');
  for (const base of cluster.urls) {
    const title = async () => ((await (await fetch(`${base}/api/v2/instance`)).json()) as { title: string }).title;
    assert.equal(await title(), 'Three in one');
  }
});

test('the page of operators shows the figures of all nodes at each of them', () =>
  assertOperatorsPage(cluster.urls, world.viewer));

test('deleted, edited, muted or blocked data and former votes are shown by no node once the request is answered', async () => {
  const pairs = Array.from({ length: 4 }, (_, index) => [`author${index}`, `reader${index}`]);
  const all = await people(...pairs.flat());
  const played = pairs.map((_, index) => {
    const [author, reader] = all.slice(2 * index, 2 * index + 2) as [Person, Person];
    return takeAway(cluster.urls, author, reader, TAKEN_ROUNDS);
  });
  const found = await Promise.all(played);
  assert.deepEqual(
    found.flatMap(({ shown }) => shown),
    [],
  );
  assert.equal(
    found.reduce((sum, { looks }) => sum + looks, 0),
    4 * TAKEN_ROUNDS * 5 * 3,
  );
});

test('masto, unmodified, with each of its requests at another node', async () => {
  const dataDirs = cluster.nodes.map(({ dataDir }) => dataDir);
  const [mo, ned] = (await people('mo', 'ned')) as [Person, Person];
  await Promise.all([
    playWithMasto({ urlA: url, urlB: url, dataDirs, suffix: 'c3' }),
    (async () => {
      await playOwnAccountWithMasto(url, mo, ned);
      await playStatusesWithMasto(url, ned, mo);
    })(),
  ]);
});

test('megalodon, Mastodon.py and toot, unmodified, with each of their requests at another node', async () => {
  const python = process.env.TEST_PYTHON;
  assert.ok(python, 'TEST_PYTHON names the interpreter that has Mastodon.py; scripts/test.mjs sets it');
  const [ola, pia, rob, sue, ted, una] = (await people('ola', 'pia', 'rob', 'sue', 'ted', 'una')) as Sextet;
  const script = (name: string) => join(process.cwd(), 'test/scenarios/clients', name);
  const options = { timeout: PLAY_MS_MAX };
  const [main, own] = await Promise.all([
    run(python, [script('scenario.py'), url, url, rob.email, sue.email, rob.password], options),
    run(python, [script('own_account.py'), url, ola.token, pia.token], options),
    playWithMegalodon(url, ola, pia),
    playWithToot(python, url, ted, una),
  ]);
  for (const { stdout } of [main, own]) assert.equal(JSON.parse(stdout).ok, true);
});

/** Sends a request with a key to one of the nodes. */
async function keyed(route: AnyRoute, node: number, key: string, fitting: Awaited<ReturnType<EveryRoute['fitting']>>) {
  const { id = '', rest, body, form, token } = fitting;
  const response = await fetch(`${cluster.node(node).url}${pathOf(route, id, rest)}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token ?? world.viewer.token}`,
      'content-type': form?.type ?? 'application/json',
      'idempotency-key': key,
    },
    body: form === undefined ? JSON.stringify(body) : new Uint8Array(form.bytes),
  });
  return { status: response.status, body: await response.text() };
}

/** Returns the id of the created thing; some answers nest it under a name. */
function idIn(body: string): string | undefined {
  type Made = { readonly id?: string };
  const told = JSON.parse(body) as Made & { readonly collection?: Made; readonly collection_item?: Made };
  return (told.collection ?? told.collection_item ?? told).id;
}

test('one Idempotency-Key creates one thing, concurrently on three nodes and afterwards on any', async () => {
  // A sign-up returns a new token each time.
  const creating = allRoutes.filter(({ idempotent }) => idempotent === 'command' || idempotent === 'answer');
  for (const name of ['statuses', 'media', 'lists', 'filters', 'reports', 'admin/ip_blocks'])
    assert.ok(
      creating.some(({ path }) => path === `/api/v1/${name}`),
      name,
    );
  const scheduled = { body: { status: 'once, later', scheduled_at: new Date(Date.now() + 86_400_000).toISOString() } };
  for (const [index, route] of [
    ...creating,
    allRoutes.find(({ path }) => path === '/api/v1/statuses') as AnyRoute,
  ].entries()) {
    const fitting = index < creating.length ? await world.fitting(route) : scheduled;
    const key = `one ${index}`;
    const together = await Promise.all([0, 1, 2].map((node) => keyed(route, node, key, fitting)));
    const first = together[0] as (typeof together)[0];
    assert.equal(first.status, 200, `${nameOf(route)}: ${first.body}`);
    const id = idIn(first.body);
    assert.notEqual(id, undefined, nameOf(route));
    for (const again of [...together, await keyed(route, (index + 1) % 3, key, fitting)])
      assert.deepEqual([again.status, idIn(again.body)], [200, id], `${nameOf(route)}: ${again.body}`);
    const other = await keyed(route, index % 3, `${key} other`, await world.fitting(route));
    if (!/featured_tags|statuses$|blocks|allows/.test(route.path) || index === creating.length)
      assert.notEqual(idIn(other.body), id, nameOf(route));
  }
});

type Shown = { readonly card: { readonly url: string; readonly title: string; readonly image: string | null } | null };
/** Returns the card of the page that a status links to, as a node shows it. */
async function cardAt(node: number, { id }: { readonly id: string }): Promise<Shown['card']> {
  return ((await call(cluster.node(node).url, world.viewer, 'GET', `/api/v1/statuses/${id}`)) as Shown).card;
}

/** Posts the link as each author through their own node, all at the same time. */
async function saidByAll(authors: readonly Person[], link: string, nodes: readonly number[] = [0, 1, 2]) {
  const said = authors.flatMap((author, place) =>
    nodes.map((node) => ({ author, node, status: `${place} at ${node}: see ${link}` })),
  );
  return Promise.all(
    said.map(
      ({ author, node, status }) =>
        call(cluster.node(node).url, author, 'POST', '/api/v1/statuses', { status }) as Promise<{ id: string }>,
    ),
  );
}

test('a page that many statuses link to through all nodes at once is fetched once, and every node shows its card', async () => {
  const page = await SlowPage.open('Once for all');
  try {
    const said = await saidByAll([world.viewer, world.other, world.chief], page.url);
    await until('the page is asked for', () => page.asked.length > 0, CARD_MS_MAX);
    assert.deepEqual(await Promise.all(said.map((status) => cardAt(1, status))), Array(9).fill(null));
    page.answer();
    const told = new Set<string>();
    for (const node of [0, 1, 2])
      for (const status of said) {
        const card = await until('a card', async () => (await cardAt(node, status)) ?? undefined, CARD_MS_MAX);
        assert.deepEqual([card.title, card.url], ['Once for all', page.url]);
        told.add(JSON.stringify(card));
      }
    assert.equal(told.size, 1, 'all show the same, picture included');
    assert.deepEqual(page.asked, ['/read', '/picture.png']);
    const [later] = (await saidByAll([world.other], page.url, [2])) as [{ id: string }];
    await until('a later one has it', async () => (await cardAt(0, later)) !== null, CARD_MS_MAX);
    assert.equal(page.asked.length, 2);
  } finally {
    await page.close();
  }
});

/**
 * Asserts that every node refuses the token and has ended its streams, within the time. Each check reads every node, so
 * a slow machine gets as many checks, not as many seconds.
 */
async function assertShut(token: string, streams: readonly OpenStream[], status: number): Promise<void> {
  const refused = async (base: string) => (await statusAt(base, token)).status === status;
  await until(
    'all refuse, and their streams have ended',
    async () => {
      const answers = await Promise.all(cluster.urls.map(refused));
      return answers.every(Boolean) && streams.every(({ ended }) => ended);
    },
    SHUT_MS_MAX,
  );
}

test('a revoked token is refused on every node within a second, and its streams end there', async () => {
  const [vic] = (await people('vic')) as [Person];
  const app = (await call(url, vic, 'POST', '/api/v1/apps', {
    client_name: 'three',
    redirect_uris: 'urn:ietf:wg:oauth:2.0:oob',
    scopes: 'read write',
  })) as { client_id: string; client_secret: string };
  const credentials = { client_id: app.client_id, client_secret: app.client_secret };
  const granted = (await call(url, vic, 'POST', '/oauth/token', {
    ...credentials,
    grant_type: 'password',
    username: vic.email,
    password: vic.password,
    scope: 'read write',
  })) as { access_token: string };
  const token = granted.access_token;
  const streams = await streamsEverywhere(cluster.urls, token);
  await call(cluster.node(1).url, vic, 'POST', '/oauth/revoke', { ...credentials, token });
  await assertShut(token, streams, 401);
});

test('a suspended and a disabled account are refused on every node within a second, and their streams end there', async () => {
  const [wim, xia] = (await people('wim', 'xia')) as [Person, Person];
  for (const [who, type, node] of [
    [wim, 'suspend', 2],
    [xia, 'disable', 0],
  ] as const) {
    const streams = await streamsEverywhere(cluster.urls, who.token);
    await call(cluster.node(node).url, world.chief, 'POST', `/api/v1/admin/accounts/${who.id}/action`, { type });
    await assertShut(who.token, streams, 403);
  }
});

test('a rate limit counts requests to all nodes; the remainder falls until each of them refuses', async () => {
  const LIMIT = 300;
  const [yan] = (await people('yan')) as [Person];
  await operator(
    'instance',
    'set',
    'rate_limits',
    JSON.stringify({ ...JSON.parse(WIDE), token: { limit: LIMIT, seconds: 86_400 } }),
  );
  const shown = async (node: number, token: string) => statusAt(cluster.node(node).url, token, '/api/v1/preferences');
  const left = async (node: number) => {
    const { status, headers } = await shown(node, yan.token);
    return status === 429 ? -1 : Number(headers.get('x-ratelimit-remaining'));
  };
  try {
    for (const node of [0, 1, 2])
      await until(
        'the new limit',
        async () => (await shown(node, world.viewer.token)).headers.get('x-ratelimit-limit') === String(LIMIT),
        TOLD_MS_MAX,
      );
    for (const node of [0, 1]) for (let asked = 1; asked <= 100; asked++) assert.ok((await left(node)) >= 0);
    let own = 0;
    await until('the third node knows of both', async () => (await left(2)) === LIMIT - 200 - ++own, TOLD_MS_MAX);
    let taken = 200 + own;
    const lefts: number[][] = [[], [], []];
    await until(
      'all three refuse',
      async () => {
        const now = await Promise.all([0, 1, 2].map(left));
        for (const [node, remaining] of now.entries()) lefts[node]?.push(remaining);
        taken += now.filter((remaining) => remaining >= 0).length;
        return now.every((remaining) => remaining < 0);
      },
      TOLD_MS_MAX,
    );
    assert.ok(taken < LIMIT * 1.5, `${taken} requests were answered`);
    for (const of of lefts)
      assert.deepEqual(
        of,
        [...of].sort((a, b) => b - a),
        'what is left only falls',
      );
  } finally {
    await operator('instance', 'set', 'rate_limits', WIDE);
  }
});

/** Creates an account; returns it and the node of its actor. */
async function resident(): Promise<{ person: Person; node: number }> {
  const [person] = (await people('zoe')) as [Person];
  return { person, node: await cluster.ownerOf(idShard(person.id)) };
}

/** Creates a page that its actor, on that node, is fetching when this resolves, and statuses that link to it. */
async function fetchedBy(node: number, author: Person) {
  const page = await SlowPage.open('After all');
  let link = page.url;
  for (let n = 0; n < LINKS_TRIED_MAX && (await cluster.ownerOf(idShard(linkId(link)))) !== node % 3; n++)
    link = `${page.url}?${n}`;
  const said = await saidByAll([author], link, [node + 1, node + 2]);
  await until('the page is asked for', () => page.asked.length > 0, CARD_MS_MAX);
  // A status that arrives after the clocks were set ahead would find an overdue fetch, and start another.
  const wants = async () => (await cluster.eventsOf(`link/${linkId(link)}`)) === said.length;
  await until('both statuses want its card', wants, CARD_MS_MAX);
  return { page, said };
}

test('pending work of a killed node is done by another: a scheduled status, ends of polls, mutes, filters, a card', async (t) => {
  const { person: zoe, node: victim } = await resident();
  const { other } = world;
  const at = (person: Person) => (method: string, path: string, body?: object) =>
    call(cluster.node(victim + 1).url, person, method, path, body);
  const [own, ben] = [at(zoe), at(other)];
  await own('POST', `/api/v1/accounts/${other.id}/follow`);
  const scheduled_at = new Date(Date.now() + 310_000).toISOString();
  await own('POST', '/api/v1/statuses', { status: 'planned', scheduled_at });
  const poll = { options: ['yes', 'no'], expires_in: 300 };
  const asked = (await own('POST', '/api/v1/statuses', { status: 'well?', poll })) as { id: string };
  await ben('POST', `/api/v1/polls/${asked.id}/votes`, { choices: [0] });
  await own('POST', '/api/v2/filters', {
    title: 'f',
    context: ['home'],
    expires_in: 300,
    filter_action: 'hide',
    keywords_attributes: [{ keyword: 'wren' }],
  });
  const filtered = (await ben('POST', '/api/v1/statuses', { status: 'a wren' })) as { id: string };
  await own('POST', `/api/v1/accounts/${other.id}/mute`, { duration: 300 });
  const inHome = async () => ((await own('GET', '/api/v1/timelines/home')) as { id: string }[]).map(({ id }) => id);
  const told = async (by: typeof own) => ((await by('GET', '/api/v1/notifications?types[]=poll')) as object[]).length;
  assert.ok(!(await inHome()).includes(filtered.id));
  const { page, said } = await fetchedBy(victim, other);
  t.after(() => page.close());
  await cluster.node(victim).kill();
  page.answer();
  await cluster.ahead(320_000);
  const soon = (what: string, probe: () => Promise<boolean>) =>
    // Requests to shards without an owner are refused for a while.
    until(what, () => probe().catch(() => false), TAKEOVER_MS_MAX);
  await soon('the scheduled status', async () => {
    const said = (await own('GET', `/api/v1/accounts/${zoe.id}/statuses`)) as { content: string }[];
    return said.some(({ content }) => content.includes('planned'));
  });
  assert.deepEqual(await own('GET', '/api/v1/scheduled_statuses'), []);
  await soon('the end of the poll', async () => (await told(own)) + (await told(ben)) === 2);
  assert.equal(((await own('GET', `/api/v1/polls/${asked.id}`)) as { expired: boolean }).expired, true);
  await soon('the end of mute and filter', async () => (await inHome()).includes(filtered.id));
  assert.deepEqual(await own('GET', '/api/v1/mutes'), []);
  for (const status of said)
    await soon('the card', async () => (await cardAt(victim + 1, status))?.title === 'After all');
  assert.equal(
    page.asked.filter((path) => path.startsWith('/read')).length,
    2,
    'by the killed one and by its successor',
  );
});

test('every node killed and restarted: every route gives the same answers as before', async () => {
  const before = await settledAnswers(url, questions);
  await Promise.all(cluster.nodes.map((node) => node.kill()));
  await Promise.all(cluster.nodes.map((node) => node.restart()));
  for (const base of cluster.urls) assert.deepEqual(differences(before, await answersOf(base, questions)), []);
  await assertTold(story);
  await assertOneKey();
  assert.deepEqual(cluster.faults, []);
});
