import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Document, Peer, PeerActor } from '../../kit/federation/peer.js';
import { type SecureServer, TrustedLoopback } from '../../kit/federation/trusted-loopback.js';
import { makeStaff, seen } from '../../kit/federation/two-places.js';
import { call, makePeople, type Person } from '../cluster/people.js';

let loopback: TrustedLoopback;
let server: SecureServer;
let near: Peer;
let far: Peer;
let boss: Person;
let ben: PeerActor;

before(async () => {
  loopback = await TrustedLoopback.open();
  [near, far] = await Promise.all([loopback.peer(), loopback.peer()]);
  server = await loopback.server();
  const [ada] = (await makePeople(server.dataDir, ['ada'])) as [Person];
  boss = await makeStaff(server.dataDir);
  ben = near.actor('ben');
  for (const { uri } of [ben, near.actor('bob'), far.actor('cora')])
    await call(server.url, ada, 'GET', `/api/v2/search?q=${encodeURIComponent(uri)}&resolve=true`);
});
after(async () => {
  await server?.dispose();
  await Promise.all([near?.close(), far?.close()]);
  await loopback?.close();
});

/** Returns the names of the accounts in a list for administrators, newest first. */
async function listed(version: 'v1' | 'v2', query: string): Promise<string[]> {
  const list = await call(server.url, boss, 'GET', `/api/${version}/admin/accounts?${query}`);
  return (list as unknown as Document[]).map(({ username }) => username);
}

const EVERYBODY = ['cora', 'bob', 'ben', 'boss', 'ada'];
const REMOTE = ['cora', 'bob', 'ben'];
const LOCAL = ['boss', 'ada'];

test('administrators list accounts of this server, of other servers, or of all', async () => {
  const lists = async (version: 'v1' | 'v2', query: string, expected: string[]) =>
    assert.deepEqual(await listed(version, query), expected, `${version} ${query}`);
  await lists('v1', '', EVERYBODY);
  await lists('v1', 'local=true&remote=true', EVERYBODY);
  await lists('v1', 'remote=true', REMOTE);
  await lists('v1', 'local=true', LOCAL);
  await lists('v2', '', EVERYBODY);
  await lists('v2', 'origin=remote', REMOTE);
  await lists('v2', 'origin=local', LOCAL);
  await lists('v2', 'origin=elsewhere', []);
  await lists('v2', 'origin=remote&username=o', ['cora', 'bob']);
});

test('administrators list the accounts of one server, in any spelling of its name', async () => {
  for (const version of ['v1', 'v2'] as const) {
    assert.deepEqual(await listed(version, `by_domain=${near.host}`), ['bob', 'ben'], version);
    assert.deepEqual(await listed(version, `by_domain=0X7F.1:${far.port}`), ['cora'], version);
    assert.deepEqual(await listed(version, 'by_domain=unknown.example'), [], version);
    assert.deepEqual(await listed(version, 'by_domain=/'), [], version);
  }
  assert.deepEqual(await listed('v2', `by_domain=${near.host}&origin=local`), []);
});

test('only accounts of this server have an email, an address, a role or a sign-up to list them by', async () => {
  for (const query of ['status=pending', 'status=disabled', 'email=b', 'ip=127.0.0.1', 'invited_by=1'])
    assert.deepEqual(await listed('v2', query === 'email=b' ? `${query}&origin=remote` : query), [], query);
  assert.deepEqual(await listed('v2', 'permissions=staff'), ['boss']);
});

test('pages of all accounts follow one another, each account once', async () => {
  const found: string[] = [];
  let last = '';
  for (let pages = 0; pages < EVERYBODY.length; pages++) {
    const path = `/api/v2/admin/accounts?limit=2${last === '' ? '' : `&max_id=${last}`}`;
    const page = (await call(server.url, boss, 'GET', path)) as unknown as Document[];
    found.push(...page.map(({ username }) => username));
    if (page.length === 0) break;
    last = page.at(-1)?.id;
  }
  assert.deepEqual(found, EVERYBODY);
});

test('an account of another server that was deleted there is in no list', async () => {
  near.answer('/users/ben', { status: 410 });
  assert.equal(await ben.post(`${server.url}/inbox`, ben.activity('Delete', ben.uri)), 202);
  await seen('the end of ben', async () => !(await listed('v2', 'origin=remote')).includes('ben'));
  assert.deepEqual(await listed('v2', `by_domain=${near.host}`), ['bob']);
});
