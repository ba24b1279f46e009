import { readFileSync } from 'node:fs';

/** Linux counts process time in hundredths of a second (USER_HZ). */
const TICKS_PER_SECOND = 100;
const PAGE_BYTES = 4_096;
const MIB = 1_048_576;

/** CPU seconds, user and system, of all threads of a process since its start. Source: proc(5). */
export function cpuSeconds(pid: number): number {
  const [utime = 0, stime = 0] = ticks(pid);
  return (utime + stime) / TICKS_PER_SECOND;
}

/** CPU seconds of this process' children that have ended. Source: proc(5), cutime and cstime. */
export function endedChildrenCpuSeconds(): number {
  const [, , cutime = 0, cstime = 0] = ticks(process.pid);
  return (cutime + cstime) / TICKS_PER_SECOND;
}

export function residentMib(pid: number): number {
  return (Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * PAGE_BYTES) / MIB;
}

function ticks(pid: number): number[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name, in brackets, may hold anything.
  const fields = stat.slice(stat.lastIndexOf(') ') + 2).split(' ');
  return fields.slice(11, 15).map(Number);
}
