import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newMetrics } from '../../actors/runtime/metrics.js';
import { LoadSamples } from '../../compose/operating/load-samples.js';
import { VirtualClock } from '../kit/time/virtual-clock.js';

test('a node remembers the load of its last ten minutes, one sample each five seconds', async () => {
  const clock = new VirtualClock();
  const metrics = newMetrics();
  const samples = new LoadSamples(clock, metrics);
  samples.start();
  assert.deepEqual(samples.all(), []);
  metrics.asks = 500;
  metrics.activations = 3;
  metrics.unsettled = 1;
  await clock.advance(5_000);
  assert.deepEqual(samples.all(), [{ commands: 100, activations: 3, unsettled: 1, lateMs: 0 }]);
  await clock.advance(5_000);
  assert.equal(samples.all()[1]?.commands, 0);
  metrics.asks += 1_000;
  await clock.advance(900_000);
  assert.equal(samples.all().length, 120);
  assert.ok(samples.all().every(({ commands }) => commands === 0));
  samples.close();
  metrics.asks += 1_000;
  await clock.advance(10_000);
  assert.equal(samples.all().at(-1)?.commands, 0);
});
