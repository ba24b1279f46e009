import { lookAfterwards } from './aftermath.js';
import { Client } from './client.js';
import { Crowd } from './crowd.js';
import { HomeWatch } from './home-watch.js';
import { judge, type Limits } from './limits.js';
import { Operations } from './operations.js';
import { type Bounds, closedLoop, openLoop, realTicker, type Send } from './pacing.js';
import { BadPlan, checked, type OperationName, operationNames, type Plan } from './plan.js';
import { prepare } from './prepare.js';
import { below, type Random, seeded } from './random.js';
import { Recorder } from './recorder.js';
import { distributionOf, figuresOf, type LoadResult, latencyOf, seriesOf } from './result.js';
import { Sightings } from './sightings.js';
import { Streaming } from './streaming.js';
import type { Target } from './target-guard.js';
import type { User } from './users.js';
import { Findings } from './verdicts.js';
import { Visible } from './visible.js';
import { Witness } from './witness.js';

/** In a closed loop a sender obeys Retry-After only so far, or the loop would stand still. */
const SHED_PAUSE_MS_MAX = 1_000;
/** Connections beside the run's own: homes watched, places read afterwards. */
const WATCHING_CONNECTIONS = 8;

/** How far a run is. */
export interface Progress {
  readonly phase: 'preparing' | 'running' | 'looking';
  readonly passedMs: number;
  readonly recorder: Recorder;
  readonly findings: Findings;
}

export interface Run {
  readonly target: Target;
  /** Where streams are; default the target. */
  readonly streamTarget?: Target;
  readonly users: readonly User[];
  readonly plan: Plan;
  readonly limits: Limits;
  /** Ends the run early; what was measured by then is judged. */
  readonly signal?: AbortSignal;
  /** Is handed a way to ask how far the run is. */
  readonly onStart?: (progress: () => Progress) => void;
}

/**
 * Loads a server as planned and judges what it did.
 * @throws BadPlan what cannot be done; NoAnswer when the server cannot be prepared
 */
export async function runLoad(run: Run): Promise<LoadResult> {
  const plan = checked(run.plan);
  const { target, users, streamTarget = target, signal = new AbortController().signal } = run;
  const crowd = new Crowd(users, plan.authors ?? users.length, plan.follows);
  if (users.length === 0) throw new BadPlan('there are no users');
  if ((plan.mix.follow ?? 0) > 0 && crowd.looseFollow(0) === undefined) {
    throw new BadPlan(`with ${users.length} users who follow ${plan.follows} there is nobody left to follow`);
  }
  const random = seeded(plan.seed);
  const findings = new Findings();
  const witness = new Witness();
  const sightings = new Sightings(witness, findings);
  const visible = new Visible(plan.lateMs, findings);
  const connections = plan.pace.kind === 'closed' ? plan.pace.inFlight : plan.pace.inFlightMax;
  const client = new Client(target, connections, plan.timeoutMs);
  const watchClient = new Client(target, WATCHING_CONNECTIONS, plan.timeoutMs);
  const watching = { crowd, witness, sightings, visible, findings };
  const streaming = new Streaming(streamTarget, plan.timeoutMs, watching);
  const homes = new HomeWatch(
    { client: watchClient, crowd, sightings, visible, random: seeded(plan.seed + 1) },
    plan.lateMs,
  );
  const operations = new Operations({
    client,
    crowd,
    witness,
    sightings,
    streaming,
    random,
    posted: (post) => homes.posted(post),
  });
  try {
    let phase: Progress['phase'] = 'preparing';
    let recorder = new Recorder(performance.now(), plan.durationMs, plan.warmUpMs);
    let startMs = performance.now();
    run.onStart?.(() => ({ phase, passedMs: performance.now() - startMs, recorder, findings }));
    for (const id of await prepare(watchClient, crowd)) operations.know(id);
    await streaming.hold(Math.min(plan.streams, users.length));
    phase = 'running';
    const cpuBefore = process.cpuUsage();
    const loopBefore = performance.eventLoopUtilization();
    const startedAtMs = Date.now();
    startMs = performance.now();
    recorder = new Recorder(startMs, plan.durationMs, plan.warmUpMs);
    await pace(
      plan,
      { startMs, endMs: startMs + plan.durationMs, requestsMax: plan.requestsMax, signal },
      {
        random,
        operations,
        recorder,
      },
    );
    const seconds = (performance.now() - startMs) / 1_000;
    const cpu = process.cpuUsage(cpuBefore);
    const busy = performance.eventLoopUtilization(loopBefore).utilization;
    phase = 'looking';
    await homes.settled();
    const untilMs = performance.now() + plan.settleMs;
    while (!streaming.complete && performance.now() < untilMs) await realTicker.until(performance.now() + 50);
    streaming.judge();
    const sample = sampled(users.length, plan.sample, plan.seed);
    const afterwards = { client: watchClient, crowd, witness, sightings, findings, startedAtMs, signal };
    const looked = await lookAfterwards({ ...afterwards, settleMs: plan.settleMs }, sample);
    const counted = Math.max(0.001, seconds - plan.warmUpMs / 1_000);
    const measured = [...recorder.totals].filter(([name]) => (plan.mix[name] ?? 0) > 0);
    const figures = {
      operations: Object.fromEntries(measured.map(([name, tally]) => [name, figuresOf(tally, counted)])),
      total: figuresOf(recorder.total(), counted),
      visibleMs: { home: latencyOf(visible.home), stream: latencyOf(visible.stream) },
      verdicts: { ...findings.counts },
    };
    const limits = judge(figures, run.limits);
    return {
      version: 1,
      target: target.origin,
      startedAt: new Date(startedAtMs).toISOString(),
      seconds,
      plan,
      users: users.length,
      ...figures,
      findings: findings.examples,
      looked: { ...looked, posts: witness.count, streams: streaming.held, streamsBroken: streaming.broken },
      series: seriesOf(recorder),
      distributions: {
        ...Object.fromEntries(measured.map(([name, { latency }]) => [name, distributionOf(latency)])),
        'visible in homes': distributionOf(visible.home),
        'visible by streams': distributionOf(visible.stream),
      },
      generator: { cpuSeconds: (cpu.user + cpu.system) / 1e6, busy },
      limits,
      passed: limits.every(({ kept }) => kept),
    };
  } finally {
    await Promise.all([client.close(), watchClient.close(), streaming.close()]);
  }
}

interface Paced {
  readonly random: Random;
  readonly operations: Operations;
  readonly recorder: Recorder;
}

async function pace({ mix, pace }: Plan, bounds: Bounds, { random, operations, recorder }: Paced): Promise<void> {
  const choose = chooser(mix, random);
  const send: Send = async (dueMs) => {
    const operation = choose();
    const { outcome, retryAfterMs } = await operations.run(operation);
    recorder.record(operation, outcome, dueMs, performance.now());
    return outcome.kind === 'shed' ? Math.min(SHED_PAUSE_MS_MAX, retryAfterMs) : 0;
  };
  if (pace.kind === 'closed') return closedLoop(pace, bounds, realTicker, send);
  const unsent = (dueMs: number) => recorder.record(choose(), { kind: 'unsent' }, dueMs, performance.now());
  return openLoop(pace, bounds, realTicker, random, send, unsent);
}

/** Operations by their weights. */
function chooser(mix: Plan['mix'], random: Random): () => OperationName {
  const total = operationNames.reduce((sum, name) => sum + (mix[name] ?? 0), 0);
  return () => {
    let left = random() * total;
    let last: OperationName = 'home';
    for (const name of operationNames) {
      const weight = mix[name] ?? 0;
      if (weight <= 0) continue;
      last = name;
      left -= weight;
      if (left < 0) break;
    }
    return last;
  };
}

/** Different users, chosen by the seed. */
function sampled(count: number, size: number, seed: number): number[] {
  const random = seeded(seed + 2);
  const numbers = Array.from({ length: count }, (_, index) => index);
  for (let index = 0; index < Math.min(size, count); index++) {
    const other = index + below(random, count - index);
    [numbers[index], numbers[other]] = [numbers[other] ?? 0, numbers[index] ?? 0];
  }
  return numbers.slice(0, size);
}
