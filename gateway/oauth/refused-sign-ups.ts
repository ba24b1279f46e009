import { RANGE_LIMIT_MAX } from '../../store/port.js';
import { refusedSignUps } from '../../store/tables.js';
import { DAY_MS, type DayUse, HISTORY_DAYS } from '../discovery/tag-histories.js';
import type { Services } from '../services.js';
import { guardsOf } from './guards.js';

/** Notes that somebody was refused for the provider of their e-mail address, unless that was noted often enough today. */
export async function noteRefused(services: Services, domain: string, address: string): Promise<void> {
  const { refusals, refusalsOfDomain } = guardsOf(services);
  if (refusalsOfDomain.take(domain) && refusals.take(''))
    await services.registry.refusedSignUp(domain, services.newAccountId(), address);
}

/** Attempts to sign up that each of the domains has prevented, by day, today first. @throws Unavailable */
export async function refusalHistories(
  { tables, clock }: Services,
  domains: readonly string[],
): Promise<ReadonlyMap<string, readonly DayUse[]>> {
  const today = Math.floor(clock.nowMs() / DAY_MS);
  const histories = new Map(domains.map((domain) => [domain, [] as DayUse[]]));
  for (let day = today; day > today - HISTORY_DAYS; day--) {
    const addresses = new Map<string, string[]>();
    for await (const { domain, address } of refusalsOf(tables, day)) {
      const known = addresses.get(domain);
      if (known === undefined) addresses.set(domain, [address]);
      else known.push(address);
    }
    for (const [domain, history] of histories) {
      const all = addresses.get(domain) ?? [];
      history.push({ dayMs: day * DAY_MS, uses: all.length, accounts: new Set(all).size });
    }
  }
  return histories;
}

async function* refusalsOf(tables: Services['tables'], day: number) {
  let after: { domain: string; attempt: string } | undefined;
  for (;;) {
    const range = { ...(after === undefined ? {} : { after }), limit: RANGE_LIMIT_MAX };
    const rows = await tables.range(refusedSignUps, { day }, range);
    for (const { key, value } of rows) yield { domain: key.domain, address: value.address };
    const last = rows.at(-1);
    if (last === undefined || rows.length < RANGE_LIMIT_MAX) return;
    after = { domain: last.key.domain, attempt: last.key.attempt };
  }
}
