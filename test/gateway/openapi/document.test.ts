import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { allRoutes } from '../../../gateway/routes/index.js';
import { TestServer } from '../../kit/services/server.js';

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

test('each route of a page or a form may refuse with a page, and no other route', async () => {
  const { body } = await server.get('/api/openapi.json');
  for (const { method, path, answer, body: sent } of allRoutes) {
    const { responses } = body.paths[path.replace(/:(\w+)/g, '{$1}')][method.toLowerCase()];
    const isForm = sent?.properties?.csrf !== undefined;
    assert.ok(!isForm || answer === undefined, `${method} ${path} answers a form with JSON`);
    const types = answer === undefined ? ['application/json', 'text/html'] : ['application/json'];
    for (const status of ['4XX', '503'])
      assert.deepEqual(Object.keys(responses[status].content), types, `${method} ${path}: ${status}`);
  }
});

test('every reference in the document resolves, and it has no keyword of this server’s validator', async () => {
  const { body } = await server.get('/api/openapi.json');
  const text = JSON.stringify(body);
  for (const [, name] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    assert.ok(body.components.schemas[name ?? ''], name);
  }
  assert.doesNotMatch(text, /"(?:clamp|bytes)":true|"shown":/);
});

test('the document states what handlers demand besides the schema, so that a conforming client is never refused', async () => {
  const { body } = await server.get('/api/openapi.json');
  const schemaOf = (path: string) => body.paths[path].post.requestBody.content['application/json'].schema;
  const signUp = schemaOf('/api/v1/accounts');
  assert.deepEqual(signUp.required, ['username', 'email', 'password', 'agreement']);
  assert.deepEqual(signUp.properties.agreement, { type: 'boolean', const: true });
  assert.equal(signUp.properties.username.default, undefined, 'a default would be refused');
  assert.equal(signUp.properties.locale.default, '');
  assert.ok(new RegExp(schemaOf('/api/v1/apps').properties.scopes.pattern).test('read write:statuses admin:read'));
  assert.ok(new RegExp(schemaOf('/api/v1/domain_blocks').properties.domain.pattern).test('sub.Example.org'));
  const [ofOld] = schemaOf('/api/v1/admin/ip_blocks').properties.ip.anyOf;
  assert.deepEqual(
    ['203.0.113.7', '10.0.0.0/8', '256.1.1.1', '10.0.0.0/33'].map((ip) => new RegExp(ofOld.pattern).test(ip)),
    [true, true, false, false],
  );
});
