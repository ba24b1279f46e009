import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts process time in hundredths of a second (USER_HZ). */
const TICKS_PER_SECOND = 100;
const NS_PER_SECOND = 1e9;
const PAGE_BYTES = 4_096;
const MIB = 1_048_576;
const KIB_PER_MIB = 1_024;

/**
 * Returns CPU seconds, user and system, of all threads of a process. Exact to the microsecond, whereas the ticks of
 * /proc/PID/stat are 10 ms. Excludes ended threads; a server's threads do not end. Source: proc(5), schedstat.
 */
export function cpuSeconds(pid: number): number {
  let ns = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    ns += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
  }
  return ns / NS_PER_SECOND;
}

/** Returns CPU seconds of this process's ended children. Source: proc(5), cutime and cstime. */
export function endedChildrenCpuSeconds(): number {
  const stat = readFileSync(`/proc/${process.pid}/stat`, 'utf8');
  // The name, in brackets, may contain anything.
  const fields = stat.slice(stat.lastIndexOf(') ') + 2).split(' ');
  const [cutime = 0, cstime = 0] = fields.slice(13, 15).map(Number);
  return (cutime + cstime) / TICKS_PER_SECOND;
}

export function residentMib(pid: number): number {
  return (Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * PAGE_BYTES) / MIB;
}

/**
 * Returns the part of it that files occupy, which the kernel reclaims on demand; files on a tmpfs count apart. Source:
 * proc(5), RssFile, RssShmem.
 */
export function residentFileMib(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kib = [...status.matchAll(/^Rss(?:File|Shmem):\s+(\d+) kB$/gm)].map(([, count]) => Number(count));
  return kib.reduce((sum, count) => sum + count, 0) / KIB_PER_MIB;
}

/** Returns CPU seconds of all processes of the machine since it started. Source: proc(5), /proc/stat. */
function machineCpuSeconds(): number {
  const line = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0] ?? '';
  // user nice system idle iowait irq softirq
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = line.trim().split(/\s+/).slice(1).map(Number);
  return (user + nice + system + irq + softirq) / TICKS_PER_SECOND;
}

/** Measures how many cores other processes than these and this one use, from its construction on. */
export class OtherWork {
  readonly #pids: readonly number[];
  readonly #since = { ms: performance.now(), machine: machineCpuSeconds(), ours: 0 };

  constructor(pids: readonly number[]) {
    this.#pids = pids;
    this.#since.ours = this.#ours();
  }

  cores(): number {
    const seconds = (performance.now() - this.#since.ms) / 1_000;
    const others = machineCpuSeconds() - this.#since.machine - (this.#ours() - this.#since.ours);
    return Math.max(0, others / seconds);
  }

  #ours(): number {
    const { user, system } = process.cpuUsage();
    return this.#pids.reduce((sum, pid) => sum + cpuSeconds(pid), (user + system) / 1e6);
  }
}
