// Measures the CPU time of programs with everything that they start, also of processes that are killed and that no
// parent waits for: the kernel adds only the time of awaited processes to that of their parents. Reads /proc.
import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** Linux counts process time in hundredths of a second (USER_HZ). */
const TICKS_PER_SECOND = 100;
/** Interval of the samples: a process that nobody waits for is missed for its last second. */
const SAMPLE_MS = 1_000;

/** CPU seconds by program; the programs are named by their pids. */
export class CpuTimes {
  /** Every process that was seen, by pid and start: a pid returns. */
  #seen = new Map();
  #roots = new Set();
  #timer = setInterval(() => this.#sample(), SAMPLE_MS).unref();

  /** Counts the process with that pid, and its descendants from now on. */
  add(pid) {
    this.#roots.add(pid);
  }

  /** Returns the CPU seconds so far. */
  secondsOf(pid) {
    this.#sample();
    let ticks = 0;
    for (const one of this.#seen.values()) if (one.root === pid) ticks += one.ticks;
    return ticks / TICKS_PER_SECOND;
  }

  stop() {
    clearInterval(this.#timer);
  }

  #sample() {
    const live = new Map(processes().map((one) => [one.pid, one]));
    for (const { pid, started, ticks } of live.values()) {
      const name = `${pid} ${started}`;
      // An orphan keeps the root that it had.
      const root = this.#seen.get(name)?.root ?? this.#rootOf(pid, live);
      if (root !== undefined) this.#seen.set(name, { root, ticks });
    }
  }

  #rootOf(pid, live) {
    for (let at = pid; at !== undefined && at !== 0; at = live.get(at)?.parent) if (this.#roots.has(at)) return at;
    return undefined;
  }
}

/** Returns all processes with their own CPU time. Source: proc(5), /proc/PID/stat. */
function processes() {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const fields = statOf(name);
      if (fields === undefined) return [];
      const [parent, user, system, started] = [fields[1], fields[11], fields[12], fields[19]].map(Number);
      return [{ pid: Number(name), parent, started, ticks: user + system }];
    });
}

/** Returns the fields from the third on, which follow the name in parentheses; undefined for an ended process. */
function statOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(') ') + 2).split(' ');
  } catch {
    return undefined;
  }
}

/** Returns the CPU seconds of all ended child processes that were waited for, including their children. */
export function awaitedSeconds() {
  const fields = statOf('self') ?? [];
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
}

/** Returns the seconds for which the machine's cores together have computed, for whatever program, and their number. */
export function machineSeconds() {
  const all = cpus();
  const busy = all.reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0) / 1_000;
  return { busy, cores: all.length };
}
