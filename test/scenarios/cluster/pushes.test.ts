import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { operatorClient } from '../../../cli/operator-socket.js';
import { notificationIn, PushReceiver } from '../../kit/network/push-receiver.js';
import type { LocalCluster } from '../../kit/services/local-cluster.js';
import { sharedCluster, victimOf } from '../../kit/services/shared-cluster.js';
import { until } from '../../kit/time/until.js';
import { call, makePeople, type Person } from './people.js';

/** Receivers, each with three devices. A status mentions all of them, so these are 1,000 notifications. */
const READERS = 4;
const DEVICES = 3;
const STATUSES = 250;
/** Authors who post at the same time. */
const AUTHORS = 5;
/** Time for which a post is retried under its key, and a pause between two attempts. */
const RETRY_MS_MAX = 180_000;
const PAUSE_MS = 200;
const REQUEST_MS_MAX = 30_000;
/** Timeout of a story's step: two cores run three Cassandra nodes besides. */
const STEP_MS_MAX = 300_000;
/**
 * Timeout of the last push. On a busy machine, five requests without an answer pause the push service, and each
 * subscription then waits for up to nine minutes (ADR 29).
 */
const ARRIVED_MS_MAX = 600_000;
const NOTIFICATIONS_PAGE = 80;

interface Device {
  readonly reader: Person;
  readonly endpoint: string;
}

let cluster: LocalCluster;
let service: PushReceiver;
let readers: Person[];
let authors: Person[];
const devices: Device[] = [];

before(async () => {
  service = await PushReceiver.open();
  cluster = await sharedCluster();
  const names = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);
  const people = await makePeople(cluster.node(0).data_dir, [...names('reader', READERS), ...names('author', AUTHORS)]);
  readers = people.slice(0, READERS);
  authors = people.slice(READERS);
  const operate = operatorClient(cluster.node(0).data_dir);
  for (const reader of readers)
    for (let index = 0; index < DEVICES; index++) {
      const { token } = await operate('token.create', { username: reader.name, scopes: 'push' });
      const subscription = service.subscription(index > 0);
      const body = { subscription, data: { alerts: { mention: true } } };
      await call(cluster.node(index).url, { ...reader, token }, 'POST', '/api/v1/push/subscription', body);
      devices.push({ reader, endpoint: subscription.endpoint });
    }
});
after(() => service?.close());

/** Statuses that a node has acknowledged. */
let posted = 0;

/** Posts the author's share, each status until it is acknowledged. */
async function post(author: Person, share: number): Promise<void> {
  const mentions = readers.map(({ name }) => `@${name}`).join(' ');
  for (let number = 0; number < share; number++) {
    await until(
      `status ${number} of ${author.name} acknowledged`,
      async () => {
        const url = cluster.urls[(number + posted) % cluster.urls.length] as string;
        const isPosted = await posts(url, author, `${number} ${mentions}`, `${author.id}-${number}`);
        if (!isPosted) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
        return isPosted || undefined;
      },
      RETRY_MS_MAX,
    );
    posted++;
  }
}

async function posts(url: string, author: Person, status: string, key: string): Promise<boolean> {
  const headers = {
    authorization: `Bearer ${author.token}`,
    'content-type': 'application/json',
    'idempotency-key': key,
  };
  const signal = AbortSignal.timeout(REQUEST_MS_MAX);
  const init = { method: 'POST', headers, body: JSON.stringify({ status }), signal };
  return fetch(`${url}/api/v1/statuses`, init).then(
    async (response) => {
      await response.arrayBuffer();
      return response.status === 200;
    },
    () => false,
  );
}

/** Returns the ids of all notifications of a reader. */
async function notified(url: string, reader: Person): Promise<string[]> {
  const ids: string[] = [];
  for (;;) {
    const last = ids.at(-1);
    const query = `limit=${NOTIFICATIONS_PAGE}${last === undefined ? '' : `&max_id=${last}`}`;
    const page = (await call(url, reader, 'GET', `/api/v1/notifications?${query}`)) as { readonly id: string }[];
    if (page.length === 0) return ids;
    ids.push(...page.map(({ id }) => id));
  }
}

const step = (share: number) =>
  until(`${share} statuses acknowledged`, () => posted >= STATUSES * share || undefined, STEP_MS_MAX);

/** Counts messages, repeated ones once, by looking at each of them once: tests look many times a second. */
class PushCount {
  readonly #seen = new Set<string>();
  #read = 0;

  constructor(private readonly pushes: PushReceiver) {}

  count(): number {
    for (const push of this.pushes.received.slice(this.#read))
      this.#seen.add(`${push.endpoint} ${notificationIn(push)}`);
    this.#read = this.pushes.received.length;
    return this.#seen.size;
  }
}

const idsAt = ({ endpoint }: Device) => service.of(endpoint).map(notificationIn);

test('each of 3,000 pushes arrives once while a node, NATS and a Cassandra node are killed', async (t) => {
  const posting = Promise.all(authors.map((author) => post(author, STATUSES / AUTHORS)));
  await step(0.2);
  const victim = cluster.node(2);
  process.kill(victim.pid, 'SIGKILL');
  await step(0.4);
  process.kill(cluster.nats.pid, 'SIGKILL');
  await cluster.gone(cluster.nats.pid, 5_000);
  await cluster.restart('nats');
  await step(0.6);
  await cluster.restart(victim.name);
  await step(0.8);
  process.kill(victimOf(cluster).pid, 'SIGKILL');
  await posting;
  const different = new PushCount(service);
  const wanted = devices.length * STATUSES;
  await until('all pushes', () => different.count() >= wanted, ARRIVED_MS_MAX).catch((error: Error) => {
    const received = devices.map((device) => new Set(idsAt(device)).size);
    throw new Error(`${error.message}; received of ${STATUSES} by each device: ${received.join(' ')}`);
  });
  // Their pages are read after the pushes, when nearly all are there, because each look pages through all of them.
  const expected = new Map<string, string[]>();
  for (const reader of readers) {
    const ids = await until(
      `all notifications of ${reader.name}`,
      async () => {
        const found = await notified(cluster.node(0).url, reader);
        return found.length === STATUSES ? found : undefined;
      },
      STEP_MS_MAX,
    );
    expected.set(reader.id, ids.sort());
  }
  const repeated = service.received.length - DEVICES * READERS * STATUSES;
  t.diagnostic(`${service.received.length} messages, ${repeated} of them repeated under the same topic`);
  for (const device of devices) {
    assert.equal(new Set(idsAt(device)).size, STATUSES);
    // The push service has kept one message for each topic.
    const shown = service.fetch(device.endpoint).map(notificationIn);
    assert.deepEqual(shown.sort(), expected.get(device.reader.id));
  }
  assert.deepEqual(service.complaints, []);
});
