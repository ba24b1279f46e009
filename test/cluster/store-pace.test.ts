import assert from 'node:assert/strict';
import { test } from 'node:test';
import { STORE_PATIENCE_MS } from '../../cluster/context.js';
import { LEASE_MS } from '../../cluster/lease.js';
import { StorePace } from '../../cluster/store-pace.js';

/** A minute of renewals. */
const RENEWALS = 40;

test('a quick store changes neither lease nor timeout', () => {
  const pace = new StorePace();
  pace.observed(40);
  assert.deepEqual([pace.leaseMs(LEASE_MS), pace.patienceMs, pace.isSlow], [LEASE_MS, STORE_PATIENCE_MS, false]);
});

test('a slow store lengthens lease and timeout within bounds, and a minute of quick answers restores them', () => {
  const pace = new StorePace();
  pace.observed(3_000);
  assert.deepEqual([pace.leaseMs(LEASE_MS), pace.patienceMs, pace.isSlow], [15_000, 5_000, true]);
  pace.observed(60_000);
  assert.deepEqual([pace.leaseMs(LEASE_MS), pace.patienceMs], [30_000, 5_000]);
  pace.observed(0);
  const slow = new StorePace();
  slow.observed(3_000);
  for (let renewal = 0; renewal < RENEWALS; renewal++) slow.observed(20);
  assert.deepEqual([slow.leaseMs(LEASE_MS), slow.isSlow], [LEASE_MS, false]);
});
