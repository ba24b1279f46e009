import type { AccountEvents, AccountState } from '../../account/slices.js';
import type { Effects, Happened, Reaction } from '../../runtime/kind.js';

function setAlarm(
  { id, dueMs }: { readonly id: string; readonly dueMs: number },
  now: Happened<AccountState>,
  effects: Effects,
) {
  if (now.state.scheduled.get(id)?.dueMs !== dueMs) return undefined;
  return effects.setAlarm(dueMs, id);
}

/** Sets the alarm of a scheduled status. An outdated alarm changes nothing. */
export const scheduledAlarms: Reaction<AccountState, AccountEvents> = {
  surface: 'alarms',
  beforeReply: true,
  on: { scheduled: setAlarm, rescheduled: setAlarm },
};
