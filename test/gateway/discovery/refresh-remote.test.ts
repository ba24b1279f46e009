import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refreshRemote } from '../../../gateway/discovery/find-remote.js';
import type { Services } from '../../../gateway/http/services.js';
import type { StoreAccountRecord } from '../../../proto/gen/types.js';

test('only an account of another server is fetched when it is followed, and a failure harms nobody', async () => {
  const fetched: unknown[] = [];
  const people = {
    find: (...asked: unknown[]) => {
      fetched.push(asked);
      return Promise.reject(new Error('no answer'));
    },
  };
  const services = { federation: { people } } as unknown as Services;
  refreshRemote(services, { id: '1' } as StoreAccountRecord);
  const uri = 'https://far.example/users/ann';
  refreshRemote(services, { id: '2', origin: { uri, url: '' } } as StoreAccountRecord);
  await new Promise((settled) => setImmediate(settled));
  assert.deepEqual(fetched, [[uri, { fresh: true }]]);
});
