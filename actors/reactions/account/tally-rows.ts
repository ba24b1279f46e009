import { put, type RowWrite } from '../../../store/port.js';
import { accountTallies, tallyDays } from '../../../store/tables.js';
import type { AccountState } from '../../account/slices.js';
import { tallyRows } from '../../account/tally.js';
import { publicLane } from '../../domain/public.js';

/** Returns the rows of the account's share in the totals of the instance, on the day of the event and on later days. */
export const tallyWrites = (state: Readonly<AccountState>, eventMs: number): RowWrite[] =>
  tallyRows(state, eventMs).flatMap(({ day, ...tally }) => [
    put(accountTallies, { day, lane: publicLane(state.id), account: state.id }, tally),
    put(tallyDays, { century: 0, day }, { atMs: 0 }),
  ]);
