import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DrainSignals, SAME_REQUEST_MS } from '../../cli/drain-signals.js';

test('signals within two seconds ask for one drain; a later one ends the process at once', () => {
  let nowMs = 5_000;
  const signals = new DrainSignals(() => nowMs);
  assert.equal(signals.received(), 'drain');
  assert.equal(signals.received(), 'ignore');
  nowMs += SAME_REQUEST_MS - 1;
  assert.equal(signals.received(), 'ignore');
  nowMs += 1;
  assert.equal(signals.received(), 'end');
});
