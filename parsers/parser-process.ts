import { setPriority } from 'node:os';
import { JOBS, type Jobs } from './jobs.js';

/** A request to this process; one at a time. */
export interface Asked<J extends keyof Jobs = keyof Jobs> {
  readonly job: J;
  readonly input: Jobs[J]['in'];
}

/** Messages of this process: the start of a request, then its answer. `failed`: a bug, with its stack. */
export type Told = 'begun' | { readonly out: unknown } | { readonly failed: string };

/** Niceness: requests of users take precedence over uploads when CPU time is short. */
const NICENESS = 5;

/** The program of a parser process (ADR 23): handles its parent's requests, and ends with it. */
function main(): void {
  const tell = (message: Told) => void process.send?.(message);
  process.on('disconnect', () => process.exit());
  // A terminal and systemd signal all processes of a service; the parent finishes its work first and ends this one.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  try {
    setPriority(NICENESS);
  } catch {
    // Some sandboxes forbid it; everything else works.
  }
  process.on('message', (message) => {
    const { job, input } = message as Asked;
    tell('begun');
    const work = JOBS[job] as (given: unknown) => Promise<unknown>;
    work(input).then(
      (out) => tell({ out }),
      (error: unknown) => tell({ failed: error instanceof Error ? String(error.stack) : String(error) }),
    );
  });
}

main();
