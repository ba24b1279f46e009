import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';

/**
 * Gives servers the first core of the machine, and this process with its later children the others: a load on the
 * server's own core would delay its answers by itself. Returns false where that is impossible. Source: taskset(1).
 */
export function setApart(servers: readonly number[]): boolean {
  const last = cpus().length - 1;
  if (last < 1) return false;
  try {
    for (const pid of servers) execFileSync('taskset', ['-acp', '0', String(pid)]);
    execFileSync('taskset', ['-acp', `1-${last}`, String(process.pid)]);
  } catch {
    return false;
  }
  return true;
}
