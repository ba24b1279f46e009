import type { AccountState } from '../../../actors/account/slices.js';
import { initialAccount } from '../../../actors/account/slices.js';
import { makeId } from '../../../actors/domain/ids.js';
import { accountSlice } from '../../../actors/kinds/account.js';
import { given } from '../../kit/actors/given.js';
import { registration } from '../reactions/town.js';

export const startMs = 1_767_225_600_000;
export const self = makeId(startMs, 1, 0);
export const other = makeId(startMs, 2, 0);

/** Returns an account that has just registered. `change` modifies its state before the test. */
export function newcomer(change: (state: AccountState) => void = () => undefined) {
  const state = initialAccount(self);
  given(accountSlice, state, { self, nowMs: startMs }).when('register', registration('alice'));
  change(state);
  return given(accountSlice, state, { self, nowMs: startMs });
}
