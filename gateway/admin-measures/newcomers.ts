import { isSuspended } from '../../actors/domain/standing.js';
import type { StoreAccountRecord } from '../../proto/gen/types.js';
import { accounts } from '../../store/tables.js';
import type { Services } from '../http/services.js';
import { localAccountsCursor } from '../moderation/moderators.js';
import { idsOf, type Period } from './period.js';

/** Accounts read for one query, newest first: some hundred reads. */
const NEWCOMERS_MAX = 20_000;
const READ_AT_ONCE = 200;

/** Yields the accounts that signed up in a period and are still active. */
export async function* newcomers(
  services: Pick<Services, 'tables' | 'clock'>,
  period: Period,
): AsyncGenerator<StoreAccountRecord> {
  if (period.last < period.first) return;
  const cursor = localAccountsCursor(services, idsOf(period));
  for (let read = 0; read < NEWCOMERS_MAX; ) {
    const rows = await cursor.next(READ_AT_ONCE);
    if (rows.length === 0) return;
    read += rows.length;
    yield* present(
      await recordsOf(
        services,
        rows.map(({ id }) => id),
      ),
    );
  }
}

/** Reads accounts in batches. */
export async function recordsOf(
  services: Pick<Services, 'tables'>,
  ids: readonly string[],
): Promise<StoreAccountRecord[]> {
  const found: StoreAccountRecord[] = [];
  for (let start = 0; start < Math.min(ids.length, NEWCOMERS_MAX); start += READ_AT_ONCE) {
    const some = ids.slice(start, start + READ_AT_ONCE);
    const records = await services.tables.getMany(
      accounts,
      some.map((account) => ({ account })),
    );
    found.push(...records.filter((record) => record !== undefined));
  }
  return found;
}

const present = (records: readonly StoreAccountRecord[]) =>
  records.filter((record) => record.confirmed && record.approved && !isSuspended(record));
