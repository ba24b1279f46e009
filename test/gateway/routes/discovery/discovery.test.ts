import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { TestServer } from '../../../kit/services/server.js';

let server: TestServer;
before(async () => {
  server = await TestServer.start({ PASSWORD_GRANT: 'on' });
});
after(() => server?.stop());

test('the first requests of clients and servers are answered without a token', async () => {
  const links = (await server.get('/.well-known/nodeinfo')).body.links;
  assert.equal(links[0].href, 'http://localhost/nodeinfo/2.0');
  const info = await server.get('/nodeinfo/2.0');
  assert.deepEqual([info.body.version, info.body.software.name], ['2.0', 'murmuration']);
  const { body } = await server.get('/.well-known/oauth-authorization-server');
  assert.equal(body.token_endpoint, 'http://localhost/oauth/token');
  assert.deepEqual(body.grant_types_supported, ['authorization_code', 'client_credentials', 'password']);
  assert.deepEqual(body.code_challenge_methods_supported, ['S256']);
});

test('default pictures exist and are cacheable', async () => {
  for (const path of ['/avatars/original/missing.png', '/headers/original/missing.png']) {
    const response = await server.send(path);
    assert.equal(response.headers.get('content-type'), 'image/png');
    assert.match(response.headers.get('cache-control') ?? '', /max-age=86400/);
    assert.deepEqual([...new Uint8Array(await response.arrayBuffer()).slice(1, 4)], [...Buffer.from('PNG')]);
  }
});

test('the style sheet of the pages is served as CSS', async () => {
  const page = await server.send('/');
  const file = /<link rel="stylesheet" href="\/assets\/(style-[^"]+)"/.exec(await page.text())?.[1] ?? '';
  const style = await server.get(`/assets/${file}`);
  assert.equal(style.status, 200);
  assert.match(style.headers.get('cache-control') ?? '', /immutable/);
  assert.equal((await server.get(`/assets/x${file}`)).status, 404);
  assert.match(style.headers.get('content-type') ?? '', /^text\/css/);
});

test('an application reads itself with its own token; a user with the scope reads their profile', async () => {
  const redirect = 'https://example.org/';
  const app = await server.ask('POST', '/api/v1/apps', { client_name: 'one', redirect_uris: redirect, scopes: 'read' });
  const { client_id, client_secret } = app.body;
  const granted = await server.ask('POST', '/oauth/token', {
    client_id,
    client_secret,
    grant_type: 'client_credentials',
  });
  const self = await server.ask('GET', '/api/v1/apps/verify_credentials', undefined, granted.body.access_token);
  assert.deepEqual([self.status, self.body.name, self.body.redirect_uris], [200, 'one', [redirect]]);
  assert.equal('client_secret' in self.body, false);
  const ada = await server.person('ada');
  for (const method of ['GET', 'POST']) {
    const user = await server.ask(method, '/oauth/userinfo', undefined, ada.token);
    assert.deepEqual([user.status, user.body.preferred_username], [200, 'ada']);
    assert.equal((await server.ask(method, '/oauth/userinfo', undefined, granted.body.access_token)).status, 422);
  }
});
