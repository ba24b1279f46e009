import { put, type RowWrite } from '../../../store/port.js';
import { accountTallies, tallyDays } from '../../../store/tables.js';
import type { AccountState } from '../../account/slices.js';
import { tallyRows } from '../../account/tally.js';
import { publicLane } from '../../domain/public.js';

/** Returns the rows of the account's share in the totals of the instance, on the day of the event and on later days. */
export function tallyWrites(state: Readonly<AccountState>, eventMs: number): RowWrite[] {
  const rows: RowWrite[] = [];
  const lane = publicLane(state.id);
  for (const { day, users, statuses, said, joined } of tallyRows(state, eventMs)) {
    rows.push(put(accountTallies, { day, lane, account: state.id }, { users, statuses, said, joined }));
    rows.push(put(tallyDays, { century: 0, day }, { atMs: 0 }));
  }
  return rows;
}
