import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { connect, type NatsConnection } from 'nats';
import { Misconfigured, Unavailable } from '../../../actors/domain/problem.js';
import { systemClock } from '../../../actors/runtime/system.js';
import { codec } from '../../../proto/codec.js';
import { NotDelivered, ROWS_TOPIC, STATUSES_TOPIC } from '../../../transport/bus.js';
import { NatsBus } from '../../../transport/nats/nats-bus.js';
import { Numbering } from '../../../transport/nats/published.js';
import { HeldLine } from '../../kit/network/held-line.js';
import { OwnTime } from '../../kit/time/own-time.js';
import { busContract } from '../bus-contract.js';
import { eventually } from '../eventually.js';
import { OwnNatsServer, sharedNatsUrl } from '../nats-server.js';

const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const bytes = (text: string) => new TextEncoder().encode(text);
const freshPrefix = () => `test-${randomBytes(6).toString('hex')}`;

interface Test {
  after(end: () => Promise<void>): void;
}

async function shared(t: Test, prefix: string, name: string): Promise<NatsBus> {
  const bus = await NatsBus.connect({
    url: sharedNatsUrl(),
    token: process.env.TEST_NATS_TOKEN,
    prefix,
    name,
    log,
    clock: systemClock,
  });
  t.after(() => bus.close());
  return bus;
}

/** Connects without a bus, to send what no bus sends. */
async function connected(t: Test): Promise<NatsConnection> {
  const token = process.env.TEST_NATS_TOKEN;
  const connection = await connect({ servers: sharedNatsUrl(), ...(token && { token }) });
  t.after(() => connection.close());
  return connection;
}
/** One message of a common topic, as it is sent. */
const pack = codec('murmuration.node.Pack').encode({ entries: [{ subject: ROWS_TOPIC, payload: bytes('x') }] });

busContract('NATS bus', async (t) => {
  const prefix = freshPrefix();
  return [await shared(t, prefix, 'one'), await shared(t, prefix, 'two')];
});

test('buses with different prefixes do not receive each other’s messages', async (t) => {
  const one = await shared(t, freshPrefix(), 'one');
  const two = await shared(t, freshPrefix(), 'two');
  await one.serve('actor.1', async (payload) => payload);
  await assert.rejects(two.request('actor.1', new Uint8Array(), 1_000), Unavailable);
});

test('malformed messages are counted and ignored', async (t) => {
  const prefix = freshPrefix();
  const bus = await shared(t, prefix, 'one');
  const heard: Uint8Array[] = [];
  await bus.subscribe('topic.x', (payload) => heard.push(payload));
  const stranger = await connected(t);
  for (const garbage of [bytes('garbage'), new Uint8Array(), new Uint8Array(1_000).fill(255)]) {
    stranger.publish(`${prefix}.topic.x`, garbage);
  }
  await eventually('all are counted', () => bus.counts().garbage === 3);
  bus.publish('topic.x', bytes('good'));
  await eventually('the good one came', () => heard.length === 1);
});

test('a wrong token is an error of the settings, and no error contains the password of the address', async (t) => {
  const server = await OwnNatsServer.start('right');
  t.after(() => server.end());
  await assert.rejects(
    NatsBus.connect({ url: server.url, token: 'wrong', prefix: 'x', name: 'one', log, clock: systemClock }),
    (error) => error instanceof Misconfigured && /authorization/i.test(error.message),
  );
  await server.kill();
  const url = server.url.replace('//', '//user:SECRET@');
  await assert.rejects(
    NatsBus.connect({ url, prefix: 'x', name: 'one', log, clock: systemClock }),
    (error) => error instanceof Unavailable && !error.message.includes('SECRET'),
  );
});

test('a killed server makes requests Unavailable at once; after its return everything continues, and the gap is reported', async (t) => {
  const server = await OwnNatsServer.start('secret');
  const open = (name: string) =>
    NatsBus.connect({ url: server.url, token: 'secret', prefix: 'x', name, log, clock: systemClock });
  const [one, two] = [await open('one'), await open('two')];
  t.after(async () => {
    await one.close();
    await two.close();
    await server.end();
  });
  const gaps = { one: 0, two: 0 };
  const heardAtGap: boolean[] = [];
  one.onGap(() => {
    heardAtGap.push(one.hears());
    gaps.one += 1;
  });
  two.onGap(() => (gaps.two += 1));
  const heard: string[] = [];
  await one.serve('actor.1', async (payload) => payload);
  await one.serve('actor.2', () => new Promise(() => undefined));
  await two.subscribe('topic.x', (payload) => heard.push(new TextDecoder().decode(payload)));
  one.publish('topic.x', bytes('before'));
  await eventually('it came', () => heard.length === 1);

  const waiting = assert.rejects(two.request('actor.2', bytes('wait'), 60_000), Unavailable);
  await server.kill();
  await waiting;
  await eventually('both know', () => !one.healthy() && !two.healthy());
  assert.deepEqual([one.hears(), two.hears()], [false, false]);
  const time = new OwnTime();
  await assert.rejects(two.request('actor.1', bytes('hello'), 60_000), Unavailable);
  assert.ok(time.stop() < 100);
  one.publish('topic.x', bytes('lost'));
  const late = one.serve('actor.3', async (payload) => payload);

  await server.start();
  await eventually('both are back', () => one.healthy() && two.healthy());
  await late;
  await eventually('requests work again', async () => {
    const answers = await Promise.allSettled(['actor.1', 'actor.3'].map((s) => two.request(s, bytes('hello'), 5_000)));
    return answers.every((answer) => answer.status === 'fulfilled');
  });
  await eventually('both were told of the gap', () => gaps.one > 0 && gaps.two > 0);
  await eventually('both hear all again', () => one.hears() && two.hears());
  assert.equal(heardAtGap[0], false, 'what was kept is believed only after that');
  one.publish('topic.x', bytes('after'));
  await eventually('it came', () => heard.includes('after'));
  assert.deepEqual(heard, ['before', 'after']);
});

/** Three pings, a second apart, and a check; a busy machine takes longer. */
const NOTICED_MS_MAX = 6_000;

for (const [how, sent] of [
  ['idle', 0],
  ['full of what was sent', 60],
] as const) {
  test(`a silently dead line, ${how}, is detected within seconds: requests fail, and it recovers`, async (t) => {
    const line = await HeldLine.open(sharedNatsUrl());
    const prefix = freshPrefix();
    const far = await shared(t, prefix, 'far');
    const near = await NatsBus.connect({
      url: line.url,
      token: process.env.TEST_NATS_TOKEN,
      prefix,
      name: 'near',
      log,
      clock: systemClock,
    });
    t.after(async () => {
      await near.close();
      await line.close();
    });
    await far.serve('actor.1', async (payload) => payload);
    await near.request('actor.1', bytes('hello'), 60_000);

    line.silence();
    const time = new OwnTime();
    // More than the buffers of all sockets on the way can hold.
    for (let number = 0; number < sent; number++) near.publish('topic.x', new Uint8Array(500_000));
    await assert.rejects(near.request('actor.1', bytes('hello'), 60_000), Unavailable);
    const noticedMs = time.stop();
    assert.ok(noticedMs < NOTICED_MS_MAX, `noticed after ${noticedMs} ms`);
    assert.deepEqual([near.healthy(), near.hears()], [false, false]);
    await assert.rejects(near.request('actor.1', bytes('hello'), 60_000), NotDelivered);
    await eventually('it says for how long', () => near.downMs() > 100);

    line.mend();
    await eventually('it is back', () => near.healthy() && near.downMs() === 0);
    assert.equal(new TextDecoder().decode(await near.request('actor.1', bytes('again'), 60_000)), 'again');
  });
}

test('after a lost connection the gap is reported before any message arrives', async (t) => {
  // A busy node reads the answer to its ping together with messages.
  const line = await HeldLine.open(sharedNatsUrl(), '127.0.0.1', 20);
  const prefix = freshPrefix();
  const bus = await NatsBus.connect({
    url: line.url,
    token: process.env.TEST_NATS_TOKEN,
    prefix,
    name: 'one',
    log,
    clock: systemClock,
  });
  const stranger = await connected(t);
  let happened: ('gap' | 'message')[] = [];
  bus.onGap(() => happened.push('gap'));
  await bus.subscribe(ROWS_TOPIC, () => happened.push('message'));
  let published = 0;
  // Each is the first message of its publisher, so that no number shows a gap.
  const publishing = setInterval(() => {
    stranger.publish(`${prefix}.topics`, new Numbering(`publisher ${published++}`).wrap('topics', pack));
  }, 1);
  t.after(async () => {
    clearInterval(publishing);
    await bus.close();
    await line.close();
  });
  await eventually('messages arrive', () => happened.includes('message'));
  assert.ok(!happened.includes('gap'));
  line.silence();
  await eventually('the line is known to be dead', () => !bus.healthy());
  happened = [];
  line.mend();
  await eventually('the gap is reported', () => happened.includes('gap'));
  await eventually('messages arrive again', () => happened.includes('message'));
  assert.equal(happened[0], 'gap');
});

test('a hanging server is retried, on one connection at a time', async (t) => {
  const server = await OwnNatsServer.start('secret');
  const options = {
    url: server.url,
    token: 'secret',
    prefix: 'x',
    name: 'one',
    log,
    clock: systemClock,
    connectMsMax: 300,
  };
  const bus = await NatsBus.connect(options);
  t.after(async () => {
    await bus.close();
    await server.end();
  });
  const connections = () => process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;
  const before = connections();
  server.hang(true);
  await eventually('some tries were in vain', () => bus.downMs() > 4_000);
  assert.ok(connections() <= before + 1, `${connections()} instead of ${before}`);
  server.hang(false);
  await eventually('it is back', () => bus.healthy());
});

test('publications on common topics arrive before an answer that was sent after them', async (t) => {
  const prefix = freshPrefix();
  const [one, two] = [await shared(t, prefix, 'one'), await shared(t, prefix, 'two')];
  const heard: string[] = [];
  const note = (topic: string) => (payload: Uint8Array) => heard.push(`${topic} ${new TextDecoder().decode(payload)}`);
  await two.subscribe(ROWS_TOPIC, note('rows'));
  const statuses = await two.subscribe(STATUSES_TOPIC, note('statuses'));
  await one.serve('actor.1', async (payload) => {
    one.publish(ROWS_TOPIC, payload);
    one.publish(STATUSES_TOPIC, payload);
    return payload;
  });
  await Promise.all(
    ['a', 'b'].map(async (name) => {
      await two.request('actor.1', bytes(name), 60_000);
      assert.ok(heard.includes(`rows ${name}`) && heard.includes(`statuses ${name}`));
    }),
  );
  assert.deepEqual(heard, ['rows a', 'statuses a', 'rows b', 'statuses b']);
  await statuses.close();
  await two.request('actor.1', bytes('c'), 60_000);
  assert.deepEqual(heard.slice(4), ['rows c']);
});

test('a malformed pack is ignored, and a lost pack is a gap', async (t) => {
  const prefix = freshPrefix();
  const bus = await shared(t, prefix, 'one');
  const heard: string[] = [];
  let gaps = 0;
  bus.onGap(() => (gaps += 1));
  await bus.subscribe(ROWS_TOPIC, (payload) => heard.push(new TextDecoder().decode(payload)));
  const stranger = await connected(t);
  const published = codec('murmuration.node.Published');
  const send = (number: number, payload: Uint8Array) =>
    stranger.publish(`${prefix}.topics`, published.encode({ publisher: 'stranger', number, payload }));
  send(1, pack);
  send(2, bytes('no pack'));
  send(4, pack);
  await eventually('both came', () => heard.length === 2);
  assert.deepEqual([bus.counts().garbage, gaps], [1, 1]);
});

test('a bus that has lost messages another did not receive does not follow it; a newer bus expects the next message', async (t) => {
  const prefix = freshPrefix();
  const one = await shared(t, prefix, 'one');
  const stranger = await connected(t);
  const published = codec('murmuration.node.Published');
  const send = (number: number) =>
    stranger.publish(`${prefix}.topics`, published.encode({ publisher: 'stranger', number, payload: pack }));
  const upTo = (number: number) => [{ publisher: 'stranger', number }];
  const hasHeard = (bus: NatsBus, number: number) =>
    eventually(`${number} has come`, () => bus.receivedUpTo().some((of) => of.number === number));
  send(1);
  await hasHeard(one, 1);
  assert.deepEqual(one.receivedUpTo(), upTo(1));
  const [inTime, late] = [await shared(t, prefix, 'in time'), await shared(t, prefix, 'late')];
  const gaps = { inTime: 0, late: 0 };
  inTime.onGap(() => (gaps.inTime += 1));
  late.onGap(() => (gaps.late += 1));
  assert.equal(inTime.follows(upTo(2), []), true);
  assert.equal(late.follows(upTo(1), []), true);
  send(3);
  for (const bus of [one, inTime, late]) await hasHeard(bus, 3);
  assert.deepEqual(gaps, { inTime: 0, late: 1 });
  for (const bus of [one, inTime, late]) {
    assert.equal(bus.follows(upTo(1), []), false);
    assert.equal(bus.follows(upTo(2), []), true);
  }
});
