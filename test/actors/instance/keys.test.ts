import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { vapidKeys } from '../../../actors/instance/keys.js';
import { TestServer } from '../../kit/services/server.js';

let server: TestServer;
before(async () => {
  server = await TestServer.start();
});
after(() => server?.stop());

test('nodes that create the key at once without notifications return the same key', async () => {
  const { services } = server.node;
  const heardNothing = { ...services, entries: Object.assign(Object.create(services.entries), { of: async () => [] }) };
  const keys = await Promise.all([1, 2, 3].map(() => vapidKeys(heardNothing)));
  const known = await vapidKeys(services);
  assert.equal(Buffer.from(known.publicKey, 'base64url').length, 65);
  assert.deepEqual([...keys, await vapidKeys(heardNothing)], Array(4).fill(known));
});

test('a key that could not be stored is not revealed, not even in part', async () => {
  const { services } = server.node;
  const refused = async () => ({ problem: 'invalid', detail: 'no' });
  const none = Object.assign(Object.create(services.entries), { of: async () => [] });
  await assert.rejects(vapidKeys({ ...services, entries: none, askInstance: refused as never }), {
    name: 'Unavailable',
  });
});
