import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, afterEach, before, test } from 'node:test';
import { Unavailable } from '../../../actors/domain/problem.js';
import { AddressGuard } from '../../../transport/address-guard.js';
import { GATE_LIMITS } from '../../../transport/push/service-gate.js';
import { type WebPushOptions, WebPushSender } from '../../../transport/push/web-push-sender.js';
import { PUSH_PAYLOAD_BYTES_MAX, type PushMessage } from '../../../transport/push-sender.js';
import { PushReceiver, type ReceiverSubscription } from '../../kit/network/push-receiver.js';
import { realClock } from '../real-clock.js';
import { newKeys } from './keys.js';

const KEYS = newKeys();
const SUBJECT = 'mailto:operator@example.org';
const TIMEOUT_MS = 300;

let receiver: PushReceiver;
const opened: WebPushSender[] = [];
before(async () => {
  receiver = await PushReceiver.open();
});
after(async () => {
  await Promise.all(opened.map((one) => one.close()));
  await receiver?.close();
});
afterEach(() => assert.deepEqual(receiver.complaints, []));

function senderWith(more: Partial<WebPushOptions> = {}): WebPushSender {
  const made = new WebPushSender({
    ...{ guard: new AddressGuard(['127.0.0.1/32']), userAgent: 'test', clock: realClock, timeoutMs: 30_000 },
    ...{ log: { warn: () => undefined, error: () => undefined } },
    keys: async () => KEYS,
    subject: async () => SUBJECT,
    ...more,
  });
  opened.push(made);
  return made;
}

const messageTo = ({ endpoint, keys, standard }: ReceiverSubscription, more: Partial<PushMessage> = {}) => ({
  ...{ endpoint, ...keys, encoding: standard ? ('aes128gcm' as const) : ('aesgcm' as const) },
  ...{ payload: '{"title":"hello"}', ttlSeconds: 172_800, urgency: 'normal' as const, topic: 'a-topic_1' },
  ...more,
});

test('a message arrives in both encodings, signed for its push service', async () => {
  const sender = senderWith();
  for (const standard of [true, false]) {
    const subscription = receiver.subscription(standard);
    const payload = JSON.stringify({ title: 'Grüße 🐦', body: 'x'.repeat(500) });
    assert.deepEqual(await sender.send(messageTo(subscription, { payload, urgency: 'high' })), { kind: 'sent' });
    const [message] = receiver.of(subscription.endpoint);
    assert.equal(message?.text, payload);
    assert.equal(message.encoding, standard ? 'aes128gcm' : 'aesgcm');
    assert.deepEqual([message.topic, message.urgency, message.ttlSeconds], ['a-topic_1', 'high', 172_800]);
    assert.deepEqual([message.vapid.key, message.vapid.subject], [KEYS.publicKey, SUBJECT]);
    assert.ok(message.vapid.expiresAtS < Date.now() / 1_000 + 13 * 3_600);
  }
});

test('a push service keeps the last message of each topic', async () => {
  const sender = senderWith();
  const subscription = receiver.subscription();
  for (const [payload, topic] of [
    ['1', 'one'],
    ['2', 'two'],
    ['3', 'one'],
  ] as const)
    await sender.send(messageTo(subscription, { payload, topic }));
  assert.deepEqual(
    receiver
      .fetch(subscription.endpoint)
      .map(({ text }) => text)
      .sort(),
    ['2', '3'],
  );
});

test('the longest payload is sent, and a longer one is not', async () => {
  const sender = senderWith();
  for (const standard of [true, false]) {
    const subscription = receiver.subscription(standard);
    const fits = messageTo(subscription, { payload: 'ü'.repeat((PUSH_PAYLOAD_BYTES_MAX - 1) / 2) });
    assert.deepEqual(await sender.send(fits), { kind: 'sent' });
    assert.deepEqual(await sender.send({ ...fits, payload: `${fits.payload}üü` }), { kind: 'too-large' });
    assert.equal(receiver.of(subscription.endpoint).length, 1);
  }
});

test('each answer of a push service has its outcome', async () => {
  const sender = senderWith();
  const subscription = receiver.subscription();
  const inTwoMinutes = new Date(Date.now() + 120_000).toUTCString();
  const later = (reason: string, afterMs?: number) => ({
    ...{ kind: 'later', reason },
    ...(afterMs === undefined ? {} : { afterMs }),
  });
  for (const [status, retryAfter, outcome] of [
    [200, undefined, { kind: 'sent' }],
    [202, undefined, { kind: 'sent' }],
    [204, undefined, { kind: 'sent' }],
    [301, undefined, { kind: 'refused', status: 301 }],
    [400, undefined, { kind: 'refused', status: 400 }],
    [401, undefined, { kind: 'refused', status: 401 }],
    [403, undefined, { kind: 'refused', status: 403 }],
    [404, undefined, { kind: 'gone' }],
    [408, undefined, later('failed')],
    [410, undefined, { kind: 'gone' }],
    [413, undefined, { kind: 'too-large' }],
    [429, '120', later('busy', 120_000)],
    [429, undefined, later('busy')],
    [429, 'soon', later('busy')],
    [429, '-5', later('busy')],
    [429, '99999999999', later('busy', 86_400_000)],
    [503, 'Thu, 01 Jan 1970 00:00:00 GMT', later('busy', 0)],
    [500, undefined, later('failed')],
    [502, '7', later('failed', 7_000)],
  ] as const) {
    receiver.answer({ status, ...(retryAfter === undefined ? {} : { retryAfter }) }, subscription.endpoint);
    assert.deepEqual(await sender.send(messageTo(subscription)), outcome, `${status} ${retryAfter}`);
  }
  receiver.answer({ status: 503, retryAfter: inTwoMinutes }, subscription.endpoint);
  const busy = await sender.send(messageTo(subscription));
  assert.ok(busy.kind === 'later' && busy.afterMs !== undefined && busy.afterMs > 60_000 && busy.afterMs <= 120_000);
});

test('a service that does not answer, and one that is not there, are asked later', async () => {
  const sender = senderWith({ timeoutMs: TIMEOUT_MS });
  const subscription = receiver.subscription();
  receiver.answer('hang', subscription.endpoint);
  assert.deepEqual(await sender.send(messageTo(subscription)), { kind: 'later', reason: 'timeout' });
  const nobody = { ...messageTo(subscription), endpoint: 'http://127.0.0.1:9/push' };
  assert.deepEqual(await sender.send(nobody), { kind: 'later', reason: 'unreachable' });
  // The receiver speaks no TLS.
  const secure = { ...messageTo(subscription), endpoint: subscription.endpoint.replace('http', 'https') };
  assert.deepEqual(await sender.send(secure), { kind: 'later', reason: 'unreachable' });
});

test('an answer without end does not hold a request longer than its timeout', async () => {
  const endless = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.write('HTTP/1.1 201 Created\r\ntransfer-encoding: chunked\r\n\r\n');
    const chunk = `1000\r\n${'x'.repeat(4_096)}\r\n`;
    const timer = setInterval(() => socket.write(chunk), 1);
    socket.on('close', () => clearInterval(timer));
  });
  await new Promise<void>((listening) => void endless.listen(0, '127.0.0.1', listening));
  const { port } = endless.address() as { port: number };
  const sender = senderWith({ timeoutMs: 5_000 });
  const atMs = performance.now();
  const message = { ...messageTo(receiver.subscription()), endpoint: `http://127.0.0.1:${port}/` };
  assert.deepEqual(await sender.send(message), { kind: 'sent' });
  assert.ok(performance.now() - atMs < 4_000, 'the rest of the answer is not awaited');
  await sender.close();
  await new Promise((closed) => endless.close(closed));
});

test('private addresses and plain http are not asked, whatever is stored', async () => {
  const closed = senderWith({ guard: new AddressGuard() });
  const message = messageTo(receiver.subscription());
  const before = receiver.asked.length;
  const { port } = receiver;
  for (const endpoint of [
    message.endpoint,
    `https://127.0.0.1:${port}/`,
    `https://localhost:${port}/`,
    `https://2130706433:${port}/`,
    `https://[::ffff:127.0.0.1]:${port}/`,
    'http://push.example/',
    'https://user:word@push.example/',
    'ftp://push.example/',
    'nowhere',
  ])
    assert.deepEqual(await closed.send({ ...message, endpoint }), { kind: 'later', reason: 'blocked' }, endpoint);
  assert.equal(receiver.asked.length, before);
});

test('messages to one service share their connections and their token', async () => {
  const own = await PushReceiver.open();
  const sender = senderWith();
  const subscriptions = [own.subscription(true), own.subscription(true)];
  for (let index = 0; index < 20; index++) {
    const subscription = subscriptions[index % 2] as ReceiverSubscription;
    assert.equal((await sender.send(messageTo(subscription))).kind, 'sent');
  }
  assert.ok(own.connections <= 2, `${own.connections} connections`);
  assert.equal(new Set(own.received.map(({ vapid }) => vapid.expiresAtS)).size, 1);
  assert.deepEqual(own.complaints, []);
  await own.close();
});

test('a message without usable keys is refused, and one without keys of the instance waits', async () => {
  const errors: string[] = [];
  const log = {
    warn: (_: object, text: string) => void errors.push(text),
    error: (_: object, text: string) => void errors.push(text),
  };
  const message = messageTo(receiver.subscription());
  const outcome = await senderWith({ log }).send({ ...message, p256dh: 'short' });
  assert.deepEqual(outcome, { kind: 'refused', status: 400 });
  let known = false;
  const keys = async () => (known ? KEYS : Promise.reject(new Unavailable('not yet')));
  const sender = senderWith({ log, keys });
  assert.deepEqual(await sender.send(message), { kind: 'later', reason: 'failed' });
  known = true;
  assert.deepEqual(await sender.send(message), { kind: 'sent' });
  assert.equal(errors.length, 2);
});

test('a hanging service takes few connections, and others are served meanwhile', async (context) => {
  const hanging = await PushReceiver.open();
  const sender = senderWith({ timeoutMs: 2_000, limits: { ...GATE_LIMITS, newServiceWaitingMax: 100 } });
  context.after(() => hanging.close());
  const dead = hanging.subscription();
  hanging.answer('hang');
  const stuck = Array.from({ length: 1_000 }, () => sender.send(messageTo(dead)));
  const live = receiver.subscription();
  const outcomes = await Promise.all(Array.from({ length: 50 }, () => sender.send(messageTo(live))));
  assert.deepEqual(new Set(outcomes.map(({ kind }) => kind)), new Set(['sent']));
  const reasons = new Map<string, number>();
  for (const outcome of await Promise.all(stuck)) {
    assert.equal(outcome.kind, 'later');
    const reason = outcome.kind === 'later' ? outcome.reason : '';
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  assert.ok(hanging.connections <= 3 * GATE_LIMITS.newServiceMax, `${hanging.connections} connections`);
  assert.equal(reasons.get('busy'), 1_000 - 100 - GATE_LIMITS.newServiceMax);
  assert.ok((reasons.get('timeout') ?? 0) <= 2 * GATE_LIMITS.newServiceMax, JSON.stringify([...reasons]));
  assert.equal((await sender.send(messageTo(dead))).kind, 'later');
});
