import { idShard } from './ids.js';

/** Partitions of one day of alarms; each node reads those of the present day every 30 s. */
export const ALARM_LANES = 16;
const DAY_MS = 86_400_000;

/** Days since 1970. */
export const alarmDay = (atMs: number): number => Math.floor(atMs / DAY_MS);

/**
 * Key of the alarm of an actor at a time in milliseconds. `what` names the reason of the call by the actor's own ids.
 */
export function alarmKey(kind: string, id: string, atMs: number, what: string) {
  const ringMs = Math.max(0, Math.ceil(atMs));
  return { lane: idShard(id) % ALARM_LANES, day: alarmDay(ringMs), ringMs, actor: `${kind}/${id}`, what };
}
