import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { EventStream } from '../../kit/network/event-stream.js';
import { allStatuses, faultsOf, type LoadReport, PostingLoad } from '../../kit/network/posting-load.js';
import { RoamingStream, type Transport } from '../../kit/network/roaming-stream.js';
import { targetAt } from '../../kit/network/sockets.js';
import type { LocalCluster } from '../../kit/services/local-cluster.js';
import { sharedCluster, victimOf } from '../../kit/services/shared-cluster.js';
import { until } from '../../kit/time/until.js';
import { playWithMasto } from '../clients/masto.js';
import { call, makePeople, type Person } from './people.js';

const run = promisify(execFile);
const root = process.cwd();
const POSTS_MAX = 2_000;
const PAGES_MAX = 100;

let cluster: LocalCluster;
let authors: Person[];
let reader: Person;
const roamers: RoamingStream[] = [];
const openStreams: EventStream[] = [];
const loads: PostingLoad[] = [];

before(async () => {
  cluster = await sharedCluster();
  const names = ['ada', 'ben', 'cleo', 'dan', 'eve', 'fay', 'reader'];
  const people = await makePeople(cluster.node(0).data_dir, names);
  reader = people.pop() as Person;
  authors = people;
  for (const author of authors) await call(cluster.node(1).url, reader, 'POST', `/api/v1/accounts/${author.id}/follow`);
});

after(async () => {
  // A story that failed has not stopped its load and its streams, which would keep this process from ending.
  for (const load of loads) load.abandon();
  await Promise.all([...roamers.map((one) => one.stop()), ...openStreams.map((one) => one.close())]);
});

/** Asserts that acknowledged posts are readable once, in each author's order, through every live node. */
async function assertNothingLost(report: LoadReport, users: readonly Person[]): Promise<void> {
  const faults: string[] = [];
  for (const url of cluster.urls) {
    const home = await allStatuses(url, '/api/v1/timelines/home', reader.token, PAGES_MAX);
    for (const { id } of users) {
      const theirs = home.filter((status) => status.account === id);
      faults.push(...faultsOf(theirs, id, report).map((fault) => `home at ${url}: ${fault}`));
    }
  }
  for (const [index, user] of users.entries()) {
    const url = cluster.urls[index % cluster.urls.length] as string;
    const own = await allStatuses(url, `/api/v1/accounts/${user.id}/statuses`, reader.token, PAGES_MAX);
    faults.push(...faultsOf(own, user.id, report));
  }
  assert.deepEqual(faults, []);
}

/** Creates accounts for one story, followed by the reader, so that each story checks only its own posts. */
async function fresh(label: string, count: number): Promise<Person[]> {
  const names = Array.from({ length: count }, (_, index) => `${label}${index}`);
  const people = await makePeople(cluster.node(0).data_dir, names);
  for (const person of people) await call(cluster.node(0).url, reader, 'POST', `/api/v1/accounts/${person.id}/follow`);
  return people;
}

/** Starts a load of posts by these people through all nodes. */
function loading(users: readonly Person[]): PostingLoad {
  const load = new PostingLoad(cluster.urls, users, POSTS_MAX);
  loads.push(load);
  return load;
}

/** Starts readers that move from node to node, with both transports. */
function roaming(): readonly RoamingStream[] {
  const transports: readonly Transport[] = ['WebSocket', 'SSE'];
  const started = transports.flatMap((transport) =>
    [0, 1, 2].map((first) => new RoamingStream(transport, () => cluster.urls, reader.token, first)),
  );
  roamers.push(...started);
  return started;
}

/** Asserts that each reader has received every acknowledged post, once. */
async function assertStreamed(readers: readonly RoamingStream[], report: LoadReport): Promise<void> {
  for (const one of readers) {
    const all = () => {
      const seen = new Set(one.updates());
      return report.acknowledged.every(({ id }) => seen.has(id));
    };
    await until(`every acknowledged post by ${one.transport}`, all, 60_000);
    const updates = one.updates();
    const again = updates.filter((id, place) => updates.indexOf(id) !== place);
    assert.deepEqual(again, [], `a status came twice by ${one.transport}`);
    assert.ok(one.resumed > 3, `${one.resumed} visits`);
  }
  await Promise.all(readers.map((one) => one.stop()));
}

const posted = (load: PostingLoad, count: number, withinMs: number) =>
  until(`${count} more posts acknowledged`, () => load.count >= count || undefined, withinMs);

test('the command of the cluster refuses to start what is running or does not exist', async () => {
  for (const name of ['node1', 'cassandra-1', 'nats', 'node4', 'cassandra-4', 'nats-2'])
    await assert.rejects(cluster.restart(name), /ended with 1$/, name);
});

test('masto, unmodified, does the main job with its users on different nodes', async () => {
  const [a, b] = [cluster.node(0), cluster.node(1)];
  await playWithMasto({ urlA: a.url, urlB: b.url, dataDirs: cluster.nodes.map((node) => node.data_dir), suffix: 'c1' });
});

test('Mastodon.py, unmodified, does the main job with its users on different nodes', async () => {
  const [ada, ben] = authors as [Person, Person];
  const python = process.env.TEST_PYTHON;
  assert.ok(python, 'TEST_PYTHON names the interpreter that has Mastodon.py; scripts/test.mjs sets it');
  const script = join(root, 'test/scenarios/clients/scenario.py');
  const [a, b] = [cluster.node(1).url, cluster.node(2).url];
  const played = await run(python, [script, a, b, ada.email, ben.email, ada.password]);
  assert.equal(JSON.parse(played.stdout).ok, true);
});

test('SIGTERM of a node under load fails no request and loses nothing', async () => {
  const users = await fresh('drain', 6);
  const load = loading(users);
  await posted(load, 60, 30_000);
  const leaving = cluster.node(1);
  process.kill(leaving.pid, 'SIGTERM');
  await cluster.gone(leaving.pid, 15_000);
  await posted(load, load.count + 60, 30_000);
  await cluster.restart(leaving.name);
  await posted(load, load.count + 60, 30_000);
  const report = await load.stop();
  assert.deepEqual(report.failures, []);
  await assertNothingLost(report, users);
});

test('kill -9 of a node under load: nothing acknowledged is lost or missing in a roaming stream, its shards write again in 10 s', async (t) => {
  const users = await fresh('kill', 9);
  const readers = roaming();
  const load = loading(users);
  await posted(load, 60, 30_000);
  const victim = cluster.node(2);
  const killedAtMs = Date.now();
  process.kill(victim.pid, 'SIGKILL');
  await posted(load, load.count + 200, 60_000);
  await until('10 s since the kill', () => Date.now() > killedAtMs + 10_000 || undefined, 20_000);
  const report = await load.stop();
  await cluster.restart(victim.name);
  const timesOf = (user: Person) => report.acknowledged.filter((post) => post.user === user.id).map(({ atMs }) => atMs);
  // The usual duration of a post on this machine while all nodes live is added.
  const before = users.map((user) => timesOf(user).filter((atMs) => atMs <= killedAtMs));
  const usualMs = Math.max(
    0,
    ...before.flatMap((times) => times.slice(1).map((atMs, index) => atMs - (times[index] ?? 0))),
  );
  const againMs = users.map((user) => (timesOf(user).find((atMs) => atMs > killedAtMs) ?? Infinity) - killedAtMs);
  t.diagnostic(`${Math.max(...againMs)} ms after the kill all had posted; before, a post took ${usualMs} ms at most`);
  for (const [index, user] of users.entries())
    assert.ok((againMs[index] as number) < 10_000 + usualMs, `${user.name} could not post for 10 s`);
  await assertStreamed(readers, report);
  await assertNothingLost(report, users);
});

test('a node paused for 15 s acknowledges nothing that is missing in another owner’s history', async () => {
  const users = await fresh('pause', 9);
  const load = loading(users);
  await posted(load, 60, 30_000);
  const paused = cluster.node(0);
  const pausedAtMs = Date.now();
  process.kill(paused.pid, 'SIGSTOP');
  try {
    await until('15 s of pause', () => Date.now() > pausedAtMs + 15_000 || undefined, 20_000);
  } finally {
    process.kill(paused.pid, 'SIGCONT');
  }
  await cluster.ready(paused.url);
  await posted(load, load.count + 100, 60_000);
  await assertNothingLost(await load.stop(), users);
});

test('NATS killed and restarted: streams, also roaming ones, resume and miss nothing', async () => {
  const users = await fresh('nats', 4);
  const readers = roaming();
  const streams = await Promise.all(
    cluster.urls.map((url) => EventStream.resuming(targetAt(url), 'user', reader.token)),
  );
  openStreams.push(...streams);
  const load = loading(users);
  await posted(load, 20, 30_000);
  process.kill(cluster.nats.pid, 'SIGKILL');
  await cluster.gone(cluster.nats.pid, 5_000);
  await until('3 s without NATS', pauseOf(3_000), 10_000);
  await cluster.restart('nats');
  await posted(load, load.count + 40, 60_000);
  const report = await load.stop();
  await assertNothingLost(report, users);
  const wanted = report.acknowledged.map((post) => post.id);
  for (const stream of streams) {
    const all = () => {
      const seen = new Set(stream.updates());
      return wanted.every((id) => seen.has(id));
    };
    await until('every acknowledged post in the stream', all, 30_000);
    const updates = stream.updates();
    assert.equal(new Set(updates).size, updates.length, 'a status was streamed twice');
  }
  await Promise.all(streams.map((stream) => stream.close()));
  await assertStreamed(readers, report);
});

// The last story, because the killed Cassandra node does not return in this file: two of three replicas continue.
test('one Cassandra node killed: service goes on, and roaming streams miss nothing', async () => {
  const users = await fresh('cass', 4);
  const readers = roaming();
  const load = loading(users);
  await posted(load, 20, 30_000);
  const victim = victimOf(cluster);
  process.kill(victim.pid, 'SIGKILL');
  await cluster.gone(victim.pid, 5_000);
  await posted(load, load.count + 100, 60_000);
  const report = await load.stop();
  await assertNothingLost(report, users);
  await assertStreamed(readers, report);
});

function pauseOf(ms: number): () => true | undefined {
  const end = Date.now() + ms;
  return () => Date.now() > end || undefined;
}
