import { eraOfMs } from '../../../actors/domain/ids.js';
import { RANGE_LIMIT_MAX } from '../../../store/port.js';
import { accountStatuses, statuses } from '../../../store/tables.js';
import type { Planned } from '../ledger.js';
import type { Ended } from './invariants.js';

/**
 * Checks scheduled statuses after all due times have passed: each acknowledged one was published once, and not before
 * its time by the clock of its account. None was published that was acknowledged as taken back.
 */
export async function schedulesAreKept(ended: Pick<Ended, 'shared' | 'ledger' | 'accounts' | 'violations'>) {
  const { ledger, accounts, violations } = ended;
  for (const account of accounts) {
    const plans = ledger.plans.filter((one) => one.account === account);
    const published = await publishedBy(ended, account, plans[0]?.dueMs[0] ?? 0);
    for (const plan of plans) {
      const times = published.get(plan.text) ?? [];
      const { least, most } = expected(plan);
      const what = `"${plan.text}" (${plan.id ?? 'not acknowledged'}, taken back: ${plan.taken})`;
      if (times.length < least || times.length > most)
        violations.report('schedulesAreKept', `${what} was published ${times.length} times`);
      const dueMs = Math.min(...plan.dueMs);
      for (const atMs of times)
        if (atMs < dueMs) violations.report('schedulesAreKept', `${what} was published ${dueMs - atMs} ms early`);
    }
  }
}

/** Returns how often a status may be published. */
function expected({ id, taken }: Planned): { readonly least: number; readonly most: number } {
  if (taken === 'yes') return { least: 0, most: 0 };
  return { least: id === undefined || taken === 'unknown' ? 0 : 1, most: 1 };
}

/** Returns the times at which the account published each text, by the account's clock. */
async function publishedBy(
  { shared }: Pick<Ended, 'shared'>,
  account: string,
  someMs: number,
): Promise<Map<string, number[]>> {
  const found = new Map<string, number[]>();
  const rows = await shared.range(accountStatuses, { account, era: eraOfMs(someMs) }, { limit: RANGE_LIMIT_MAX });
  for (const { key } of rows) {
    const record = await shared.get(statuses, { status: key.status });
    if (record === undefined || record.reblogOfId !== undefined) continue;
    found.set(record.text, [...(found.get(record.text) ?? []), record.createdAtMs]);
  }
  return found;
}
