import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { cassandraSettings, dropKeyspace } from '../../kit/services/cassandra.js';
import { assertRestarts } from '../suites/restart-suite.js';

test('kill -9 of one node on Cassandra: afterwards every route gives the same answers, and hidden data stay hidden', async () => {
  const keyspace = `test_${randomBytes(6).toString('hex')}`;
  try {
    await assertRestarts(cassandraSettings(keyspace));
  } finally {
    await dropKeyspace(keyspace);
  }
});
