import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isProblem } from '../../../../actors/domain/problem.js';
import { put, type Tables } from '../../../../store/port.js';
import { accounts } from '../../../../store/tables.js';
import { type Person, TestServer } from '../../../kit/services/server.js';

const DOMAIN = 'far.example';
const ACTOR = { uri: `https://${DOMAIN}/ap/actor/5`, url: `https://${DOMAIN}/bea` };
const NOTE = { uri: `https://${DOMAIN}/ap/note/6`, url: `https://${DOMAIN}/bea/6` };

let server: TestServer;
let ann: Person;
let bea: Person;
let note: string;

/** Stores an account and a status as federation does: with the domain and the addresses of their server. */
before(async () => {
  server = await TestServer.start();
  ann = await server.person('ann');
  bea = await server.person('bea');
  const { services } = server.node;
  const tables = services.tables as unknown as Tables;
  const record = await tables.get(accounts, { account: bea.id });
  assert.ok(record);
  await tables.write([put(accounts, { account: bea.id }, { ...record, domain: DOMAIN, origin: ACTOR })]);
  note = services.newPlainId();
  const status = {
    ...{ id: note, accountId: bea.id, conversationId: note, domain: DOMAIN, origin: NOTE },
    ...{ text: 'hello', html: '<p>hello</p>', spoilerText: '', visibility: 'public', sensitive: false },
    ...{ mentions: [], tags: [], createdAtMs: services.clock.nowMs(), editedAtMs: 0, deleted: false },
    ...{ favourites: 0, reblogs: 0, replies: 0 },
  };
  assert.ok(!isProblem(await services.askConversation(note, 'add', { status })));
});
after(() => server?.stop());

test('an account of another server has its full name and the addresses that its server states', async () => {
  const { body } = await ann.get(`/api/v1/accounts/${bea.id}`);
  assert.deepEqual([body.acct, body.username, body.uri, body.url], ['bea@far.example', 'bea', ACTOR.uri, ACTOR.url]);
  const own = (await ann.get('/api/v1/accounts/verify_credentials')).body;
  assert.deepEqual([own.acct, own.uri, own.url], ['ann', 'http://localhost/users/ann', 'http://localhost/@ann']);
});

test('a status of another server keeps its addresses when it is marked, and a local reblog has its own', async () => {
  const shown = (await ann.post(`/api/v1/statuses/${note}/favourite`)).body;
  assert.deepEqual([shown.uri, shown.url, shown.account.acct], [NOTE.uri, NOTE.url, 'bea@far.example']);
  assert.equal(shown.favourites_count, 1);
  const reblog = (await ann.post(`/api/v1/statuses/${note}/reblog`)).body;
  assert.equal(reblog.uri, `http://localhost/users/ann/statuses/${reblog.id}/activity`);
  assert.deepEqual([reblog.reblog.uri, reblog.reblog.url], [NOTE.uri, NOTE.url]);
});
