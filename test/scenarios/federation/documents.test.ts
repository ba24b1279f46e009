import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { type SecureServer, TrustedLoopback } from '../../kit/federation/trusted-loopback.js';
import { call, makePeople, type Person } from '../cluster/people.js';

const { TEST_NODES, TEST_PEERS } = process.env;
assert.ok(TEST_NODES && TEST_PEERS, 'scripts/test.mjs names the newer Node programs and the folder of other servers');
const node = (JSON.parse(TEST_NODES) as Record<string, string>)[22] ?? '';
const READ_MS_MAX = 30_000;
const reader = join(import.meta.dirname, '../../../../test/peers/fedify-reader.mjs');

let loopback: TrustedLoopback;
let server: SecureServer;
before(async () => {
  loopback = await TrustedLoopback.open();
  server = await loopback.server();
});
after(async () => {
  await server?.dispose();
  await loopback?.close();
});

test('Fedify reads people, statuses and collections as they are', async () => {
  const [ada, ben] = (await makePeople(server.dataDir, ['ada', 'ben'])) as [Person, Person];
  const post = (who: Person, path: string, body?: object) =>
    call(server.url, who, 'POST', `/api/v1/${path}`, body) as Promise<{ id: string }>;
  await call(server.url, ada, 'PATCH', '/api/v1/accounts/update_credentials', { display_name: 'Ada ☃' });
  const status = await post(ada, 'statuses', { status: '@ben hello #スター・ウォーズ' });
  const poll = await post(ada, 'statuses', { status: 'which?', poll: { options: ['a', 'b'], expires_in: 600 } });
  const shared = await post(ben, 'statuses', { status: 'to be shared' });
  const reblog = await post(ada, `statuses/${shared.id}/reblog`);
  await post(ada, 'statuses', { status: 'for followers', visibility: 'private' });
  for (const id of [status.id, poll.id]) await post(ada, `statuses/${id}/pin`);
  await post(ben, `accounts/${ada.id}/follow`);

  const uri = `${server.url}/users/ada`;
  const uriOf = ({ id }: { id: string }) => `${uri}/statuses/${id}`;
  const env = { ...process.env, ...loopback.environment };
  const args = [reader, TEST_PEERS, uri, uriOf(status)];
  const { stdout } = await promisify(execFile)(node, args, { timeout: READ_MS_MAX, env });
  const read = JSON.parse(stdout);
  const { content, ...rest } = read.status;
  assert.match(content, /スター・ウォーズ/);
  assert.deepEqual(rest, {
    type: 'Note',
    id: uriOf(status),
    author: uri,
    to: ['https://www.w3.org/ns/activitystreams#Public'],
    tags: [
      ['Mention', `@ben@${new URL(server.url).host}`, `${server.url}/users/ben`],
      ['Hashtag', '#スター・ウォーズ', `${server.url}/tags/${encodeURIComponent('スター・ウォーズ')}`],
    ],
  });
  assert.deepEqual(read.person, {
    type: 'Person',
    id: uri,
    name: 'Ada ☃',
    username: 'ada',
    inbox: `${uri}/inbox`,
    sharedInbox: `${server.url}/inbox`,
    key: 'RSASSA-PKCS1-v1_5',
  });
  const activity = (one: { id: string }) => `${uriOf(one)}/activity`;
  assert.deepEqual(read.outbox, [
    ['Announce', activity(reblog)],
    ['Create', activity(poll)],
    ['Create', activity(status)],
  ]);
  assert.deepEqual(read.featured, [
    ['Question', uriOf(poll)],
    ['Note', uriOf(status)],
  ]);
  assert.equal(read.followers, 1);
});
