import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeId } from '../../../actors/domain/ids.js';
import { uriKey } from '../../../actors/domain/text/uri-key.js';
import { inboxesOfFollowersOf } from '../../../actors/federation/outgoing/audience.js';
import { followerInboxes } from '../../../store/federation-tables.js';
import { MemoryTables } from '../../../store/memory/memory-tables.js';
import { put } from '../../../store/port.js';

const account = makeId(1_767_225_600_000, 1, 0);
const FOLLOWERS = 2_500;
const SERVERS = 7;

test('the inboxes of more followers than are read at a time are found, each once', async () => {
  const tables = new MemoryTables();
  for (let first = 0; first < FOLLOWERS; first += 100)
    await tables.write(
      Array.from({ length: 100 }, (_, place) => {
        const inbox = `https://server${(first + place) % SERVERS}.example/${'inbox/'.repeat(50)}`;
        const follower = makeId(1_767_225_600_000 + first + place, 2, 0);
        return put(followerInboxes, { account, inbox: uriKey(inbox), follower }, { inbox });
      }),
    );
  const found = await inboxesOfFollowersOf(tables, account);
  assert.equal(found.length, SERVERS);
  assert.ok(found.every((inbox) => inbox.endsWith('/inbox/')));
  assert.deepEqual(await inboxesOfFollowersOf(tables, makeId(1_767_225_600_000, 3, 0)), []);
});
