import assert from 'node:assert/strict';
import { test } from 'node:test';
import { STREAMS_PER_ACCOUNT_MAX } from '../../../gateway/streaming/endpoints/admission.js';
import { until } from '../../kit/time/until.js';
import { ALICE, account, GatewayFixture } from '../http/gateway-fixture.js';
import { NO_RELATIONS, NO_SOURCES } from './no-sources.js';

const WAIT_MS = 10_000;
const TOO_MANY = 20;

test('an account opens a bounded number of streams, even if all are opened at once', async () => {
  let asked = 0;
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const ask = async (_id: string, command: string) => {
    if (command !== 'list') return NO_RELATIONS;
    asked += 1;
    await held;
    return { id: '7' };
  };
  const gateway = new GatewayFixture();
  await gateway.start([], { streams: NO_SOURCES }, ask as never);
  const leaving = new AbortController();
  try {
    await gateway.giveAccount(account(ALICE));
    await gateway.giveToken('alice', { accountId: ALICE, scopes: ['read'] });
    const address = `${gateway.url}/api/v1/streaming/list?list=7&access_token=alice`;
    const opening = Array.from({ length: STREAMS_PER_ACCOUNT_MAX + TOO_MANY }, () =>
      fetch(address, { signal: leaving.signal }),
    );
    await until('all questions', () => asked === opening.length, WAIT_MS);
    release();
    const statuses = (await Promise.all(opening)).map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 200).length, STREAMS_PER_ACCOUNT_MAX);
    assert.equal(statuses.filter((status) => status === 429).length, TOO_MANY);
  } finally {
    leaving.abort();
    await gateway.stop();
  }
});
