import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Histogram } from '../../load/judging/histogram.js';
import { Recorder, Tally } from '../../load/judging/recorder.js';
import { figuresOf, latencyOf } from '../../load/judging/result.js';
import { defaultLimits, judge, type Limits, limitsOf, quantity } from '../../load/limits.js';
import { BadPlan, checked, defaultPlan, mixOf, type Plan, REQUESTS_MAX, SECONDS_MAX } from '../../load/plan.js';

const none = latencyOf(new Histogram());

/** Returns ten good home pages of 10 ms, and posts of which one in ten failed. */
function found(over: { readonly lost?: number; readonly late?: number; readonly unread?: readonly string[] } = {}) {
  const [home, post] = [new Tally(), new Tally()];
  for (let count = 0; count < 10; count++) {
    home.count({ kind: 'good' }, 10);
    post.count(count === 0 ? { kind: 'error', label: '500' } : { kind: 'good' }, 50);
  }
  const all = new Tally();
  all.add(home);
  all.add(post);
  const visible = new Histogram();
  visible.record(70);
  return {
    operations: { home: figuresOf(home, 1), post: figuresOf(post, 1) },
    total: figuresOf(all, 1),
    visibleMs: { home: latencyOf(visible), stream: none, push: none, peer: none },
    verdicts: { lost: over.lost ?? 0, repeated: 0, outOfOrder: 0, late: over.late ?? 0 },
    looked: {
      posts: 9,
      authors: 1,
      homes: 1,
      streams: 0,
      streamsBroken: 0,
      streamsResumed: 0,
      pushes: 0,
      peers: 0,
      unread: over.unread ?? [],
    },
  };
}

const kept = (limits: Partial<Limits>, over?: Parameters<typeof found>[0]) =>
  judge(found(over), { ...defaultLimits, errors: [], ...limits }).every((one) => one.kept);

test('limits of latency, errors and rate hold for all operations or for the one that is named', () => {
  assert.ok(kept({ p99: limitsOf('60ms', 'duration') }));
  assert.ok(!kept({ p99: limitsOf('40ms', 'duration') }));
  assert.ok(kept({ p99: limitsOf('home=40ms,post=60ms', 'duration') }));
  assert.ok(!kept({ p99: limitsOf('home=5ms', 'duration') }));
  assert.ok(kept({ errors: limitsOf('5%', 'share') }));
  assert.ok(!kept({ errors: limitsOf('4.9%', 'share') }));
  assert.ok(!kept({ errors: limitsOf('5%,post=9%', 'share') }));
  assert.ok(kept({ rate: limitsOf('19/s', 'rate') }));
  assert.ok(!kept({ rate: limitsOf('post=10', 'rate') }));
});

test('an unmeasured operation meets no limit', () => {
  assert.ok(!kept({ p99: limitsOf('favourite=1s', 'duration') }));
  // In the mix, but never chosen.
  const unsent = { ...found(), operations: { favourite: figuresOf(new Tally(), 1) } };
  for (const limits of [
    { errors: limitsOf('favourite=1%', 'share') },
    { errors: [], shed: limitsOf('favourite=1%', 'share') },
    { errors: [], p999: limitsOf('favourite=1s', 'duration') },
  ]) {
    const broken = judge(unsent, { ...defaultLimits, ...limits }).filter((one) => !one.kept);
    assert.deepEqual(
      broken.map(({ found }) => found),
      ['not measured'],
    );
  }
  const nothing = { ...found(), operations: {}, total: figuresOf(new Tally(), 1) };
  assert.ok(!judge(nothing, { ...defaultLimits, errors: [] }).every((one) => one.kept));
  const unseen = { ...found(), visibleMs: { home: none, stream: none, push: none, peer: none } };
  assert.ok(!judge(unseen, { ...defaultLimits, errors: [], visibleP99: 1_000 }).every((one) => one.kept));
});

test('lost posts fail unless allowed, and unreadable places fail', () => {
  assert.ok(kept({}));
  assert.ok(!kept({}, { lost: 1 }));
  assert.ok(kept({ verdicts: { ...defaultLimits.verdicts, lost: 1 } }, { lost: 1 }));
  assert.ok(!kept({}, { unread: ['a home: 503'] }));
  assert.ok(kept({}, { late: 5 }));
  assert.ok(!kept({ verdicts: { ...defaultLimits.verdicts, late: 4 } }, { late: 5 }));
  assert.ok(kept({ visibleP99: 80 }) && !kept({ visibleP99: 60 }));
});

test('quantities have units; nonsense is refused', () => {
  assert.equal(quantity('40ms', 'duration'), 40);
  assert.equal(quantity('1.5s', 'duration'), 1_500);
  assert.equal(quantity('2m', 'duration'), 120_000);
  assert.equal(quantity('0.1%', 'share'), 0.001);
  assert.equal(quantity('0.5', 'share'), 0.5);
  assert.equal(quantity('200/s', 'rate'), 200);
  for (const text of ['', 'ms', '-1ms', '10 parsecs', '1e3ms', '0x10', '5%']) {
    assert.throws(() => quantity(text, 'duration'), BadPlan, text);
  }
  assert.throws(() => limitsOf('posts=40ms', 'duration'), BadPlan);
  assert.throws(() => limitsOf('post=', 'duration'), BadPlan);
});

test('a mix is the name of a scenario, or weights', () => {
  assert.deepEqual(mixOf('post:10, home:90'), { post: 10, home: 90 });
  assert.deepEqual(mixOf('home'), { home: 1 });
  assert.ok((mixOf('mixed').home ?? 0) > (mixOf('mixed').post ?? 0));
  for (const text of ['', 'post:', 'post:-1', 'poke:1', 'post:1;home:1']) assert.throws(() => mixOf(text), BadPlan);
});

test('a plan is bounded in time, in number and in everything else', () => {
  assert.equal(checked(defaultPlan), defaultPlan);
  const beyond: Partial<Plan>[] = [
    { durationMs: SECONDS_MAX * 1_000 + 1 },
    { durationMs: 0 },
    { requestsMax: REQUESTS_MAX + 1 },
    { requestsMax: Number.NaN },
    { warmUpMs: 31_000 },
    { timeoutMs: 10_000_000 },
    { streams: 100_000 },
    { sample: 100_000 },
    { mix: {} },
    { mix: { home: 0 } },
    { pace: { kind: 'closed', inFlight: 0, rampMs: 0 } },
    { pace: { kind: 'closed', inFlight: 1_000_000, rampMs: 0 } },
    { pace: { kind: 'open', perSecond: 1e9, rampMs: 0, arrivals: 'even', inFlightMax: 10 } },
    { pace: { kind: 'open', perSecond: 10, rampMs: 60_000, arrivals: 'even', inFlightMax: 10 } },
  ];
  for (const over of beyond) assert.throws(() => checked({ ...defaultPlan, ...over }), BadPlan, JSON.stringify(over));
});

test('quantiles are within 1.6 % of the exact ones, whatever the values', () => {
  const histogram = new Histogram();
  const values = Array.from({ length: 20_000 }, (_, index) => 0.01 * 1.0007 ** index);
  for (const value of values) histogram.record(value);
  for (const share of [0.01, 0.5, 0.9, 0.99, 0.999]) {
    const exact = values[Math.ceil(share * values.length) - 1] ?? 0;
    assert.ok(Math.abs(histogram.quantileMs(share) / exact - 1) < 0.05 / Math.max(1, exact) + 0.016);
  }
  assert.equal(histogram.quantileMs(1), histogram.maxMs);
  assert.equal(new Histogram().quantileMs(0.5), 0);
});

test('two histograms together count as one, and the largest is exact', () => {
  const [one, other, both] = [new Histogram(), new Histogram(), new Histogram()];
  for (const ms of [1, 2, 3]) one.record(ms);
  for (const ms of [1_000, 5_000_000]) other.record(ms);
  both.add(one);
  both.add(other);
  assert.equal(both.count, 5);
  assert.equal(both.maxMs, 5_000_000);
  assert.ok(Math.abs(both.quantileMs(0.2) - 1) < 0.016);
  assert.deepEqual(
    [...both.steps()].map(({ count }) => count),
    [1, 1, 1, 1, 1],
  );
});

test('the warm-up is in the curves but in no total, and requests that end after the run are in its last interval', () => {
  const recorder = new Recorder(1_000, 10_000, 2_000);
  recorder.record('home', { kind: 'good' }, 1_500, 1_600);
  recorder.record('home', { kind: 'good' }, 3_000, 3_010);
  recorder.record('home', { kind: 'good' }, 10_999, 15_000);
  assert.equal(recorder.total().good, 2);
  assert.equal(recorder.intervals.length, 10_000 / recorder.intervalMs);
  const counted = recorder.intervals.map((tallies) => tallies.get('home')?.good ?? 0);
  assert.deepEqual([counted[2], counted.at(-1)], [1, 1]);
  assert.equal(
    counted.reduce((sum, good) => sum + good, 0),
    3,
  );
});

test('latency excludes refusals and immediate errors, and includes timeouts', () => {
  const tally = new Tally();
  tally.count({ kind: 'good' }, 10);
  tally.count({ kind: 'shed' }, 1);
  tally.count({ kind: 'error', label: '500' }, 1);
  tally.count({ kind: 'error', label: 'timeout' }, 5_000);
  tally.count({ kind: 'unsent' }, 700);
  const { sent, good, shed, errors, unsent, latencyMs } = figuresOf(tally, 2);
  assert.deepEqual([sent, good, shed, errors, unsent], [4, 1, 1, 2, 1]);
  assert.deepEqual([latencyMs.count, latencyMs.max], [3, 5_000]);
});
