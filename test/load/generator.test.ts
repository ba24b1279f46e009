import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generatorLine, generatorWarning } from '../../load/generator.js';
import { type ObservedPost, Observer } from '../../load/judging/observer.js';
import { Recorder } from '../../load/judging/recorder.js';
import { figuresOf, type LoadResult } from '../../load/judging/result.js';
import { Findings } from '../../load/judging/verdicts.js';
import { Visible } from '../../load/judging/visible.js';

const delay = (p50: number) => ({ p50, p99: p50 * 3, max: p50 * 9 });

/** Returns a run whose answers took 10 ms. */
function ran(busy: number, loopMs: number, lateMs?: number): Pick<LoadResult, 'generator' | 'total'> {
  const recorder = new Recorder(0, 1_000, 0);
  recorder.record('home', { kind: 'good' }, 0, 10);
  const late = lateMs === undefined ? {} : { lateMs: delay(lateMs) };
  const generator = { cpuSeconds: 1, busy, loopDelayMs: delay(loopMs), ...late };
  return { generator, total: figuresOf(recorder.total(), 1) };
}

test('a generator with spare time does not warn; one without, or with delays like the server’s, does', () => {
  assert.equal(generatorWarning(ran(0.5, 1)), undefined);
  assert.equal(generatorWarning(ran(0.5, 1, 1)), undefined);
  assert.match(generatorWarning(ran(0.95, 1)) ?? '', /busy 95 %/);
  assert.match(generatorWarning(ran(0.5, 6)) ?? '', /own delay/);
  assert.match(generatorWarning(ran(0.5, 1, 6)) ?? '', /own delay/);
});

test('its own delays are one line, including late requests of an open loop', () => {
  const closed = generatorLine(ran(0.5, 1).generator);
  assert.equal(closed, 'the generator itself: busy 50 %, noticed answers late by p50 1 ms, p99 3 ms');
  assert.match(generatorLine(ran(0.5, 1, 2).generator), /; began requests late by p50 2 ms, p99 6 ms$/);
});

test('posts of the warm-up have no time until they are seen, and none of them is late', () => {
  const findings = new Findings();
  const visible = new Visible(1_000, findings);
  visible.fromMs = 5_000;
  const witness = new Observer();
  const [early, post] = [witness.begin(0, 4_999), witness.begin(0, 5_000)] as [ObservedPost, ObservedPost];
  visible.seen('home', 'a home', early, 9_000);
  visible.late('a stream', early, 'never came');
  assert.deepEqual([visible.home.count, findings.counts.late], [0, 0]);
  visible.seen('home', 'a home', post, 5_040);
  visible.late('a stream', post, 'never came');
  assert.deepEqual([visible.home.count, findings.counts.late], [1, 1]);
});
