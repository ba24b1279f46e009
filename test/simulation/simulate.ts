// Searches many seeds, in one process per core: `npm run simulate -- --seeds 1000 --from 1 --profile late`.
import { type ChildProcess, fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { plantedFaults } from './faults/planted.js';
import type { Violation } from './invariants/violations.js';
import { type Profile, profileNames } from './profiles.js';
import { simulate } from './run.js';

interface Task {
  readonly seed: number;
  readonly profile: Profile;
  /** Name of a planted fault. */
  readonly planted?: string;
}

interface Outcome {
  readonly task: Task;
  readonly violations: readonly Violation[];
}

const HELP = `npm run simulate -- [options]
  --seeds N      how many seeds, 1,000 unless told
  --from S       the first seed, 1 unless told
  --profile P    ${profileNames.join(', ')}; all of them unless told
  --planted      looks for the first seed that finds each planted fault instead
  --workers W    processes, one for each core unless told
  --log          prints what the nodes log; for one seed`;
const PROGRESS_MS = 10_000;

const run = ({ seed, profile, planted }: Task, log?: (line: string) => void) =>
  simulate({
    seed,
    profile,
    ...(planted === undefined ? {} : { planted: plantedFaults[planted] ?? {} }),
    ...(log && { log }),
  });

/** Runs the tasks in parallel; `done` returns true while further tasks are wanted. */
async function runAll(tasks: Iterator<Task>, workers: number, done: (outcome: Outcome) => void): Promise<void> {
  const work = (child: ChildProcess) =>
    new Promise<void>((resolve, reject) => {
      const next = () => {
        const task = tasks.next();
        if (task.done) child.disconnect();
        else child.send(task.value);
      };
      child.on('message', (outcome: Outcome) => {
        done(outcome);
        next();
      });
      child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`a worker ended with ${code}`))));
      next();
    });
  const file = fileURLToPath(import.meta.url);
  await Promise.all(Array.from({ length: workers }, () => work(fork(file, ['--worker']))));
}

function serve(): void {
  process.on('message', (task: Task) => {
    void run(task).then(({ violations }) => process.send?.({ task, violations } satisfies Outcome));
  });
}

const rerun = ({ seed, profile }: Task) => `npm run simulate -- --seeds 1 --from ${seed} --profile ${profile} --log`;

async function hunt(seeds: number, from: number, chosen: readonly Profile[], workers: number): Promise<boolean> {
  let finished = 0;
  let failed = 0;
  const startedMs = performance.now();
  const rate = () => `${finished} seeds, ${((finished / (performance.now() - startedMs)) * 1_000).toFixed(1)} a second`;
  const progress = setInterval(() => console.log(rate()), PROGRESS_MS);
  function* tasks(): Generator<Task> {
    for (let seed = from; seed < from + seeds; seed++) for (const profile of chosen) yield { seed, profile };
  }
  await runAll(tasks(), workers, ({ task, violations }) => {
    finished += 1;
    if (violations.length === 0) return;
    failed += 1;
    console.log(`seed ${task.seed}, profile ${task.profile}; again: ${rerun(task)}`);
    for (const { invariant, what } of violations) console.log(`  ${invariant}: ${what}`);
  });
  clearInterval(progress);
  console.log(`${rate()}, ${failed} failed`);
  return failed === 0;
}

/** Finds the first seed that detects each planted fault by its own invariant. */
async function huntPlanted(seeds: number, from: number, workers: number): Promise<boolean> {
  const found = new Map<string, Outcome>();
  function* tasks(): Generator<Task> {
    for (const [planted, { profile }] of Object.entries(plantedFaults))
      for (let seed = from; seed < from + seeds && !found.has(planted); seed++) yield { seed, profile, planted };
  }
  await runAll(tasks(), workers, (outcome) => {
    const { planted = '', seed } = outcome.task;
    const { invariant } = plantedFaults[planted] ?? {};
    if (!outcome.violations.some((one) => one.invariant === invariant)) return;
    const before = found.get(planted);
    if (before === undefined || before.task.seed > seed) found.set(planted, outcome);
  });
  for (const [planted, { profile, invariant }] of Object.entries(plantedFaults)) {
    const seed = found.get(planted)?.task.seed;
    console.log(`${seed === undefined ? 'not found' : `seed ${seed}`} (${profile}, ${invariant}): ${planted}`);
  }
  return found.size === Object.keys(plantedFaults).length;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seeds: { type: 'string', default: '1000' },
      from: { type: 'string', default: '1' },
      profile: { type: 'string' },
      workers: { type: 'string', default: String(availableParallelism()) },
      planted: { type: 'boolean', default: false },
      log: { type: 'boolean', default: false },
      worker: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.worker) return serve();
  const [seeds, from, workers] = [values.seeds, values.from, values.workers].map(Number) as [number, number, number];
  const { profile } = values;
  const isKnown = profile === undefined || profileNames.some((name) => name === profile);
  if (values.help || !isKnown || ![seeds, from, workers].every((one) => Number.isSafeInteger(one) && one > 0)) {
    console.log(HELP);
    process.exitCode = values.help ? 0 : 1;
    return;
  }
  const chosen = profile === undefined ? profileNames : [profile as Profile];
  if (values.log && seeds === 1 && chosen.length === 1) {
    const { violations } = await run({ seed: from, profile: chosen[0] as Profile }, (line) => console.log(line));
    console.log(violations);
    process.exitCode = violations.length === 0 ? 0 : 1;
    return;
  }
  const isFine = values.planted ? await huntPlanted(seeds, from, workers) : await hunt(seeds, from, chosen, workers);
  process.exitCode = isFine ? 0 : 1;
}

await main();
