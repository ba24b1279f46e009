import { idShard } from './ids.js';

/** Partitions of the table of alarms; each node reads them all now and then. */
export const ALARM_LANES = 16;

/** Where the alarm of an actor stands. `what`: the thing whose time has come, by the actor's own ids. */
export function alarmKey(kind: string, id: string, atMs: number, what: string) {
  return { lane: idShard(id) % ALARM_LANES, atMs, actor: `${kind}/${id}`, what };
}
