import type { ReadTables } from '../../../store/port.js';
import type { AccountEvents, AccountState } from '../../account/slices.js';
import type { Reaction } from '../../runtime/kind.js';
import { staffWith } from '../staff.js';
import { tellAccount } from './tells.js';

/**
 * Notifies the accounts that may manage users of a sign-up, once the address is confirmed: until then it may be a
 * robot's or a typing error. An account that waits for approval is among them, since somebody has to decide.
 */
export function signUpNotices(tables: Pick<ReadTables, 'range' | 'get'>): Reaction<AccountState, AccountEvents> {
  return {
    surface: 'notify',
    beforeReply: false,
    on: {
      async emailConfirmed(_event, { self }, effects) {
        for (const { id } of await staffWith(tables, 'manage_users'))
          await tellAccount(effects, id, 'notify', { type: 'admin.sign_up', from: self });
      },
    },
  };
}
