import { readdirSync, readFileSync } from 'node:fs';

/**
 * Timeout of the shutdown: servers drain within 15 s, and the command that runs a cluster ends its nodes, then
 * Cassandra.
 */
const END_MS_MAX = 60_000;
const LOOK_MS = 100;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs `work`. A signal meanwhile first ends the processes that this one has started, then this one, by the same
 * signal; a second signal ends it at once. Linux only.
 */
export async function endTogether<T>(work: () => Promise<T>): Promise<T> {
  let ending = false;
  const end = (signal: NodeJS.Signals) => {
    for (const each of SIGNALS) process.removeListener(each, end);
    ending = true;
    void endChildren().finally(() => process.kill(process.pid, signal));
  };
  for (const signal of SIGNALS) process.on(signal, end);
  try {
    return await work();
  } catch (error) {
    // An error is the consequence of the ending servers; the signal ends this process in a moment.
    if (ending) await new Promise<never>(() => undefined);
    throw error;
  } finally {
    for (const signal of SIGNALS) process.removeListener(signal, end);
  }
}

/** Ends all children, including those that start while others end. */
async function endChildren(): Promise<void> {
  const asked = new Set<number>();
  const deadlineMs = performance.now() + END_MS_MAX;
  for (let children = childrenOf(process.pid); children.length > 0; children = childrenOf(process.pid)) {
    const isLate = performance.now() > deadlineMs;
    for (const pid of children) {
      if (isLate || !asked.has(pid)) kill(pid, isLate ? 'SIGKILL' : 'SIGTERM');
      asked.add(pid);
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/**
 * Returns the running children; an ended one may still wait for its parent to collect it. Source: proc(5),
 * /proc/PID/stat.
 */
function childrenOf(parent: number): number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    const [state, ppid] = statOf(name);
    return Number(ppid) === parent && state !== 'Z' ? [Number(name)] : [];
  });
}

function statOf(pid: string): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, in brackets, may contain anything.
    return stat.slice(stat.lastIndexOf(') ') + 2).split(' ', 2);
  } catch {
    // The process has ended since its name was read.
    return [];
  }
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // The process has ended already.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
