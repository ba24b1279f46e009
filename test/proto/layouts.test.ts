import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInThisContext } from 'node:vm';
import { initialAccount } from '../../actors/account/slices.js';
import { accountRecord } from '../../actors/reactions/account/rows.js';
import { codec } from '../../proto/codec.js';
import type { StoreStatusRecord } from '../../proto/gen/types.js';
import { CachedRows } from '../../store/cache/cached-rows.js';
import { accounts, statuses } from '../../store/tables.js';
import { started } from '../actors/conversation/thread-of-one.js';

setFlagsFromString('--allow-natives-syntax');
const areAlike: (a: object, b: object) => boolean = runInThisContext('(a, b) => %HaveSameMap(a, b)');

/** Returns the status after each kind of change, each in its own conversation. */
function changedStatuses(): Record<string, StoreStatusRecord | undefined> {
  const record = (thread: ReturnType<typeof started>) => thread.state.statuses.get('1')?.record;
  const mark = { statusId: '1', by: 'bob' };
  const quote = { ...mark, quotingId: '9', visibility: 'public', follows: false, conversationId: '9' };
  const reply = { ...(record(started()) as StoreStatusRecord), id: '2', inReplyToId: '1' };
  return {
    added: record(started()),
    favourited: record(started().when('favourite', mark)),
    replied: record(started().when('add', { status: reply })),
    quoted: record(started({ quotePolicy: 'public' }).when('quote', quote)),
    removed: record(started().when('remove', { statusId: '1', by: 'author' })),
    closed: record(started().when('setQuotePolicy', { statusId: '1', by: 'author', policy: 'nobody' })),
  };
}

test('statuses have one object layout after every change and when they are read', () => {
  const { value } = statuses;
  const first = value.decode(value.encode(changedStatuses().added as StoreStatusRecord));
  const all = Object.entries(changedStatuses());
  for (const [name, record] of all) assert.ok(record !== undefined && areAlike(first, record), name);
  const [added, favourited] = [changedStatuses().added, changedStatuses().favourited];
  assert.notDeepEqual(added, favourited);
  assert.equal(areAlike(first, { ...first }), false, 'a copy made by spread is not');
});

test('accounts have one object layout when their actor writes them and when they are read', () => {
  const written = accountRecord(initialAccount('1'));
  const read = accounts.value.decode(accounts.value.encode(written));
  assert.ok(areAlike(written, read));
  assert.equal(read.id, '1');
});

test('a row updated with another node’s numbers keeps its object layout', () => {
  const record = codec('murmuration.store.StatusRecord').copy(changedStatuses().added as StoreStatusRecord);
  const rows = new CachedRows(statuses, 10, () => 0);
  rows.offer('1', record);
  rows.amend('1', [{ name: 'favourites', number: 7 }]);
  const amended = rows.get('1') as StoreStatusRecord;
  assert.deepEqual([amended.favourites, amended.id, amended !== record], [7, '1', true]);
  assert.ok(areAlike(record, amended));
});
