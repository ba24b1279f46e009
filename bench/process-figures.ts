import { readFileSync } from 'node:fs';

/** Linux counts process time in hundredths of a second (USER_HZ). */
const TICKS_PER_SECOND = 100;
const PAGE_BYTES = 4_096;
const MIB = 1_048_576;

/** CPU seconds, user and system, of all threads of a process since its start. Source: proc(5). */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

export function residentMib(pid: number): number {
  return (Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * PAGE_BYTES) / MIB;
}
