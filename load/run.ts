import { setMaxListeners } from 'node:events';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from './clients/client.js';
import { PushReceivers } from './clients/push-receivers.js';
import { Streaming } from './clients/streaming.js';
import type { Target } from './clients/target-guard.js';
import { Crowd } from './crowd.js';
import { checkAtTheEnd, type Looked } from './judging/final-check.js';
import { Histogram } from './judging/histogram.js';
import { HomeWatch } from './judging/home-watch.js';
import { type ObservedPost, Observer } from './judging/observer.js';
import { Recorder } from './judging/recorder.js';
import { distributionOf, figuresOf, type LoadResult, latencyOf, seriesOf } from './judging/result.js';
import { SeenPosts } from './judging/seen-posts.js';
import { Findings } from './judging/verdicts.js';
import { Visible } from './judging/visible.js';
import { judge, type Limits } from './limits.js';
import { Operations } from './operations.js';
import { closedLoop, openLoop, RealTicker, type Send } from './pacing.js';
import { RemotePeers } from './peers/remote-peers.js';
import { BadPlan, checked, type OperationName, operationNames, type Plan } from './plan.js';
import { prepare } from './prepare.js';
import { below, type Random, seeded } from './random.js';
import type { User } from './users.js';

/** Maximum Retry-After that a sender of a closed loop obeys: longer pauses would stop the loop. */
const SHED_PAUSE_MS_MAX = 1_000;
/** Connections besides the run's own: watched homes, places read afterwards. */
const WATCHING_CONNECTIONS = 8;
/** Interval of checks if all streams, pushes and deliveries are complete. */
const SETTLED_EACH_MS = 50;
/**
 * Maximum number of listeners of the signal: slightly more than the requests that wait at a time before and after the
 * run.
 */
const WAITING_MAX = 64;
/** Sampling interval of the generator's event loop: timers are no finer than milliseconds. */
const LOOP_LOOK_MS = 5;

/** The progress of a run. */
export interface Progress {
  readonly phase: 'preparing' | 'running' | 'looking';
  readonly passedMs: number;
  readonly recorder: Recorder;
  readonly findings: Findings;
}

export interface Run {
  /** One server, or several nodes of one, which are used in turn. */
  readonly targets: readonly Target[];
  /** Servers of the streams; default: the targets. */
  readonly streamTargets?: readonly Target[];
  readonly users: readonly User[];
  readonly plan: Plan;
  readonly limits: Limits;
  /** Ends the run early; the results so far are judged. */
  readonly signal?: AbortSignal;
  /** Receives a function that returns the progress. */
  readonly onStart?: (progress: () => Progress) => void;
}

/**
 * Loads a server as planned and judges the results.
 * @throws BadPlan an impossible plan; NoAnswer when the server cannot be prepared
 */
export async function runLoad(run: Run): Promise<LoadResult> {
  const running = new Running({ ...run, plan: checked(run.plan) });
  try {
    run.onStart?.(() => running.progress);
    await running.prepare();
    const driven = await running.drive();
    return running.result(driven, await running.look());
  } finally {
    await running.close();
  }
}

interface Driven {
  readonly seconds: number;
  readonly generator: LoadResult['generator'];
}

class Running {
  readonly #run: Run;
  readonly #signal: AbortSignal;
  readonly #crowd: Crowd;
  readonly #random: Random;
  readonly #findings = new Findings();
  readonly #witness = new Observer();
  readonly #sightings = new SeenPosts(this.#witness, this.#findings);
  readonly #visible: Visible;
  readonly #client: Client;
  readonly #watchClient: Client;
  readonly #streaming: Streaming;
  readonly #homes: HomeWatch;
  readonly #pushes: PushReceivers;
  readonly #peers: RemotePeers;
  readonly #operations: Operations;
  #recorder: Recorder;
  /** Delays with which the generator itself started requests of an open loop. */
  readonly #ownDelay = new Histogram();
  readonly #ticker = new RealTicker();
  #phase: Progress['phase'] = 'preparing';
  #startMs = performance.now();
  #startedAtMs = Date.now();
  /** In the server's time, which may differ. */
  #serverStartedAtMs = Number.NaN;

  constructor(run: Run) {
    const { plan, targets } = run;
    this.#run = run;
    this.#signal = run.signal ?? new AbortController().signal;
    setMaxListeners(WAITING_MAX, this.#signal);
    this.#crowd = crowdOf(plan, run.users);
    this.#random = seeded(plan.seed);
    this.#recorder = new Recorder(this.#startMs, plan.durationMs, plan.warmUpMs);
    this.#visible = new Visible(plan.lateMs, this.#findings);
    const connections = plan.pace.kind === 'closed' ? plan.pace.inFlight : plan.pace.inFlightMax;
    this.#client = new Client(targets, connections, plan.timeoutMs);
    this.#watchClient = new Client(targets, WATCHING_CONNECTIONS, plan.timeoutMs);
    const shared = {
      crowd: this.#crowd,
      witness: this.#witness,
      sightings: this.#sightings,
      visible: this.#visible,
      findings: this.#findings,
    };
    this.#streaming = new Streaming(run.streamTargets ?? targets, plan.timeoutMs, plan.cutMs, shared);
    const watching = { ...shared, client: this.#watchClient, random: seeded(plan.seed + 1), signal: this.#signal };
    this.#homes = new HomeWatch(watching, plan.lateMs);
    this.#pushes = new PushReceivers(this.#watchClient, shared);
    const posted = (post: ObservedPost) => this.#homes.posted(post);
    this.#peers = new RemotePeers(this.#client, this.#watchClient, { ...shared, posted });
    this.#operations = new Operations({
      ...{ ...shared, posted, client: this.#client, random: this.#random },
      ...{ streaming: this.#streaming, peers: this.#peers },
    });
  }

  get progress(): Progress {
    const passedMs = performance.now() - this.#startMs;
    return { phase: this.#phase, passedMs, recorder: this.#recorder, findings: this.#findings };
  }

  async prepare(): Promise<void> {
    const first = await prepare(this.#watchClient, this.#crowd, this.#signal);
    for (const { id } of first) this.#operations.know(id);
    this.#serverStartedAtMs = Math.min(...first.map(({ createdAtMs }) => createdAtMs));
    const { plan, users } = this.#run;
    await this.#pushes.subscribe(Math.min(plan.pushes, users.length), this.#signal);
    await this.#peers.introduce(plan.peers, this.#signal);
    await this.#streaming.hold(Math.min(plan.streams, users.length), this.#signal);
  }

  async drive(): Promise<Driven> {
    const { plan } = this.#run;
    this.#phase = 'running';
    const cpuBefore = process.cpuUsage();
    const loopBefore = performance.eventLoopUtilization();
    const loopDelay = monitorEventLoopDelay({ resolution: LOOP_LOOK_MS });
    loopDelay.enable();
    this.#startedAtMs = Date.now();
    this.#startMs = performance.now();
    this.#recorder = new Recorder(this.#startMs, plan.durationMs, plan.warmUpMs);
    this.#visible.fromMs = plan.warmUpMs > 0 ? this.#startMs + plan.warmUpMs : this.#visible.fromMs;
    await this.#pace();
    const seconds = (performance.now() - this.#startMs) / 1_000;
    const cpu = process.cpuUsage(cpuBefore);
    const { utilization } = performance.eventLoopUtilization(loopBefore);
    const busy = Math.max(0, utilization - this.#ticker.idleMs / 1_000 / seconds);
    loopDelay.disable();
    const delayMs = (nanoseconds: number) => Math.max(0, Number((nanoseconds / 1e6 - LOOP_LOOK_MS).toPrecision(3)));
    const { count, p50, p99, max } = latencyOf(this.#ownDelay);
    return {
      seconds,
      generator: {
        cpuSeconds: (cpu.user + cpu.system) / 1e6,
        busy,
        loopDelayMs: {
          p50: delayMs(loopDelay.percentile(50)),
          p99: delayMs(loopDelay.percentile(99)),
          max: delayMs(loopDelay.max),
        },
        ...(count > 0 ? { lateMs: { p50, p99, max } } : {}),
      },
    };
  }

  async look(): Promise<Looked> {
    const { plan, users } = this.#run;
    this.#phase = 'looking';
    this.#streaming.endCuts();
    // After an interrupted run the posts are still waited for; a signal during that wait ends it.
    const interrupted = this.#signal.aborted;
    await this.#homes.settled();
    const untilMs = performance.now() + plan.settleMs;
    const isComplete = () => this.#streaming.complete && this.#pushes.complete && this.#peers.complete;
    while (!isComplete() && performance.now() < untilMs && this.#signal.aborted === interrupted) {
      await sleep(SETTLED_EACH_MS);
    }
    this.#streaming.judge();
    this.#pushes.judge();
    this.#peers.judge();
    for (const [label, count] of this.#streaming.errors) {
      const outcome = { kind: 'error', label } as const;
      for (let recorded = 0; recorded < count; recorded++) {
        this.#recorder.record('stream', outcome, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
      }
    }
    return checkAtTheEnd(
      {
        client: this.#watchClient,
        crowd: this.#crowd,
        witness: this.#witness,
        sightings: this.#sightings,
        findings: this.#findings,
        startedAtMs: this.#serverStartedAtMs,
        settleMs: plan.settleMs,
        interrupted,
        signal: this.#signal,
      },
      sampled(users.length, plan.sample, plan.seed),
    );
  }

  result({ seconds, generator }: Driven, looked: Looked): LoadResult {
    const { plan, targets, users } = this.#run;
    const counted = Math.max(0.001, seconds - plan.warmUpMs / 1_000);
    const measured = [...this.#recorder.totals].filter(([name, { sent }]) => (plan.mix[name] ?? 0) > 0 || sent > 0);
    const figures = {
      operations: Object.fromEntries(measured.map(([name, tally]) => [name, figuresOf(tally, counted)])),
      total: figuresOf(this.#recorder.total(), counted),
      visibleMs: {
        home: latencyOf(this.#visible.home),
        stream: latencyOf(this.#visible.stream),
        push: latencyOf(this.#visible.push),
        peer: latencyOf(this.#visible.peer),
      },
      verdicts: { ...this.#findings.counts },
      looked: {
        ...looked,
        posts: this.#witness.acknowledged,
        streams: this.#streaming.held,
        streamsBroken: this.#streaming.broken,
        pushes: this.#pushes.count,
        peers: this.#peers.count,
        streamsResumed: this.#streaming.resumed,
      },
    };
    const limits = judge(figures, this.#run.limits);
    return {
      version: 1,
      targets: targets.map(({ origin }) => origin),
      startedAt: new Date(this.#startedAtMs).toISOString(),
      seconds,
      interrupted: this.#signal.aborted,
      plan,
      users: users.length,
      ...figures,
      findings: this.#findings.examples,
      series: seriesOf(this.#recorder),
      distributions: {
        ...Object.fromEntries(measured.map(([name, { latency }]) => [name, distributionOf(latency)])),
        'visible in homes': distributionOf(this.#visible.home),
        'visible by streams': distributionOf(this.#visible.stream),
        'visible by pushes': distributionOf(this.#visible.push),
        'visible at peers': distributionOf(this.#visible.peer),
      },
      generator,
      limits,
      passed: limits.every(({ kept }) => kept),
    };
  }

  async close(): Promise<void> {
    await Promise.all([this.#client.close(), this.#pushes.close(), this.#peers.close(), this.#streaming.close()]);
    await this.#watchClient.close();
  }

  #pace(): Promise<void> {
    const { mix, pace, durationMs, requestsMax } = this.#run.plan;
    const bounds = { startMs: this.#startMs, endMs: this.#startMs + durationMs, requestsMax, signal: this.#signal };
    const [random, recorder] = [this.#random, this.#recorder];
    const choose = chooser(mix, random);
    const send: Send = async (dueMs) => {
      const operation = choose();
      const { outcome, retryAfterMs } = await this.#operations.run(operation);
      recorder.record(operation, outcome, dueMs, performance.now());
      return outcome.kind === 'shed' ? Math.min(SHED_PAUSE_MS_MAX, retryAfterMs) : 0;
    };
    if (pace.kind === 'closed') return closedLoop(pace, bounds, this.#ticker, send);
    const unsent = (dueMs: number) => recorder.record(choose(), { kind: 'unsent' }, dueMs, performance.now());
    const begun = (ownDelayMs: number) => this.#ownDelay.record(ownDelayMs);
    return openLoop(pace, bounds, this.#ticker, random, send, unsent, begun);
  }
}

/** Builds the crowd of a plan. @throws BadPlan when there are too few users for the mix */
function crowdOf({ mix, authors, follows }: Plan, users: readonly User[]): Crowd {
  if (users.length === 0) throw new BadPlan('there are no users');
  const following = (mix.follow ?? 0) > 0;
  // Each user must have somebody left whom it does not follow yet.
  const atMost = following ? Math.max(0, users.length - 2) : users.length;
  const crowd = new Crowd(users, authors ?? users.length, Math.min(follows, atMost));
  if (following && crowd.looseFollow(0) === undefined) {
    throw new BadPlan('follows need more users; or leave follow out of the mix');
  }
  return crowd;
}

/** Returns a function that chooses operations by their weights. */
function chooser(mix: Plan['mix'], random: Random): () => OperationName {
  const weighted = operationNames.filter((name) => (mix[name] ?? 0) > 0);
  const total = weighted.reduce((sum, name) => sum + (mix[name] ?? 0), 0);
  const last = weighted.at(-1) as OperationName;
  return () => {
    let left = random() * total;
    return (
      weighted.find((name) => {
        left -= mix[name] ?? 0;
        return left < 0;
      }) ?? last
    );
  };
}

/** Returns distinct random users, determined by the seed. */
function sampled(count: number, size: number, seed: number): number[] {
  const random = seeded(seed + 2);
  const numbers = Array.from({ length: count }, (_, index) => index);
  for (let index = 0; index < Math.min(size, count); index++) {
    const other = index + below(random, count - index);
    [numbers[index], numbers[other]] = [numbers[other] ?? 0, numbers[index] ?? 0];
  }
  return numbers.slice(0, size);
}
