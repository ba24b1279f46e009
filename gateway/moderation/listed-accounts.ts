import { eraOfMs } from '../../actors/domain/ids.js';
import { PUBLIC_LANES } from '../../actors/domain/public.js';
import { accountListings } from '../../store/moderation-tables.js';
import type { Services } from '../http/services.js';

const CHUNK = 200;

/** Era of 2020: no account is older than this software. */
export const FIRST_ERA = eraOfMs(1_577_836_800_000);

/** Yields the ids of local accounts in batches, newest first. */
export async function* listedAccounts(services: Pick<Services, 'tables' | 'clock'>): AsyncGenerator<readonly string[]> {
  for (let era = eraOfMs(services.clock.nowMs()); era >= FIRST_ERA; era--) {
    // Most lanes are empty, so their first batches are read concurrently: one after the other would take as long as all
    // answers together.
    const firstOfLanes = Array.from({ length: PUBLIC_LANES }, (_, lane) => someListed(services, era, lane));
    await Promise.allSettled(firstOfLanes);
    for (const [lane, first] of firstOfLanes.entries()) {
      for (let ids = await first; ids.length > 0; ) {
        yield ids;
        ids = ids.length < CHUNK ? [] : await someListed(services, era, lane, ids.at(-1));
      }
    }
  }
}

async function someListed(
  { tables }: Pick<Services, 'tables'>,
  era: number,
  lane: number,
  before?: string,
): Promise<string[]> {
  const bound = before === undefined ? {} : { before: { account: before } };
  const rows = await tables.range(accountListings, { era, lane }, { ...bound, reverse: true, limit: CHUNK });
  return rows.map(({ key }) => key.account);
}
