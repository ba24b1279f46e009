import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { Unavailable } from '../../../actors/domain/problem.js';
import { pushKind } from '../../../actors/kinds/push.js';
import type { Alert, NoAlert } from '../../../actors/push/alerts.js';
import { PushFigures } from '../../../actors/push/figures.js';
import { topicOf } from '../../../actors/push/payload.js';
import { Alarms } from '../../../actors/runtime/effects/alarms.js';
import { type ActorKind, askerOf } from '../../../actors/runtime/kind.js';
import type { RuntimeLimits } from '../../../actors/runtime/limits.js';
import type { PushMessage, PushOutcome } from '../../../transport/push-sender.js';
import { jsonCodec } from '../../kit/actors/notebook.js';
import { STAGE_SHARDS, Stage, type StageNode } from '../../kit/actors/stage.js';
import { alertOf } from './alert.js';

const ACCOUNT = '000000000000000065';
const ONE = '000000000000000001';
const TWO = '000000000000000002';
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Effects have a second to finish before their shard is handed over (actors/runtime/limits.ts). */
const HANDOFF_MS_MAX = 2_000;
const LATER: PushOutcome = { kind: 'later', reason: 'unreachable' };
const SENT: PushOutcome = { kind: 'sent' };

type Answer = PushOutcome | Promise<PushOutcome>;

/** Stands for accounts: records which subscriptions have ended. */
const accountStub = (
  gone: string[],
): ActorKind<object, { pushGone: { in: { id: string }; out: object } }, { ended: { id: string } }> => ({
  name: 'account',
  initial: () => ({}),
  stateVersion: 1,
  decide: {
    pushGone: (_state, { id }) => {
      gone.push(id);
      return { events: [], reply: {} };
    },
  },
  apply: { ended: () => undefined },
  commands: { pushGone: { in: jsonCodec('Gone'), out: jsonCodec('Empty'), repeats: 'idempotent', local: true } },
  events: { ended: { codec: jsonCodec('Ended'), invalidates: false } },
  reactions: [],
});

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Pushes on a node of real actors. The test plays the push service and the gateway. */
async function world(limits: Partial<RuntimeLimits> = {}) {
  const stage = new Stage();
  const messages: PushMessage[] = [];
  const gone: string[] = [];
  const figures = new PushFigures();
  const plays = {
    answer: (_message: PushMessage): Answer => SENT,
    alert: (_subscription: string, _id: string): Alert | NoAlert => alertOf(),
  };
  const kind = pushKind({
    clock: stage.clock,
    random: { bytes: (count) => new Uint8Array(count), fraction: () => 1 },
    figures,
    alerts: { of: async (_account, subscription, id) => plays.alert(subscription, id) },
    sender: {
      async send(message) {
        messages.push(message);
        return plays.answer(message);
      },
    },
  });
  const start = async (epoch: number) => {
    const node = await stage.node(epoch, limits, [kind, accountStub(gone)]);
    const alarms = new Alarms({
      ...{ tables: stage.shared, asker: node.runtime, clock: stage.clock, placement: node.placement },
      logger: { info: () => undefined, warn: () => undefined, error: () => undefined },
    });
    alarms.start();
    closing.push(() => alarms.close());
    return { node, alarms };
  };
  let running = await start(1);
  closing.push(() => stage.close());
  const ask = (node: StageNode) => askerOf(kind, node.runtime);
  return {
    stage,
    plays,
    messages,
    gone,
    figures,
    /** Returns the topics of all attempts, in order. */
    topics: () => messages.map(({ topic }) => topic),
    async enqueue(subscription: string, id: string, type = 'mention', ageMs = 0) {
      const atMs = stage.clock.nowMs() - ageMs;
      const push = { account: ACCOUNT, notificationId: id, kind: type, atMs };
      const asked = ask(running.node)(subscription, 'enqueue', push);
      await stage.clock.settle();
      return asked;
    },
    activations: () => running.node.runtime.metrics.activations,
    /** Hands all shards over. */
    release: () => running.node.runtime.release(STAGE_SHARDS, async () => undefined),
    /** Ends the node like kill -9; another one takes over. */
    async takeOver() {
      running.alarms.close();
      stage.kill(running.node);
      running = await start((running.node.placement.epoch ?? 1) + 1);
    },
  };
}

test('a push is sent once, with the fields of its subscription and its type', async () => {
  const here = await world();
  here.plays.alert = () => alertOf({ subscription: { ...alertOf().subscription, standard: false } });
  await here.enqueue(ONE, '1');
  await here.stage.clock.advance(2 * HOUR_MS);
  assert.equal(here.messages.length, 1);
  const [{ endpoint, p256dh, auth, encoding, ttlSeconds, urgency, topic, payload } = {} as PushMessage] = here.messages;
  assert.deepEqual([endpoint, p256dh, auth], ['https://push.example/1', 'p', 'a']);
  assert.deepEqual([encoding, ttlSeconds, urgency, topic], ['aesgcm', 172_800, 'high', topicOf(ONE, '1')]);
  assert.equal(JSON.parse(payload).notification_id, 1);
  assert.equal(here.figures.sent, 1);
  await here.enqueue(ONE, '2', 'favourite', HOUR_MS);
  assert.deepEqual([here.messages[1]?.urgency, here.messages[1]?.ttlSeconds], ['low', 11 * 3_600]);
});

test('a push service that hangs or fails delays no other subscription, and enqueueing waits for none', async () => {
  const here = await world();
  here.plays.answer = () => new Promise(() => undefined);
  await here.enqueue(ONE, '1');
  await here.enqueue(ONE, '2');
  here.plays.answer = () => SENT;
  await here.enqueue(TWO, '3');
  assert.deepEqual(here.topics(), [topicOf(ONE, '1'), topicOf(TWO, '3')]);
});

test('failed attempts pause with growing delays, and later pushes wait behind them in order', async () => {
  const here = await world({ idleMs: 5_000 });
  const atMs: number[] = [];
  here.plays.answer = () => {
    atMs.push(here.stage.clock.nowMs());
    return LATER;
  };
  await here.enqueue(ONE, '1');
  await here.enqueue(ONE, '2');
  await here.stage.clock.advance(3 * HOUR_MS);
  assert.deepEqual(new Set(here.topics()), new Set([topicOf(ONE, '1')]));
  const pauses = atMs.slice(1).map((time, index) => time - (atMs[index] ?? 0));
  assert.ok(pauses.length >= 5 && pauses.length <= 6, `${pauses}`);
  const wanted = [90_000, 270_000, 810_000, 2_430_000];
  for (const [index, pause] of pauses.entries()) {
    const least = wanted[index] ?? HOUR_MS;
    assert.ok(pause >= least && pause <= least + 35_000, `${index}: ${pause}`);
  }
  assert.ok(here.figures.failed.unreachable >= 6);
  assert.ok(here.figures.oldestMs(here.stage.clock.nowMs()) >= 3 * HOUR_MS - 1_000);
  here.messages.length = 0;
  here.plays.answer = () => SENT;
  await here.stage.clock.advance(2 * HOUR_MS);
  assert.deepEqual(here.topics(), [topicOf(ONE, '1'), topicOf(ONE, '2')]);
  assert.equal(here.figures.oldestMs(here.stage.clock.nowMs()), 0);
});

test('a push service that asks for a pause gets it, a day at most', async () => {
  const here = await world();
  here.plays.answer = () => ({ kind: 'later', reason: 'busy', afterMs: 2 * HOUR_MS });
  await here.enqueue(ONE, '1');
  await here.stage.clock.advance(2 * HOUR_MS - MINUTE_MS);
  assert.equal(here.messages.length, 1);
  here.plays.answer = () => ({ kind: 'later', reason: 'busy', afterMs: 90 * 24 * HOUR_MS });
  await here.stage.clock.advance(2 * MINUTE_MS);
  assert.equal(here.messages.length, 2);
  await here.stage.clock.advance(25 * HOUR_MS);
  here.plays.answer = () => SENT;
  await here.enqueue(ONE, '2');
  assert.deepEqual(here.topics().slice(2), [topicOf(ONE, '2')]);
});

test('a push is given up after a day, or when it is no longer worth showing', async () => {
  const here = await world();
  here.plays.answer = () => LATER;
  await here.enqueue(ONE, 'favourite', 'favourite');
  await here.enqueue(TWO, 'mention');
  await here.stage.clock.advance(12 * HOUR_MS + HOUR_MS + MINUTE_MS);
  assert.equal(here.figures.dropped.expired, 1);
  await here.stage.clock.advance(12 * HOUR_MS);
  assert.equal(here.figures.dropped.expired, 2);
  const tries = here.messages.length;
  await here.stage.clock.advance(6 * HOUR_MS);
  assert.equal(here.messages.length, tries);
});

test('a subscription that the push service has ended is removed with all its pushes', async () => {
  const here = await world();
  here.plays.answer = () => LATER;
  for (const id of ['1', '2', '3']) await here.enqueue(ONE, id);
  here.messages.length = 0;
  here.plays.answer = () => ({ kind: 'gone' });
  await here.stage.clock.advance(2 * MINUTE_MS);
  assert.deepEqual([here.messages.length, here.gone], [1, [ONE]]);
  await here.stage.clock.advance(4 * HOUR_MS);
  assert.equal(here.messages.length, 1);
});

test('waiting pushes stop when the subscription, its token or its owner may not be used any more', async () => {
  const here = await world();
  here.plays.answer = () => LATER;
  for (const id of ['1', '2', '3']) await here.enqueue(ONE, id);
  here.plays.alert = () => 'stopped';
  here.messages.length = 0;
  await here.stage.clock.advance(4 * HOUR_MS);
  assert.deepEqual([here.messages.length, here.figures.dropped.stopped], [0, 1]);
});

test('a notification that was hidden meanwhile is not sent, and the others are', async () => {
  const here = await world();
  here.plays.answer = () => LATER;
  for (const id of ['1', '2', '3']) await here.enqueue(ONE, id);
  here.plays.alert = (_subscription, id) => (id === '2' ? 'hidden' : alertOf());
  here.plays.answer = () => SENT;
  here.messages.length = 0;
  await here.stage.clock.advance(2 * MINUTE_MS);
  assert.deepEqual(here.topics(), [topicOf(ONE, '1'), topicOf(ONE, '3')]);
});

test('a push that is too large is shortened, and given up when even its title is too large', async () => {
  const here = await world();
  here.plays.alert = () => alertOf({ body: 'x'.repeat(1_000) });
  here.plays.answer = ({ payload }) => (payload.length > 250 ? { kind: 'too-large' } : SENT);
  await here.enqueue(ONE, '1');
  assert.deepEqual(
    here.messages.map(({ payload }) => JSON.parse(payload).body.length),
    [200, 60],
  );
  here.plays.answer = () => ({ kind: 'too-large' });
  await here.enqueue(ONE, '2');
  assert.equal(here.messages.length, 5);
  assert.deepEqual([here.figures.sent, here.figures.failed['too-large'], here.figures.dropped['too-large']], [1, 1, 1]);
});

test('a refused push is dropped, and the next one is sent', async () => {
  const here = await world();
  here.plays.answer = () => ({ kind: 'refused', status: 400 });
  await here.enqueue(ONE, '1');
  here.plays.answer = () => SENT;
  await here.enqueue(ONE, '2');
  assert.deepEqual(here.topics(), [topicOf(ONE, '1'), topicOf(ONE, '2')]);
  assert.equal(here.figures.dropped.refused, 1);
});

test('pushes wait while the owner’s actor cannot answer', async () => {
  const here = await world();
  here.plays.alert = () => {
    throw new Unavailable('no store');
  };
  await here.enqueue(ONE, '1');
  await here.stage.clock.advance(5 * MINUTE_MS);
  assert.equal(here.messages.length, 0);
  here.plays.alert = () => alertOf();
  await here.stage.clock.advance(2 * MINUTE_MS);
  assert.deepEqual(here.topics(), [topicOf(ONE, '1')]);
});

test('a node that is killed after the push service has answered sends the push again under the same topic', async () => {
  const here = await world();
  let answer: (outcome: PushOutcome) => void = () => undefined;
  here.plays.answer = () => new Promise((resolve) => (answer = resolve));
  await here.enqueue(ONE, '1');
  await here.enqueue(ONE, '2');
  const killed = here.takeOver();
  answer(SENT);
  here.plays.answer = () => SENT;
  await killed;
  await here.stage.clock.advance(2 * MINUTE_MS);
  assert.deepEqual(here.topics(), [topicOf(ONE, '1'), topicOf(ONE, '1'), topicOf(ONE, '2')]);
});

test('a push service that hangs does not hold a handoff back, and the next owner sends the push', async () => {
  const here = await world();
  here.plays.answer = () => new Promise(() => undefined);
  await here.enqueue(ONE, '1');
  let isReleased = false;
  void here.release().then(() => {
    isReleased = true;
  });
  await here.stage.clock.advance(HANDOFF_MS_MAX);
  assert.ok(isReleased);
  here.plays.answer = () => SENT;
  await here.takeOver();
  await here.stage.clock.advance(MINUTE_MS);
  assert.deepEqual(here.topics(), [topicOf(ONE, '1'), topicOf(ONE, '1')]);
});

test('a subscription whose pushes wait leaves memory', async () => {
  const here = await world();
  here.plays.answer = () => LATER;
  for (const id of [ONE, TWO]) await here.enqueue(id, '1');
  assert.equal(here.activations(), 2);
  await here.stage.clock.advance(10_000);
  assert.equal(here.activations(), 0);
  here.plays.answer = () => SENT;
  await here.stage.clock.advance(3 * MINUTE_MS);
  assert.deepEqual([here.figures.sent, here.activations()], [2, 2]);
});

test('a pause continues on the node that takes over', async () => {
  const here = await world();
  here.plays.answer = () => LATER;
  await here.enqueue(ONE, '1');
  await here.takeOver();
  here.plays.answer = () => SENT;
  assert.equal(here.messages.length, 1);
  await here.stage.clock.advance(2 * MINUTE_MS);
  assert.deepEqual(here.topics(), [topicOf(ONE, '1'), topicOf(ONE, '1')]);
  await here.stage.clock.advance(HOUR_MS);
  assert.equal(here.messages.length, 2);
});
