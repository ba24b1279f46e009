import { put, type RowWrite } from '../../../store/port.js';
import { alarms } from '../../../store/tables.js';
import { alarmKey } from '../../domain/alarm.js';

export const kindOf = (actor: string): string => actor.slice(0, actor.indexOf('/'));
export const idOf = (actor: string): string => actor.slice(actor.indexOf('/') + 1);

/**
 * Returns the row that has the actor (`kind/id`) called at `atMs`, or now if that time has passed: nodes do not read
 * alarms from long ago.
 */
export function alarmRow(actor: string, atMs: number, what: string, nowMs: number): RowWrite {
  return put(alarms, alarmKey(kindOf(actor), idOf(actor), Math.max(atMs, nowMs), what), { atMs });
}
