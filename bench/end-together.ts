import { readdirSync, readFileSync } from 'node:fs';

/** Servers drain within 15 s, and the command that runs a cluster ends its nodes and then Cassandra. */
const END_MS_MAX = 60_000;
const LOOK_MS = 100;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Carries it out. When a signal comes meanwhile, first the processes end that this one has started, then this one, by
 * the same signal; a second one ends it at once. Linux only.
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
    // That its servers went away is no fault of what was measured; the signal ends this process in a moment.
    if (ending) await new Promise<never>(() => undefined);
    throw error;
  } finally {
    for (const signal of SIGNALS) process.removeListener(signal, end);
  }
}

/** Also those that are started while others end. */
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

/** Those that run: of one that has ended only its parent's notice is still to come. Source: proc(5), /proc/PID/stat. */
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
    // The name, in brackets, may hold anything.
    return stat.slice(stat.lastIndexOf(') ') + 2).split(' ', 2);
  } catch {
    // It has ended since its name was read.
    return [];
  }
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // It ended before.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
