import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { TestServer } from '../../../kit/services/server.js';

let server: TestServer;
before(async () => {
  server = await TestServer.start();
});
after(() => server.stop());

test('no annual report exists or can be generated, and only signed-in users may ask', async () => {
  const ada = await server.person('ada');
  const path = '/api/v1/annual_reports';
  assert.deepEqual((await ada.get(path)).body, { annual_reports: [], accounts: [], statuses: [] });
  assert.deepEqual((await ada.get(`${path}/2025/state`)).body, { state: 'ineligible' });
  assert.deepEqual((await ada.post(`${path}/2025/generate`)).body, {});
  assert.equal((await ada.get(`${path}/2025`)).status, 404);
  assert.equal((await ada.post(`${path}/2025/read`)).status, 404);
  assert.equal((await server.get(path)).status, 401);
  const narrow = await server.token(ada.id, ['read:statuses']);
  assert.equal((await server.ask('GET', path, undefined, narrow)).status, 403);
});
