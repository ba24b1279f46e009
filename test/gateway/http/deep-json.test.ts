import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { allRoutes } from '../../../gateway/routes/index.js';
import { TestServer } from '../../kit/services/server.js';
import { makeApp } from '../oauth/stage.js';

/** Deeper than recursion can reach. */
const LEVELS = 60_000;
const DEEP = [`${'{"a":'.repeat(LEVELS)}1${'}'.repeat(LEVELS)}`, `${'['.repeat(3 * LEVELS)}1${']'.repeat(3 * LEVELS)}`];

let server: TestServer;
before(async () => {
  server = await TestServer.start();
});
after(() => server?.stop());

test('every route accepts or refuses very deep JSON, including routes that store the request', async () => {
  const owner = await server.staff('ada', 'owner');
  const app = await makeApp(server);
  const granted = { ...app, grant_type: 'client_credentials', scope: 'read write' };
  const appToken = (await server.ask('POST', '/oauth/token', granted)).body.access_token;
  const wanted = { status: 'x', username: 'ben', email: 'ben@example.org', password: 'long enough', agreement: true };
  const broken: string[] = [];
  let asked = 0;
  for (const route of allRoutes.filter(({ method }) => method !== 'GET'))
    for (const deep of DEEP) {
      const token = route.auth === 'app' ? appToken : owner.token;
      const headers = {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': `key ${++asked}`,
      };
      const body = `${JSON.stringify(wanted).slice(0, -1)},"unknown":${deep}}`;
      const path = route.path.replace(/:\w+/g, owner.id);
      const answer = await server.send(path, { method: route.method, headers, body, redirect: 'manual' });
      await answer.arrayBuffer();
      if (answer.status >= 500) broken.push(`${route.method} ${route.path}: ${answer.status}`);
    }
  assert.deepEqual(broken, []);
});
