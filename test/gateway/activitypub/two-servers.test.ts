import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { freePort } from '../../../cluster/local/process.js';
import { TestServer } from '../../kit/services/server.js';

const servers: TestServer[] = [];

before(async () => {
  for (let count = 0; count < 2; count++) {
    const port = await freePort('127.0.0.1');
    const BASE_URL = `http://127.0.0.1:${port}`;
    const settings = { PORT: String(port), BASE_URL, AUTHORIZED_FETCH: 'on', FEDERATION_ALLOW_CIDRS: 'loopback' };
    servers.push(await TestServer.start(settings));
  }
});
after(() => Promise.all(servers.map((server) => server.stop())));

test('two servers that both demand signatures read each other', async () => {
  const [here, there] = servers as [TestServer, TestServer];
  await there.person('ann');
  const uri = `${there.node.services.instance.baseUrl}/users/ann`;
  const outcome = await here.node.services.federation.client.object(uri);
  assert.equal(outcome.kind, 'object', JSON.stringify(outcome));
  const key = await here.node.services.federation.keys.publicPem(`${uri}#main-key`);
  assert.ok('owner' in key);
  assert.equal(key.owner.username, 'ann');
});
