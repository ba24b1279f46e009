import { RANGE_LIMIT_MAX } from '../../store/port.js';
import { refusedSignUps } from '../../store/tables.js';
import { DAY_MS, type DayUse, HISTORY_DAYS } from '../discovery/tag-histories.js';
import type { Services } from '../http/services.js';

/**
 * Returns the refused sign-ups of each domain by day, today first. Domains without any share one list. @throws
 * Unavailable
 */
export async function refusalHistories(
  { tables, clock }: Pick<Services, 'tables' | 'clock'>,
  domains: readonly string[],
): Promise<ReadonlyMap<string, readonly DayUse[]>> {
  const today = Math.floor(clock.nowMs() / DAY_MS);
  const days = Array.from({ length: HISTORY_DAYS }, (_, back) => today - back);
  const quiet = days.map((day) => ({ dayMs: day * DAY_MS, uses: 0, accounts: 0 }));
  const histories = new Map<string, readonly DayUse[]>(domains.map((domain) => [domain, quiet]));
  for (const [place, day] of days.entries()) {
    for (const [domain, addresses] of await refusalsOf(tables, day, histories)) {
      const before = histories.get(domain) ?? quiet;
      const uses = { dayMs: day * DAY_MS, uses: addresses.length, accounts: new Set(addresses).size };
      histories.set(domain, before.with(place, uses));
    }
  }
  return histories;
}

/** Returns the refused addresses of a day by domain, restricted to the given domains. */
async function refusalsOf(tables: Services['tables'], day: number, wanted: Pick<ReadonlySet<string>, 'has'>) {
  const found = new Map<string, string[]>();
  let after: { domain: string; attempt: string } | undefined;
  for (;;) {
    const rows = await tables.range(refusedSignUps, { day }, { after, limit: RANGE_LIMIT_MAX });
    for (const { key, value } of rows) {
      if (!wanted.has(key.domain)) continue;
      const known = found.get(key.domain);
      if (known === undefined) found.set(key.domain, [value.address]);
      else known.push(value.address);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < RANGE_LIMIT_MAX) return found;
    after = { domain: last.key.domain, attempt: last.key.attempt };
  }
}
