import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Unavailable } from '../../../actors/domain/problem.js';
import type { Alert } from '../../../actors/push/alerts.js';
import { NotificationAlerts } from '../../../gateway/notifications/alerts.js';
import type { StoredNotification } from '../../../gateway/notifications/stored-notification.js';
import { streamSources } from '../../../gateway/timelines/sources.js';
import type { ReadTables } from '../../../store/port.js';
import { statuses } from '../../../store/tables.js';
import { type Person, TestServer } from '../../kit/services/server.js';
import { until } from '../../kit/time/until.js';
import { PUSH_SUBSCRIPTION as subscription } from '../../scenarios/requests/own-account-requests.js';

/** Notifications arrive after the reply. */
const TOLD_MS_MAX = 10_000;
const HOUR_MS = 3_600_000;

let server: TestServer;
let ada: Person;
let ben: Person;
before(async () => {
  server = await TestServer.start();
  ada = await server.person('ada');
  ben = await server.person('ben');
});
after(() => server?.stop());

/** The store before the rows of statuses are written: their effects are of another lane than those that notify. */
function withoutStatuses(tables: ReadTables): ReadTables {
  return {
    get: (table, key) => tables.get(table, key),
    range: (table, partition, options) => tables.range(table, partition, options),
    getMany: async (table, keys) =>
      (table.name as string) === statuses.name ? keys.map(() => undefined) : tables.getMany(table, keys),
  };
}

const early = () => ({ ...server.node.services, tables: withoutStatuses(server.node.services.tables) });

/** Returns the notification of a mention, once there is one. */
async function mention(text: string): Promise<StoredNotification> {
  const statusId = await ben.says(text);
  const sources = streamSources(server.node.services);
  return until(
    'a mention',
    async () => (await sources.notificationsSince(ada.id, '0', 40)).find(({ record }) => record.statusId === statusId),
    TOLD_MS_MAX,
  );
}

test('a push waits until the status of its notification is stored', async () => {
  const made = await ada.post('/api/v1/push/subscription', { subscription, data: { alerts: { mention: true } } });
  const { id, record } = await mention(`@${ada.name} how are you?`);
  const push = { kind: 'mention', atMs: record.atMs };
  await assert.rejects(new NotificationAlerts(early()).of(ada.id, made.body.id, id, push), Unavailable);
  const late = { ...push, atMs: record.atMs - HOUR_MS };
  assert.equal(await new NotificationAlerts(early()).of(ada.id, made.body.id, id, late), 'hidden');
  const shown = await new NotificationAlerts(server.node.services).of(ada.id, made.body.id, id, push);
  assert.equal((shown as Alert).body, `@${ada.name} how are you?`);
});

test('a stream waits until the status of its notification is stored', async () => {
  const { id, record } = await mention(`@${ada.name} and now?`);
  const render = async (sources: ReturnType<typeof streamSources>, atMs = record.atMs) =>
    sources.renderNotification(ada.id, id, { ...record, atMs });
  await assert.rejects(render(streamSources(early())), Unavailable);
  assert.equal(await render(streamSources(early()), record.atMs - HOUR_MS), undefined);
  assert.ok(await render(streamSources(server.node.services)));
});

test('a stream waits until the last status of a conversation is stored', async () => {
  // Private mentions of strangers wait in the requests.
  await ada.follows(ben);
  await ben.says(`@${ada.name} in private`, { visibility: 'direct' });
  const [direct] = await until(
    'a conversation',
    async () => {
      const found = await streamSources(server.node.services).conversationsSince(ada.id, '0', 40);
      return found.length > 0 ? found : undefined;
    },
    TOLD_MS_MAX,
  );
  assert.ok(direct);
  await assert.rejects(async () => streamSources(early()).renderConversation(ada.id, direct), Unavailable);
  assert.ok(await streamSources(server.node.services).renderConversation(ada.id, direct));
});
