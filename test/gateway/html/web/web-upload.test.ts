import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import type { Visitor } from '../../../kit/network/visitor.js';
import { TestServer } from '../../../kit/services/server.js';
import { makeUser, signedIn } from '../../oauth/stage.js';

let server: TestServer;
let alice: Visitor;
before(async () => {
  server = await TestServer.start();
  await makeUser(server, 'alice');
  alice = await signedIn(server, 'alice');
});
after(() => server?.stop());

const COMPOSE = '/web/compose';

test('a post has files with descriptions', async () => {
  await alice.get('/web');
  const pixel = await sharp({ create: { width: 1, height: 1, channels: 3, background: 'white' } })
    .gif()
    .toBuffer();
  const posted = await alice.submit(COMPOSE, {
    status: 'with a picture',
    file1: new Blob([new Uint8Array(pixel)], { type: 'image/gif' }),
    description1: 'one white dot',
    file2: new Blob([]),
  });
  assert.equal(posted.status, 303, posted.text);
  assert.match((await alice.get('/web')).text, /with a picture.*alt="one white dot"/s);
});
