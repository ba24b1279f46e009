import { alarmDay } from '../../../actors/domain/alarm.js';
import { eraOfId } from '../../../actors/domain/ids.js';
import { RANGE_LIMIT_MAX } from '../../../store/port.js';
import { notifications, statuses } from '../../../store/tables.js';
import { waitingAlarms } from '../../kit/actors/waiting-alarms.js';
import type { Ended } from './invariants.js';

/** Returns the time by the slowest clock, because any node may own the actor. */
export const slowestMs = ({ nodes }: Pick<Ended, 'nodes'>): number =>
  Math.min(...nodes.map(({ clock }) => clock.nowMs()));

/** Returns actors that were not called although their time has come. */
export async function alarmsOwed(ended: Pick<Ended, 'nodes' | 'shared'>): Promise<string[]> {
  const nowMs = slowestMs(ended);
  const rows = await waitingAlarms(ended.shared, nowMs);
  const isYesterday = alarmDay(nowMs - YESTERDAY_MS) !== alarmDay(nowMs);
  if (isYesterday) rows.push(...(await waitingAlarms(ended.shared, nowMs - YESTERDAY_MS)));
  return rows.flatMap(({ key }) => (key.ringMs <= nowMs ? [`${key.actor} at ${key.ringMs}`] : []));
}

/** Maximum age of a life's alarms. */
const YESTERDAY_MS = 600_000;

/** Checks that polls have ended at their time, and that their authors were notified once. */
export async function pollsHaveEnded({ shared, polls, violations, ...ended }: Ended): Promise<void> {
  const nowMs = slowestMs(ended);
  for (const { id, author } of polls) {
    const poll = (await shared.get(statuses, { status: id }))?.poll;
    if (poll === undefined) violations.report('alarmsRing', `poll ${id} was acknowledged and is gone`);
    if (poll === undefined || poll.expiresAtMs > nowMs) continue;
    if (!poll.ended) violations.report('alarmsRing', `poll ${id} goes on after its end`);
    const rows = await shared.range(notifications, { account: author, era: eraOfId(id) }, { limit: RANGE_LIMIT_MAX });
    const told = rows.filter(({ value }) => value.type === 'poll' && value.statusId === id).length;
    if (told !== 1) violations.report('alarmsRing', `${author} was told ${told} times that poll ${id} has ended`);
  }
}
