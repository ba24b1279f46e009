import { ALARM_LANES, alarmDay } from '../../../actors/domain/alarm.js';
import { RANGE_LIMIT_MAX, type ReadTables } from '../../../store/port.js';
import { alarms } from '../../../store/tables.js';

/** Returns alarms of one day that no actor has handled yet. */
export async function waitingAlarms(tables: Pick<ReadTables, 'range'>, atMs: number) {
  const lanes = Array.from({ length: ALARM_LANES }, (_, lane) =>
    tables.range(alarms, { lane, day: alarmDay(atMs) }, { limit: RANGE_LIMIT_MAX }),
  );
  return (await Promise.all(lanes)).flat();
}
