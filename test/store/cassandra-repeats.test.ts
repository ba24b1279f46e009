import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { Client, errors } from 'cassandra-driver';
import { CassandraTables } from '../../store/cassandra/cassandra-tables.js';
import { put } from '../../store/port.js';
import { marks } from '../../store/tables.js';
import { cassandraAddress, dropKeyspace } from '../kit/services/cassandra.js';

const log = { info: () => {}, warn: () => {}, error: () => {} };
const key = (account: string) => ({ account, era: 1, status: '1' });
const rows = (accounts: readonly string[], favouriteId: string) =>
  accounts.map((account) => put(marks, key(account), { favouriteId }));

test('a request whose answer is lost is repeated with its first timestamp, and does not undo a later write', async (t) => {
  const keyspace = `test_${randomBytes(6).toString('hex')}`;
  const open = () => CassandraTables.open({ ...address, keyspace, replication: 1, log, tables: [marks] });
  // The timestamps of one process are in the order of its writes.
  const address = cassandraAddress();
  const [one, other] = [await open(), await open()];
  t.after(async () => {
    await one.close();
    await other.close();
    await dropKeyspace(keyspace);
  });
  for (const [method, accounts] of [
    ['execute', ['1']],
    ['batch', ['2', '3']],
  ] as const) {
    const timestamps: unknown[] = [];
    const sends = Client.prototype[method] as (...args: unknown[]) => Promise<unknown>;
    const losing = t.mock.method(Client.prototype, method, async function (this: Client, ...args: unknown[]) {
      const answer = await sends.apply(this, args);
      timestamps.push((args.at(-1) as { timestamp: unknown }).timestamp);
      if (timestamps.length > 1) return answer;
      losing.mock.restore();
      await other.write(rows(accounts, '22'));
      t.mock.method(Client.prototype, method, async function (this: Client, ...again: unknown[]) {
        timestamps.push((again.at(-1) as { timestamp: unknown }).timestamp);
        return sends.apply(this, again);
      });
      throw new errors.OperationTimedOutError('the answer was lost');
    });
    await one.write(rows(accounts, '11'));
    t.mock.restoreAll();
    assert.equal(timestamps.length, 2, 'tried twice');
    assert.equal(timestamps[1], timestamps[0]);
    const found = await one.getMany(marks, accounts.map(key));
    assert.deepEqual(
      found.map((mark) => mark?.favouriteId),
      accounts.map(() => '22'),
    );
  }
});
