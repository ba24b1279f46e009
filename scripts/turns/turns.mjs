// Runs the processes of a plan, as many at a time as fit the machine, and prints their results.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { tied } from '../../dist/cluster/local/process.js';
import { nextOf } from '../test-plan.mjs';
import { awaitedSeconds, CpuTimes, machineSeconds } from './cpu-times.mjs';

/** Timeout of a process, also on a slow machine: the slowest starts a whole cluster and breaks it six times. */
const RUN_MS_MAX = 45 * 60_000;
/** Priority of the background: a tenth of the time beside a process that computes, all of it beside waiting ones. */
const BACKGROUND_NICE = 10;
/** Pause after which a group's priority is set again: the kernel accepts ten such changes a second. */
const AGAIN_MS = 200;
/** Number of slowest processes that are listed with their durations. */
const SLOWEST = 20;
const FILE_ENDED = /^[✔✖] (dist\/test\/\S+) \(([\d.]+)ms\)$/gm;
/** The line by which the test runner reports an uncaught error: see scripts/test-runner.mjs. */
const UNCAUGHT = /^ℹ Error: .*(?:uncaughtException|unhandledRejection) event.*$/gm;
const ENTRY = fileURLToPath(new URL('../test-files.mjs', import.meta.url));

/** @param plan processes with `files`, `seconds` and `cores`, in the order in which they should start */
export class Turns {
  #waiting;
  #running = new Set();
  #done = [];
  #stopping = false;
  /**
   * Seconds and CPU seconds of the files that have ended; the CPU time of a process is divided as its duration is. A file
   * of the background waits for the others, so that its seconds are at most those that it computed.
   */
  measured = {};

  #cpu = new CpuTimes();
  #machine = machineSeconds();
  #startedMs = performance.now();

  /** @param services pids of what all tests share */
  constructor(plan, env, services = []) {
    this.#waiting = [...plan];
    this.env = env;
    this.services = services;
    for (const pid of services) this.#cpu.add(pid);
  }

  /** Runs all processes and prints each one's output when it ends; resolves with true if all passed. */
  run() {
    return new Promise((resolve) => {
      const next = () => {
        for (;;) {
          const one = this.#stopping ? undefined : nextOf(this.#waiting, [...this.#running]);
          if (one === undefined) break;
          this.#waiting.splice(this.#waiting.indexOf(one), 1);
          this.#start(one, next);
        }
        if (this.#running.size === 0) resolve(this.#report());
      };
      next();
    });
  }

  /** Starts no more processes, and ends the running ones with everything that they have started. */
  stop() {
    this.#stopping = true;
    for (const { child } of this.#running) endGroup(child);
  }

  #start(planned, next) {
    const program = [process.execPath, '--test-reporter=spec', ENTRY, ...planned.files];
    const isBackground = planned.background === true;
    const [first, ...others] = isBackground ? ['nice', '-n', String(BACKGROUND_NICE), ...program] : program;
    const [command, args] = tied(first, others);
    const child = spawn(command, args, { env: this.env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    if (isBackground) yieldGroup(child.pid);
    this.#cpu.add(child.pid);
    const one = { ...planned, child, startedMs: performance.now() };
    const written = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => written.push(bytes));
    this.#running.add(one);
    const timer = setTimeout(() => endGroup(child, 'SIGKILL'), RUN_MS_MAX);
    let used = 0;
    child.on('exit', () => {
      const awaited = awaitedSeconds() - this.#counted;
      this.#counted += awaited;
      // Both miss something: killed processes, and those that live less than a second.
      used = Math.max(awaited, this.#cpu.secondsOf(child.pid));
    });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      this.#running.delete(one);
      const seconds = (performance.now() - one.startedMs) / 1_000;
      const { text, counts, failures } = read(Buffer.concat(written).toString(), one.files, code ?? signal);
      this.#done.push({ files: one.files, seconds, used, counts, failures });
      const ended = [...text.matchAll(FILE_ENDED)].map(([, file, ms]) => [file, Number(ms) / 1_000]);
      const all = ended.reduce((sum, [, one]) => sum + one, 0);
      for (const [file, one] of ended) {
        const computed = (used * one) / all;
        this.measured[file] = [isBackground ? Math.min(one, computed) : one, computed];
      }
      process.stdout.write(text);
      next();
    });
  }
  /** This process may have had children before: the shell that became it. */
  #counted = awaitedSeconds();

  #report() {
    const sum = (name) => this.#done.reduce((total, { counts }) => total + (counts[name] ?? 0), 0);
    const failures = this.#done.flatMap((one) => one.failures);
    const lines = [...this.#done]
      .sort((a, b) => b.seconds - a.seconds)
      .slice(0, SLOWEST)
      .map(({ files, seconds, used }) => `  ${seconds.toFixed(0)} s, CPU ${used.toFixed(0)} s: ${nameOf(files)}`);
    const used = this.#done.reduce((total, one) => total + one.used, 0);
    for (const name of ['tests', 'pass', 'fail', 'cancelled', 'skipped', 'todo']) lines.push(`ℹ ${name} ${sum(name)}`);
    if (failures.length > 0) lines.push('', '✖ failing tests:', '', ...failures);
    const { busy, cores } = machineSeconds();
    const elapsed = (performance.now() - this.#startedMs) / 1_000;
    const services = this.services.reduce((total, pid) => total + this.#cpu.secondsOf(pid), 0);
    this.#cpu.stop();
    process.stdout.write(
      `${elapsed.toFixed(0)} s; CPU ${used.toFixed(0)} s of tests and ${services.toFixed(0)} s of shared services; ` +
        `${cores} cores computed for ${(busy - this.#machine.busy).toFixed(0)} s, also for other programs\n` +
        `the slowest of ${this.#done.length} processes:\n${lines.join('\n')}\n`,
    );
    return failures.length === 0 && !this.#stopping && sum('pass') > 0;
  }
}

const nameOf = ([first, ...others]) => first + (others.length === 0 ? '' : ` and ${others.length} after it`);

/** Splits a process's output into its text without its own summary, its counts, and its failures. */
function read(output, files, end) {
  const summary = output.lastIndexOf('\nℹ tests ');
  const text = summary < 0 ? output : output.slice(0, summary + 1);
  const rest = output.slice(text.length);
  const counts = Object.fromEntries([...rest.matchAll(/^ℹ (\w+) (\d+)$/gm)].map(([, name, n]) => [name, Number(n)]));
  const failures = [];
  const told = rest.split('✖ failing tests:\n')[1];
  if (told !== undefined) failures.push(told.trim(), '');
  // A file whose tests did not start, or that has none, shows nothing.
  for (const file of files) if (!text.includes(`▶ ${file}\n`)) failures.push(`✖ no test ran in ${file}`, '');
  const uncaught = output.match(UNCAUGHT) ?? [];
  if (uncaught.length > 0 || (end !== 0 && failures.length === 0))
    failures.push(`✖ ended with ${end}: ${nameOf(files)}`, ...uncaught, '');
  return { text, counts, failures };
}

/** Signals the process group, which includes everything that the process has started. */
function endGroup({ pid }, signal = 'SIGTERM') {
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended.
  }
}

/**
 * Lowers the priority of a process group: Linux divides the time among the sessions of processes first, and only within
 * a session by `nice`. Source: sched(7), autogroups; a kernel without them has no such file.
 */
function yieldGroup(pid) {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(BACKGROUND_NICE));
  } catch (error) {
    if (error.code === 'EAGAIN') setTimeout(() => yieldGroup(pid), AGAIN_MS);
  }
}
