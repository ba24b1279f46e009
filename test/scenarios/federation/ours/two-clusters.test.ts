import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { operatorClient } from '../../../../cli/operator-socket.js';
import { type Answer, follow, Place, seen } from '../../../kit/federation/two-places.js';
import type { ClusterNodes } from '../../../kit/services/cluster-nodes.js';
import { placesOf } from '../../../kit/services/stored-bytes.js';
import { call } from '../../cluster/people.js';

/** Timeout of a state after a kill: the takeover of shards, and the first pauses of deliveries. */
const BACK_MS_MAX = 240_000;
/** Posts of each person before, during and after the loss of a node. */
const POSTS = 4;

type Cluster = Place<ClusterNodes>;

/** Ann is here and Ben there; each server has two nodes, and each request goes to another of them. */
let here: Cluster;
let there: Cluster;
before(async () => {
  [here, there] = await Place.clusters('ann', 'ben');
  await Promise.all([follow(here, there), follow(there, here)]);
});
after(() => Promise.all([here?.dispose(), there?.dispose()]));

/** Statuses that each person posted, oldest first, as the own server shows them. */
const posted = new Map<Cluster, Answer[]>();
const postsOf = (place: Cluster): Answer[] => posted.get(place) ?? [];

async function post(place: Cluster, count: number): Promise<void> {
  for (let number = 0; number < count; number++) {
    const all = postsOf(place);
    all.push(await place.ask('POST', 'statuses', { status: `${place.person.name} says ${all.length}` }));
    posted.set(place, all);
  }
}

const both = <T>(act: (one: Cluster, other: Cluster) => Promise<T>): Promise<[T, T]> =>
  Promise.all([act(here, there), act(there, here)]);

/** Returns the statuses of the other server's person in the home of this one's. */
async function arrivedAt(place: Cluster, from: Cluster): Promise<Answer[]> {
  const home: Answer[] = [];
  for (let older = ''; ; older = `&max_id=${home.at(-1)?.id}`) {
    const page: Answer[] = await place.ask('GET', `timelines/home?limit=40${older}`);
    home.push(...page);
    if (page.length === 0) break;
  }
  return home.filter(({ account, reblog }) => account.acct.endsWith(`@${from.host}`) && !reblog);
}

/** Waits until a home has all posts, and returns what it has then. A failure says which are missing, and why. */
async function converged(place: Cluster, from: Cluster): Promise<Answer[]> {
  let arrived: Answer[] = [];
  const hasAll = async () => {
    arrived = await arrivedAt(place, from);
    return arrived.length >= postsOf(from).length && arrived;
  };
  return seen(`all posts of ${from.person.name}`, hasAll, BACK_MS_MAX).catch(async (error: Error) => {
    const missing = postsOf(from).filter(({ uri }) => arrived.every((one) => one.uri !== uri));
    const deliveries = await operatorClient(from.server.dataDir)('federation.show', { host: place.host });
    throw new Error(
      `${error.message}; missing: ${missing.map(({ content }) => content)}; ${JSON.stringify(deliveries)}`,
    );
  });
}

/** Finds the copy of a status of the other server. */
const copyOf = async (place: Cluster, { uri }: Answer): Promise<Answer> => (await place.find(uri)).statuses[0];

/** Makes both servers deliver at once what waits for the other, as soon as the shards of the dead node have an owner. */
const retry = () =>
  both((one, other) => {
    const steer = () => operatorClient(one.server.dataDir)('federation.steer', { host: other.host, act: 'retry' });
    return seen(
      `${one.host} tries again`,
      () =>
        steer().then(
          () => true,
          () => false,
        ),
      BACK_MS_MAX,
    );
  });

/** Asserts that each home has each post of the other server once. */
const assertAllOnce = () =>
  both(async (one, other) => {
    const arrived = await converged(one, other);
    // Order is promised for each object, not between posts.
    assert.deepEqual(
      arrived.map(({ uri }) => uri).sort(),
      postsOf(other)
        .map(({ uri }) => uri)
        .sort(),
    );
  });

test('posts of both arrive once while a node of each is killed and comes back', async () => {
  await both((one) => post(one, POSTS));
  await both(async (one) => {
    await Promise.all([post(one, POSTS), one.server.node(1).kill()]);
    await post(one, POSTS);
    await one.server.node(1).restart();
    await post(one, POSTS);
  });
  await retry();
  await assertAllOnce();
});

test('a rolling restart of both while posts go both ways loses and repeats none, without an operator', async () => {
  await both(async (one) => {
    for (const index of [0, 1]) {
      const [, code] = await Promise.all([post(one, POSTS), one.server.node(index).stop()]);
      assert.equal(code, 0);
      await post(one, 1);
      await one.server.node(index).restart();
    }
    await post(one, 1);
  });
  await assertAllOnce();
});

test('boosts, answers, edits and deletions of both hold when the other node is killed behind them', async () => {
  const changed = await both(async (one, other) => {
    const [boosted, answered, favourited] = await Promise.all(
      postsOf(other)
        .slice(0, 3)
        .map((status) => copyOf(one, status)),
    );
    const [edited, deleted] = postsOf(one).slice(-2);
    await one.ask('POST', `statuses/${boosted.id}/reblog`);
    await one.ask('POST', `statuses/${favourited.id}/favourite`);
    const status = `@${other.person.name}@${other.host} an answer`;
    const answer = await one.ask('POST', 'statuses', { status, in_reply_to_id: answered.id });
    await one.ask('PUT', `statuses/${edited.id}`, { status: 'better words' });
    await one.ask('DELETE', `statuses/${deleted.id}`);
    return { edited, deleted, answer };
  });
  await both(async (one) => {
    await one.server.node(0).kill();
    await one.server.node(0).restart();
  });
  await retry();
  const [byAnn, byBen] = changed;
  await both(async (one, other) => {
    const [own, theirs] = one === here ? [byAnn, byBen] : [byBen, byAnn];
    const counts = async () => {
      const [boosted, answered, favourited] = await Promise.all(
        postsOf(one)
          .slice(0, 3)
          .map(({ id }) => one.ask('GET', `statuses/${id}`)),
      );
      return [boosted.reblogs_count, answered.replies_count, favourited.favourites_count];
    };
    await seen('all marks', async () => (await counts()).every((count) => count > 0), BACK_MS_MAX);
    assert.deepEqual(await counts(), [1, 1, 1]);
    const thread = async () => (await one.ask('GET', `statuses/${postsOf(one)[1].id}/context`)).descendants;
    assert.deepEqual(
      (await thread()).map(({ uri }: Answer) => uri),
      [theirs.answer.uri],
    );
    const copy = await copyOf(one, theirs.edited);
    const content = async () => (await one.ask('GET', `statuses/${copy.id}`)).content;
    await seen('the edit', async () => /better words/.test(await content()), BACK_MS_MAX);
    const arrived = () => arrivedAt(one, other);
    const isGone = async () => (await arrived()).every(({ uri }) => uri !== theirs.deleted.uri);
    await seen('the deletion', isGone, BACK_MS_MAX);
    await assert.rejects(one.ask('GET', `statuses/${own.deleted.id}`), /404/);
    const told: Answer[] = await one.ask('GET', 'notifications');
    assert.deepEqual(told.map(({ type }) => type).sort(), ['favourite', 'follow', 'mention', 'reblog']);
    const { followers_count: followers } = await one.ask('GET', `accounts/${one.person.id}`);
    assert.equal(followers, 1);
  });
});

test('a domain that one node suspends is suspended at every node with the answer, and so is the end of it', async () => {
  const boss = await here.staff();
  const { id } = await copyOf(here, postsOf(there)[0]);
  const nodes = here.server.urls;
  const shown = () =>
    Promise.all(
      nodes.map(async (url) => {
        const headers = { authorization: `Bearer ${here.person.token}` };
        return (await fetch(`${url}/api/v1/statuses/${id}`, { headers })).status;
      }),
    );
  assert.deepEqual(await shown(), [200, 200]);
  for (const url of nodes) {
    const limit = { domain: there.host, severity: 'suspend' };
    const block = (await call(url, boss, 'POST', '/api/v1/admin/domain_blocks', limit)) as Answer;
    assert.deepEqual(await shown(), [404, 404]);
    await call(url, boss, 'DELETE', `/api/v1/admin/domain_blocks/${block.id}`);
    assert.deepEqual(await shown(), [200, 200]);
  }
});

test('private keys are in their own table, and in no journal, snapshot or log', async () => {
  for (const { server } of [here, there]) {
    const places = placesOf('PRIVATE KEY', await server.stored());
    assert.deepEqual([...new Set(places)], ['account_keys']);
    assert.ok(server.nodes.every(({ log }) => log !== '' && !log.includes('PRIVATE KEY')));
  }
});

test('no node has reported a fault', () => {
  assert.deepEqual([...here.server.faults, ...there.server.faults], []);
});
