import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { idShard } from '../../../actors/domain/ids.js';
import { EventStream } from '../../kit/network/event-stream.js';
import { HeldLine } from '../../kit/network/held-line.js';
import { allStatuses, faultsOf, PostingLoad } from '../../kit/network/posting-load.js';
import { targetAt } from '../../kit/network/sockets.js';
import { cassandraAddress } from '../../kit/services/cassandra.js';
import { ClusterNodes } from '../../kit/services/cluster-nodes.js';
import { OwnTime } from '../../kit/time/own-time.js';
import { until } from '../../kit/time/until.js';
import { AllRoutesAtOnce } from './all-routes-at-once.js';
import { call, makePeople, type Person } from './people.js';

// Measures the cost of components that stop answering and close no connection: a network that loses everything, a process that
// hangs.

/** Maximum duration of a request: a client's timeout (10 s), and a margin for a busy machine. */
const ANSWER_MS_MAX = 15_000;
/** Maximum usual duration: working requests take some tens of milliseconds; one vain attempt takes three seconds. */
const USUAL_MS_MAX = 2_000;
const STATE_MS_MAX = 60_000;
const AUTHORS = 6;
/** Posts of each author: a stream remembers its last thousand events, and a story takes less than two minutes. */
const POSTS_MAX = 120;
const PACE_MS = 1_000;
const PAGES_MAX = 30;
const ROUNDS = 12;
/** Maximum duration of a request of any route: two steps one after the other, 10 s each, and the same margin. */
const ANY_ANSWER_MS_MAX = 25_000;
/**
 * Maximum number of slow answers of 24: if every other request went to a dead node, so few would be slow in one of a
 * thousand runs.
 */
const SLOW_MAX = 4;

interface Answered {
  readonly status: number;
  readonly ms: number;
  readonly retryAfter: string | null;
}

let cluster: ClusterNodes;
let natsLines: HeldLine[];
let storeLines: HeldLine[];
let reader: Person;

before(async () => {
  const nats = process.env.TEST_NATS_URL ?? '';
  const [store = ''] = cassandraAddress().contactPoints;
  // The driver keeps the port and may use the address that the store reports: the line listens there, too.
  const [host] = store.split(':');
  natsLines = await Promise.all([0, 1, 2].map(() => HeldLine.open(nats)));
  storeLines = await Promise.all([0, 1, 2].map(() => HeldLine.open(`tcp://${store}`, host)));
  cluster = await ClusterNodes.start(
    { RATE_LIMITS: 'off', FEDERATION_ALLOW_CIDRS: '127.0.0.0/8' },
    {
      own: (index) => ({
        NATS_URL: natsLines[index]?.url ?? '',
        CASSANDRA_CONTACT_POINTS: storeLines[index]?.hostPort ?? '',
      }),
    },
  );
  [reader] = (await makePeople(cluster.node(0).dataDir, ['reader'])) as [Person];
});
after(async () => {
  await cluster?.dispose();
  for (const line of [...(natsLines ?? []), ...(storeLines ?? [])]) await line.close();
});

/** Makes one request; returns its answer, and its duration as far as this process could run. */
async function ask(node: number, method: string, path: string, by: Person): Promise<Answered> {
  const time = new OwnTime();
  try {
    const { status, headers } = await fetch(`${cluster.node(node).url}${path}`, {
      method,
      headers: { authorization: `Bearer ${by.token}` },
    });
    return { status, ms: time.stop(), retryAfter: headers.get('retry-after') };
  } finally {
    time.stop();
  }
}

/** Makes a request to the actor of `by`, which the store alone cannot answer. */
const askActor = (node: number, by: Person) => ask(node, 'POST', `/api/v1/accounts/${reader.id}/mute`, by);
const ready = (node: number) =>
  until(`${node} is ready`, async () => (await ask(node, 'GET', '/health/ready', reader)).status === 200, STATE_MS_MAX);
const refuses = (node: number, by: Person) =>
  until(
    `${node} refuses at once`,
    async () => {
      const { status, ms } = await askActor(node, by);
      return status === 503 && ms < USUAL_MS_MAX;
    },
    STATE_MS_MAX,
  );
const others = (node: number) => [(node + 1) % 3, (node + 2) % 3] as const;
const ownerOf = ({ id }: Person) => cluster.ownerOf(idShard(id));
const sentAway = (stream: EventStream) => until('the end of a stream', () => stream.ended, STATE_MS_MAX);
const movedFrom = (node: number, author: Person) =>
  until('its shards moved', async () => (await ownerOf(author)) !== node, STATE_MS_MAX);

/** Asserts that no answer exceeds a client's timeout, and that refusals have a Retry-After. */
function assertClear(answers: readonly Answered[]): void {
  for (const { status, ms, retryAfter } of answers) {
    assert.ok(status === 200 || (status === 503 && retryAfter !== null), `${status} after ${ms} ms`);
    assert.ok(ms < ANSWER_MS_MAX, `${status} after ${ms} ms`);
  }
}

async function assertUsual(nodes: readonly number[], by: Person): Promise<void> {
  const slow: string[] = [];
  for (let round = 0; round < ROUNDS; round++)
    for (const node of nodes) {
      const { status, ms } = await askActor(node, by);
      if (status !== 200 || ms >= USUAL_MS_MAX) slow.push(`${status} after ${ms} ms at ${node}`);
    }
  assert.ok(slow.length <= (SLOW_MAX * nodes.length) / 2, slow.join(', '));
}

/** Creates people, at least one of whom lives at each node. */
async function fresh(label: string): Promise<Person[]> {
  await until('even shares', () => cluster.isBalanced(), STATE_MS_MAX);
  const people: Person[] = [];
  const homes = new Set<number>();
  while (people.length < AUTHORS || homes.size < 3) {
    const [person] = (await makePeople(cluster.node(0).dataDir, [`${label}${people.length}`])) as [Person];
    people.push(person);
    homes.add(await ownerOf(person));
    await call(cluster.node(0).url, reader, 'POST', `/api/v1/accounts/${person.id}/follow`);
  }
  return people;
}

/**
 * Runs a story while people post; afterwards acknowledged posts are there once, in order, and were streamed by every
 * node.
 */
async function underLoad(
  label: string,
  through: readonly number[],
  story: (people: readonly Person[], streams: readonly EventStream[]) => Promise<void>,
): Promise<void> {
  const people = await fresh(label);
  const streams = await Promise.all(
    cluster.urls.map((url) => EventStream.resuming(targetAt(url), 'user', reader.token)),
  );
  const load = new PostingLoad(
    through.map((node) => cluster.node(node).url),
    people,
    POSTS_MAX,
    PACE_MS,
  );
  try {
    await judged(people, streams, load, story);
  } finally {
    await load.stop();
    for (const stream of streams) await stream.close();
  }
}

/** Runs the story under the load, and judges afterwards what was stored and what the streams sent. */
async function judged(
  people: readonly Person[],
  streams: readonly EventStream[],
  load: PostingLoad,
  story: (people: readonly Person[], streams: readonly EventStream[]) => Promise<void>,
): Promise<void> {
  const more = async () => {
    const wanted = load.count + 2 * people.length;
    await until('more posts', () => load.count >= wanted, STATE_MS_MAX);
  };
  await more();
  await story(people, streams);
  for (const node of [0, 1, 2]) await ready(node);
  await more();
  const report = await load.stop();
  for (const url of cluster.urls)
    for (const { id } of people) {
      const statuses = await allStatuses(url, `/api/v1/accounts/${id}/statuses`, reader.token, PAGES_MAX);
      assert.deepEqual(faultsOf(statuses, id, report), []);
    }
  for (const stream of streams) {
    const streamed = await until(
      'all were streamed',
      () => {
        const all = new Set(stream.updates());
        return report.acknowledged.every(({ id }) => all.has(id)) && all;
      },
      STATE_MS_MAX,
    );
    assert.equal(streamed.size, stream.updates().length, 'a status was streamed twice');
  }
}

/** Returns one of the people whose actor lives at the node. */
async function livingAt(people: readonly Person[], node: number): Promise<Person> {
  for (const person of people) if ((await ownerOf(person)) === node) return person;
  throw new Error(`nobody lives at ${node}`);
}

test('a node whose line to NATS is silently dead: others take its shards, and it refuses requests that it cannot forward', async () => {
  await underLoad('natsline', others(1), async (people, streams) => {
    const [near, far] = [await livingAt(people, 1), await livingAt(people, 0)];
    natsLines[1]?.silence();
    assertClear(await Promise.all([0, 1, 2].flatMap((node) => [askActor(node, near), askActor(node, far)])));
    await refuses(1, far);
    await movedFrom(1, near);
    await until('it is usual', async () => (await askActor(0, near)).ms < USUAL_MS_MAX, STATE_MS_MAX);
    await assertUsual(others(1), near);
    assert.equal((await ask(1, 'GET', '/health/ready', reader)).status, 503);
    // Its streams depend on other nodes, so their clients move there.
    await sentAway(streams[1] as EventStream);
    assert.equal((await ask(1, 'GET', '/api/v1/streaming/user', reader)).status, 503);
    natsLines[1]?.mend();
  });
});

test('a node that hangs: no request waits for it once its shards have moved', async () => {
  await underLoad('hangs', others(2), async (people) => {
    const near = await livingAt(people, 2);
    process.kill(cluster.node(2).pid, 'SIGSTOP');
    try {
      assertClear(await Promise.all(others(2).map((node) => askActor(node, near))));
      await movedFrom(2, near);
      await until('it is usual', async () => (await askActor(0, near)).ms < USUAL_MS_MAX, STATE_MS_MAX);
      await assertUsual(others(2), near);
    } finally {
      process.kill(cluster.node(2).pid, 'SIGCONT');
    }
  });
});

test('NATS answers no node any more: no shard moves, and requests that cannot be forwarded are refused at once', async () => {
  await underLoad('nats', [0, 1, 2], async (people, streams) => {
    const authors = await Promise.all([0, 1, 2].map((node) => livingAt(people, node)));
    for (const line of natsLines) line.silence();
    const [here, there] = authors as [Person, Person];
    assertClear(await Promise.all([0, 1, 2].map((node) => askActor(node, here))));
    for (const node of others(0)) await refuses(node, here);
    await assertUsual([0], here);
    await refuses(0, there);
    for (const [node, author] of authors.entries()) assert.equal(await ownerOf(author), node);
    for (const stream of streams) await sentAway(stream);
    for (const line of natsLines) line.mend();
  });
});

test('a node whose line to Cassandra is silently dead: others take its shards, and it refuses everything', async () => {
  await underLoad('storeline', others(1), async (people) => {
    const near = await livingAt(people, 1);
    storeLines[1]?.silence();
    assertClear(await Promise.all([0, 1, 2].map((node) => askActor(node, near))));
    await refuses(1, near);
    await movedFrom(1, near);
    await assertUsual(others(1), near);
    storeLines[1]?.mend();
  });
});

test('Cassandra answers no node any more: requests are refused at once, and everything resumes in place', async () => {
  await underLoad('store', [0, 1, 2], async (people) => {
    const [near] = people as [Person];
    for (const line of storeLines) line.silence();
    assertClear(await Promise.all([0, 1, 2].map((node) => askActor(node, near))));
    for (const node of [0, 1, 2]) await refuses(node, near);
    for (const line of storeLines) line.mend();
  });
});

test('Cassandra or NATS answers no node any more: no route leaves a client without an answer', async () => {
  const routes = await AllRoutesAtOnce.prepare(cluster);
  for (const lines of [storeLines, natsLines]) {
    for (const line of lines) line.silence();
    const answers = await routes.ask();
    for (const line of lines) line.mend();
    const late = answers.filter(({ ms }) => ms >= ANY_ANSWER_MS_MAX);
    assert.deepEqual(late, []);
    assert.ok(answers.filter(({ status }) => status === 503).length > answers.length / 5, 'they met the outage');
    assert.deepEqual(
      answers.filter(({ status }) => status === 500),
      [],
    );
    for (const node of [0, 1, 2]) await ready(node);
  }
});
