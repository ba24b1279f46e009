import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { StoreRemoteActor } from '../../../proto/gen/types.js';
import { type Person, TestServer } from '../../kit/services/server.js';
import { until } from '../../kit/time/until.js';

const WAIT_MS = 10_000;

let server: TestServer;
let admin: Person;
before(async () => {
  server = await TestServer.start();
  admin = await server.staff('chief', 'admin');
});
after(() => server.stop());

/** Stores an account of another server, as if its actor had been fetched. */
async function found(username: string, domain: string): Promise<void> {
  const { services } = server.node;
  const uri = `https://${domain}/users/${username}`;
  const actor: StoreRemoteActor = {
    ...{ uri, url: uri, inbox: `${uri}/inbox`, sharedInbox: '', outbox: '', followersUri: '', featuredUri: '' },
    ...{ keys: [], type: 'Person', alsoKnownAs: [], movedTo: '', fetchedAtMs: 1, gone: false, followers: 0 },
    ...{ avatarUrl: '', headerUrl: '', emojis: [], publishedMs: 0 },
  };
  const id = await services.newAccountId();
  const answer = await services.askAccount(id, 'describe', { username, domain, profile: undefined, actor });
  assert.deepEqual(answer, {});
}

const peers = async (): Promise<string[]> => (await server.ask('GET', '/api/v1/instance/peers')).body;

test('peers are the servers of known accounts, each once, without those that administrators limit', async () => {
  assert.deepEqual(await peers(), []);
  for (const [name, domain] of [
    ['ann', 'b.example'],
    ['ben', 'b.example'],
    ['cleo', 'a.example'],
    ['dan', 'bad.example'],
  ] as const)
    await found(name, domain);
  await until('three peers', async () => (await peers()).join() === 'a.example,b.example,bad.example', WAIT_MS);
  await admin.post('/api/v1/admin/domain_blocks', { domain: 'bad.example', severity: 'suspend' });
  assert.deepEqual(await peers(), ['a.example', 'b.example']);
  assert.equal((await server.ask('GET', '/api/v1/instance')).body.stats.domain_count, 3);
  assert.equal((await server.ask('GET', '/api/v1/instance')).body.stats.user_count, 1, 'local accounts only');
});
