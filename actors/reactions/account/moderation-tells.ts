import { codec } from '../../../proto/codec.js';
import { accountTopic } from '../../../transport/bus.js';
import type { AccountEvents, AccountState } from '../../account/slices.js';
import { INSTANCE_ID } from '../../instance/commands.js';
import type { Reaction } from '../../runtime/kind.js';
import { tellAccount } from './tells.js';

const accountMessage = codec('murmuration.node.AccountTopic');
/** Actions after which the account's open streams must be checked again, because its tokens may be invalid. */
const ENDING = new Set(['disable', 'suspend', 'delete', 'reject', 'role']);

/** Actions of which the account is notified. */
const WARNINGS = new Set(['none', 'disable', 'sensitive', 'silence', 'suspend']);

/**
 * Runs after the rows are written, so that streams of an account that may no longer sign in end at once, on every node.
 */
export const moderationTells: Reaction<AccountState, AccountEvents> = {
  surface: 'moderation',
  beforeReply: true,
  on: {
    async moderated({ action, text, auditId, atMs }, { self }, effects) {
      if (WARNINGS.has(action)) {
        const warning = { id: auditId, action, text, statusIds: [], createdAtMs: atMs };
        await tellAccount(effects, self, 'notify', { type: 'moderation_warning', from: self, warning });
      }
      if (!ENDING.has(action)) return;
      effects.publish(accountTopic(self), accountMessage.encode({ accountId: self, kind: 'token_revoked' }));
    },
    async reacted({ id, name, on }, _happened, effects) {
      await effects.tell('instance', INSTANCE_ID, 'countEmoji', { announcement: id, name, delta: on ? 1 : -1 });
    },
  },
};
