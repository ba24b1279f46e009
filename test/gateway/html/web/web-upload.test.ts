import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { Visitor } from '../../../kit/network/visitor.js';
import { TestServer } from '../../../kit/services/server.js';
import { makeUser, PASSWORD } from '../../oauth/stage.js';

let server: TestServer;
let alice: Visitor;
before(async () => {
  server = await TestServer.start();
  await makeUser(server, 'alice');
  alice = new Visitor(server, { accept: 'text/html' });
  await alice.get('/auth/sign_in');
  await alice.submit('/auth/sign_in', { login: 'alice', password: PASSWORD });
});
after(() => server?.stop());

const COMPOSE = '/web/compose';

test('a post has files with descriptions', async () => {
  await alice.get('/web');
  const pixel = await sharp({ create: { width: 1, height: 1, channels: 3, background: 'white' } })
    .gif()
    .toBuffer();
  const form = new FormData();
  for (const [name, value] of Object.entries(alice.hidden(COMPOSE))) form.set(name, value);
  form.set('status', 'with a picture');
  form.set('file1', new Blob([pixel], { type: 'image/gif' }), 'a.gif');
  form.set('description1', 'one white dot');
  form.set('file2', new Blob([]), '');
  const cookie = [...alice.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const posted = await server.send(COMPOSE, { method: 'POST', body: form, redirect: 'manual', headers: { cookie } });
  assert.equal(posted.status, 303, await posted.text());
  assert.match((await alice.get('/web')).text, /with a picture.*alt="one white dot"/s);
});
