import type { StoreAccountRecord } from '../../proto/gen/types.js';
import { staff } from '../../store/moderation-tables.js';
import { RANGE_LIMIT_MAX, type ReadTables } from '../../store/port.js';
import { accounts } from '../../store/tables.js';
import { isPermitted, type Permission } from '../domain/permissions.js';
import { isShutOut } from '../domain/standing.js';

/** Returns the accounts that have a permission and can use it now. @throws Unavailable */
export async function staffWith(
  tables: Pick<ReadTables, 'range' | 'get'>,
  permission: Permission,
): Promise<StoreAccountRecord[]> {
  const found: StoreAccountRecord[] = [];
  for (const { key } of await tables.range(staff, { century: 0 }, { limit: RANGE_LIMIT_MAX })) {
    const record = await tables.get(accounts, { account: key.account });
    if (record === undefined || isShutOut(record)) continue;
    if (isPermitted(record.role, permission)) found.push(record);
  }
  return found;
}
