import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NODE_FLAGS } from '../cli/bundle.js';
import { freePort, tied } from '../cluster/local/process.js';
import { prefixed, program, withoutSettings } from '../test/kit/services/server-process.js';
import { createAccounts } from './accounts.js';
import { cpuSeconds, residentMib } from './process-figures.js';
import type { Row } from './row.js';

const START_MS_MAX = 500;
const IDLE_MIB_MAX = 120;
const IDLE_MS = 10_000;
const RUNS = 7;
const PATIENCE_MS = 20_000;
/**
 * Interval of attempts while nobody listens: an exact figure would cost a busy loop, this costs a few milliseconds of
 * one.
 */
const PROBE_MS = 3;

/** Measures the time from exec to the first 200 of /api/v1/instance, and the memory of the idle process. */
export async function benchStart(): Promise<Row[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'murmuration-start-'));
  try {
    const empty = await median(dataDir);
    await createAccounts({ dataDir }, 1_000);
    const full = await median(dataDir);
    const idle = await start(dataDir, IDLE_MS);
    return [
      startRow('start to the first answer, empty', empty),
      startRow('start to the first answer, 1,000 accounts', full),
      {
        name: 'resident after 10 s idle',
        figure: `${idle.mib.toFixed(0)} MiB`,
        target: `≤ ${IDLE_MIB_MAX} MiB`,
        reached: idle.mib <= IDLE_MIB_MAX,
      },
    ];
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

interface Start {
  readonly ms: number;
  /** CPU time until then: on a busy machine it tells more than the elapsed time. */
  readonly cpuMs: number;
  readonly mib: number;
}

function startRow(name: string, { ms, cpuMs }: Start): Row {
  const figure = `${ms.toFixed(0)} ms (CPU ${cpuMs.toFixed(0)} ms)`;
  return { name, figure, target: `≤ ${START_MS_MAX} ms`, reached: ms <= START_MS_MAX };
}

/** Returns the median of each figure on its own. */
async function median(dataDir: string): Promise<Start> {
  const runs: Start[] = [];
  for (let index = 0; index < RUNS; index++) runs.push(await start(dataDir, 0));
  const middle = (of: (run: Start) => number) => runs.map(of).sort((a, b) => a - b)[Math.floor(RUNS / 2)] ?? Number.NaN;
  return { ms: middle(({ ms }) => ms), cpuMs: middle(({ cpuMs }) => cpuMs), mib: middle(({ mib }) => mib) };
}

async function start(dataDir: string, idleMs: number): Promise<Start> {
  const port = await freePort('127.0.0.1');
  const env = { ...withoutSettings(), ...prefixed({ PORT: String(port), DATA_DIR: dataDir, LOG_LEVEL: 'warn' }) };
  const command = tied(process.execPath, [...NODE_FLAGS, program]);
  const startedMs = performance.now();
  const child = spawn(...command, { env, stdio: 'ignore' });
  const ended = once(child, 'exit');
  let [ms, cpuMs] = [Number.NaN, Number.NaN];
  try {
    for (;;) {
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/instance`).catch(() => undefined);
      if (answer?.status === 200) {
        ms = performance.now() - startedMs;
        cpuMs = cpuSeconds(child.pid ?? 0) * 1_000;
        assert.equal(((await answer.json()) as { uri: string }).uri, `localhost:${port}`);
        break;
      }
      if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
      if (performance.now() - startedMs > PATIENCE_MS) throw new Error('the server did not start');
      await new Promise((resolve) => setTimeout(resolve, PROBE_MS));
    }
    await new Promise((resolve) => setTimeout(resolve, idleMs));
    return { ms, cpuMs, mib: residentMib(child.pid ?? 0) };
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}
