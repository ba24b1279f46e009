import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { TestServer } from '../../kit/server.js';

let server: TestServer;
before(async () => {
  server = await TestServer.start();
});
after(() => server.stop());

test('both forms of the instance say what clients look for', async () => {
  const v1 = (await server.get('/api/v1/instance')).body;
  const v2 = (await server.get('/api/v2/instance')).body;
  assert.match(v1.version, /^4\.\d+\.\d+ \(compatible; Murmuration /);
  assert.equal(v2.version, v1.version);
  assert.deepEqual([v1.uri, v2.domain], ['localhost', 'localhost']);
  assert.equal(v1.urls.streaming_api, 'ws://localhost');
  assert.equal(v2.configuration.urls.streaming, 'ws://localhost');
  assert.equal(v1.configuration.statuses.max_characters, 500);
  assert.deepEqual(v2.configuration.statuses, v1.configuration.statuses);
  assert.equal(v2.registrations.enabled, true);
});

test('lists that are empty are lists, and NodeInfo leads from its well-known place', async () => {
  assert.deepEqual((await server.get('/api/v1/custom_emojis')).body, []);
  assert.deepEqual((await server.get('/api/v1/instance/rules')).body, []);
  const { links } = (await server.get('/.well-known/nodeinfo')).body;
  const info = await server.get(new URL(links[0].href).pathname);
  assert.equal(info.body.software.name, 'murmuration');
  assert.equal((await server.ask('POST', '/api/v1/instance', {})).status, 405);
});
