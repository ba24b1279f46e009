import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSilent, LEASE_MARGIN_MS, LEASE_MS, leaseRules, ranOut, sighted, validUntilMs } from '../../cluster/lease.js';
import { fc } from '../kit/property.js';

const row = (beat: number, incarnation = 'x', state = 'up') => ({ incarnation, beat, state, leaseMs: LEASE_MS });

test('a renewal counts from its start, whenever it was answered, less the margin', () => {
  assert.equal(validUntilMs(leaseRules, 1_000, 4_000, LEASE_MS), 1_000 + LEASE_MS - LEASE_MARGIN_MS);
});

test('a row counts as unchanged from its first sighting until anything in it changes', () => {
  const first = sighted(undefined, row(1), 100);
  const same = sighted(first, row(1), 900);
  assert.equal(same.sinceMs, 100);
  for (const changed of [row(2), row(1, 'y'), row(1, 'x', 'draining')]) {
    assert.equal(sighted(same, changed, 1_000).sinceMs, 1_000);
  }
});

test('a lease has expired when its row was unchanged for its whole duration, not a moment before', () => {
  const sighting = sighted(undefined, row(1), 100);
  assert.equal(ranOut(leaseRules, sighting, 100 + LEASE_MS - 1), false);
  assert.equal(ranOut(leaseRules, sighting, 100 + LEASE_MS), true);
});

test('a lease with a longer duration in its row expires later', () => {
  const sighting = sighted(undefined, { ...row(1), leaseMs: 2 * LEASE_MS }, 100);
  assert.equal(ranOut(leaseRules, sighting, 100 + 2 * LEASE_MS - 1), false);
  assert.equal(ranOut(leaseRules, sighting, 100 + 2 * LEASE_MS), true);
});

test('a member counts as unreachable when two thirds of its lease have passed without a renewal', () => {
  const sighting = sighted(undefined, row(1), 0);
  assert.equal(isSilent(sighting, (2 * LEASE_MS) / 3 - 1), false);
  assert.equal(isSilent(sighting, (2 * LEASE_MS) / 3), true);
});

test('a holder has stopped before a taker may act, with any delays and with clocks that differ by a tenth', () => {
  const delay = fc.integer({ min: 0, max: 20_000 });
  fc.assert(
    fc.property(delay, delay, delay, fc.double({ min: 0.95, max: 1.05, noNaN: true }), (start, write, look, rate) => {
      const writtenMs = start + write;
      const holderStopsMs = validUntilMs(leaseRules, start, writtenMs, LEASE_MS);
      const seenMs = writtenMs + look;
      const takerMayActMs = seenMs + leaseRules.watchMs / rate;
      assert.ok(ranOut(leaseRules, sighted(undefined, row(1), seenMs), seenMs + leaseRules.watchMs));
      assert.ok(holderStopsMs < takerMayActMs);
    }),
  );
});
