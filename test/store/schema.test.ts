import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errors, types } from 'cassandra-driver';
import { persistently } from '../../store/cassandra/schema.js';

const atOnce = {
  after: (_delayMs: number, callback: () => void) => {
    queueMicrotask(callback);
    return { cancel: () => undefined };
  },
};
const refusal = (message: string) => new errors.ResponseError(types.responseErrorCodes.invalid, message);

/** The texts of Cassandra 5.0 about definitions that the answering node does not have yet. */
const spreading = [
  "Keyspace 'murmuration' doesn't exist",
  'keyspace murmuration does not exist',
  'unconfigured table names',
];

test('a definition that has not spread yet is waited for', async () => {
  for (const message of spreading) {
    let asked = 0;
    const work = async () => {
      asked += 1;
      if (asked < 3) throw refusal(message);
      return 'done';
    };
    assert.equal(await persistently('creating the tables', atOnce, work), 'done');
    assert.equal(asked, 3);
  }
});

test('a wrong definition is not repeated', async () => {
  let asked = 0;
  const work = async () => {
    asked += 1;
    throw refusal('Unknown property speculative');
  };
  await assert.rejects(persistently('creating the tables', atOnce, work), errors.ResponseError);
  assert.equal(asked, 1);
});
