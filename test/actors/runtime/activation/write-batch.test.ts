import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WriteBatch } from '../../../../actors/runtime/activation/write-batch.js';
import { put, type RowWrite, WRITE_ROWS_MAX } from '../../../../store/port.js';
import { cursors } from '../../../../store/tables.js';

const row = (actor: string): RowWrite => put(cursors, { actor }, { beforeReply: 1, afterReply: 1 });

test('rows written within one turn share a write, and none are lost when they exceed one', async () => {
  const sent: (readonly RowWrite[])[] = [];
  const joint = new WriteBatch({ write: async (rows) => void sent.push(rows) });
  const names = Array.from({ length: WRITE_ROWS_MAX + 10 }, (_, index) => `account/${index}`);
  await Promise.all(names.map((name) => joint.write([row(name)])));
  assert.deepEqual(
    sent.map((rows) => rows.length),
    [WRITE_ROWS_MAX, 10],
  );
  assert.deepEqual(
    sent.flat().map(({ key }) => key.actor),
    names,
  );
  await joint.write([row('later')]);
  assert.equal(sent.length, 3);
});

test('a failure rejects all calls with rows in the write, and no later ones', async () => {
  let fails = true;
  const joint = new WriteBatch({
    write: async () => {
      if (fails) throw new Error('full');
    },
  });
  const outcomes = await Promise.allSettled([joint.write([row('a')]), joint.write([row('b')])]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  fails = false;
  await joint.write([row('a')]);
});
