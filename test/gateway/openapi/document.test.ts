import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { allRoutes } from '../../../gateway/routes/index.js';
import { TestServer } from '../../kit/server.js';

let server: TestServer;
before(async () => {
  server = await TestServer.start();
});
after(() => server?.stop());

test('the document names every route with its parameters, scopes and answer', async () => {
  const { status, body } = await server.get('/api/openapi.json');
  assert.equal(status, 200);
  assert.equal(body.openapi, '3.1.0');
  for (const { method, path } of allRoutes) {
    const operation = body.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
    assert.ok(operation, `${method} ${path}`);
  }
  const post = body.paths['/api/v1/statuses'].post;
  assert.deepEqual(post.security, [{ oauth: ['write:statuses'] }]);
  assert.equal(post.requestBody.content['application/json'].schema.properties.visibility !== undefined, true);
  const status200 = body.paths['/api/v1/accounts/{id}'].get.responses['200'];
  assert.deepEqual(status200.content['application/json'].schema, { $ref: '#/components/schemas/Account' });
});

test('every reference within the document leads somewhere, and no keyword is our validator’s own', async () => {
  const { body } = await server.get('/api/openapi.json');
  const text = JSON.stringify(body);
  for (const [, name] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    assert.ok(body.components.schemas[name ?? ''], name);
  }
  assert.doesNotMatch(text, /"(?:clamp|bytes)":true/);
});
