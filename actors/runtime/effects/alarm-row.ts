import { put, type RowWrite } from '../../../store/port.js';
import { alarms } from '../../../store/tables.js';
import { alarmKey } from '../../domain/alarm.js';

export interface AlarmRow {
  readonly key: {
    readonly lane: number;
    readonly day: number;
    readonly ringMs: number;
    readonly actor: string;
    readonly what: string;
  };
  /** `atMs`: the time that the actor asked for. */
  readonly value: { readonly atMs: number };
}

export const kindOf = (actor: string): string => actor.slice(0, actor.indexOf('/'));
export const idOf = (actor: string): string => actor.slice(actor.indexOf('/') + 1);

/**
 * Returns the row that has the actor (`kind/id`) called at `atMs`, or now if that time has passed: nodes do not read
 * alarms from long ago.
 */
export function alarmRow(actor: string, atMs: number, what: string, nowMs: number): AlarmRow {
  return { key: alarmKey(kindOf(actor), idOf(actor), Math.max(atMs, nowMs), what), value: { atMs } };
}

export const putAlarm = ({ key, value }: AlarmRow): RowWrite => put(alarms, key, value);
