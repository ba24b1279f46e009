import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeId } from '../../../../actors/domain/ids.js';
import { uriKey } from '../../../../actors/domain/text/uri-key.js';
import {
  headerFor,
  partialFollowers,
  SYNCHRONIZED_MAX,
} from '../../../../actors/federation/synchronization/partial-followers.js';
import { followerInboxes } from '../../../../store/federation-tables.js';
import { MemoryTables } from '../../../../store/memory/memory-tables.js';
import { put, type RowWrite, WRITE_ROWS_MAX } from '../../../../store/port.js';
import { accounts } from '../../../../store/tables.js';

const AT_MS = 1_767_225_600_000;
const account = makeId(AT_MS, 1, 0);
const FAR = 'https://far.example';

/** Stores followers with the numbers from `from` on, of one server. */
async function follows(tables: MemoryTables, from: number, to: number): Promise<void> {
  const inbox = `${FAR}/inbox`;
  const rows: RowWrite[] = [];
  for (let number = from; number < to; number++) {
    const follower = makeId(AT_MS + number, 2, 0);
    const record = { id: follower, origin: { uri: `${FAR}/users/u${number}`, url: '' } };
    rows.push(put(followerInboxes, { account, inbox: uriKey(inbox), follower }, { inbox }));
    rows.push(put(accounts, { account: follower }, record as never));
  }
  for (let at = 0; at < rows.length; at += WRITE_ROWS_MAX) await tables.write(rows.slice(at, at + WRITE_ROWS_MAX));
}

test('at most 10,000 followers of a server are read; with more of them nothing is compared', async () => {
  const tables = new MemoryTables();
  await follows(tables, 0, SYNCHRONIZED_MAX);
  assert.equal(SYNCHRONIZED_MAX, 10_000);
  assert.equal(new Set(await partialFollowers(tables, account, FAR)).size, SYNCHRONIZED_MAX);
  assert.match((await headerFor(tables, account, 'https://here.example/users/ann', `${FAR}/inbox`)) ?? '', /digest=/);
  assert.deepEqual(await partialFollowers(tables, account, 'https://far.example.org'), []);
  await follows(tables, SYNCHRONIZED_MAX, SYNCHRONIZED_MAX + 1);
  assert.equal(await partialFollowers(tables, account, FAR), undefined);
  assert.equal(await headerFor(tables, account, 'https://here.example/users/ann', `${FAR}/inbox`), undefined);
});
