import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { inboxRoutes } from '../../../gateway/activitypub/inbox.js';
import { json, route } from '../../../gateway/http/route.js';
import { GatewayFixture, rawExchange } from './gateway-fixture.js';

const STATUS = /HTTP\/1\.1 ([0-9]{3})/g;
/** Calls of the inbox in their order. */
const calls: string[] = [];
const inbox = {
  isFull: true,
  yieldToPeople: () => void calls.push('person'),
  receive: async () => {
    calls.push('activity');
    return 'taken' as const;
  },
};
const gateway = new GatewayFixture();
before(() => {
  const things = route({ method: 'GET', path: '/things', auth: 'none', handle: () => json({}) });
  const services = { ...gateway.services(), inbox };
  return gateway.start([things, ...inboxRoutes], { services });
});
after(() => gateway.stop());

const statusesOf = (text: string) => [...text.matchAll(STATUS)].map(([, status]) => Number(status));
const posted = (path: string, body = '{}') =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/activity+json\r\nContent-Length: ${body.length}\r\n\r\n`;
const GET = 'GET /things HTTP/1.1\r\nHost: a\r\n\r\n';

/** Sends requests on one connection until so many are answered. */
async function sent(bytes: string, answers: number): Promise<string> {
  calls.length = 0;
  return rawExchange(gateway.server.port, bytes, (text) => statusesOf(text).length >= answers);
}

test('a full inbox refuses activities before their bodies arrive, on a connection that stays', async () => {
  inbox.isFull = true;
  for (const path of ['/inbox', '/actor/inbox', '/users/ada/inbox']) {
    const text = await sent(posted(path), 1);
    assert.deepEqual(statusesOf(text), [503], path);
    assert.match(text, /retry-after: [1-9]/i);
  }
  assert.deepEqual(calls, [], 'nothing was read for them');
  const text = await sent(`${posted('/inbox')}{}${posted('/inbox')}{}${GET}`, 3);
  assert.deepEqual(statusesOf(text), [503, 503, 200]);
  assert.deepEqual(calls, ['person']);
});

test('an inbox with room takes activities, and learns of the requests of people', async () => {
  inbox.isFull = false;
  const text = await sent(`${GET}${posted('/inbox')}{}`, 2);
  assert.deepEqual(statusesOf(text), [200, 202]);
  assert.deepEqual(calls, ['person', 'activity']);
});
