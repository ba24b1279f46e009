import { eraOfMs } from '../../actors/domain/ids.js';
import { PUBLIC_LANES } from '../../actors/domain/public.js';
import { accountListings } from '../../store/tables.js';
import type { Services } from '../http/services.js';

const CHUNK = 200;

/** Of 2020: nobody signed up here before this was written. */
export const FIRST_ERA = eraOfMs(1_577_836_800_000);

/** Ids of the accounts of this server, newest first, some at a time. */
export async function* listedAccounts(services: Pick<Services, 'tables' | 'clock'>): AsyncGenerator<readonly string[]> {
  for (let era = eraOfMs(services.clock.nowMs()); era >= FIRST_ERA; era--) {
    // Most are empty: a look at each in turn would take as long as all answers together.
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
