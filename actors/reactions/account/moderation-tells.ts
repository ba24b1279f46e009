import { codec } from '../../../proto/codec.js';
import type { AccountModeratedStatus } from '../../../proto/gen/types.js';
import { accountTopic } from '../../../transport/bus.js';
import type { AccountEvents, AccountState } from '../../account/slices.js';
import { INSTANCE_ID } from '../../instance/commands.js';
import type { Effects, Reaction } from '../../runtime/kind.js';
import { tellAccount } from './tells.js';

const accountMessage = codec('murmuration.node.AccountTopic');
/** Actions after which the account's open streams must be checked again, because its tokens may be invalid. */
const ENDING = new Set(['disable', 'suspend', 'delete', 'reject', 'role', 'memorialize']);

/** Actions of which the account is notified. */
const WARNINGS = new Set([
  'none',
  'disable',
  'mark_statuses_as_sensitive',
  'delete_statuses',
  'sensitive',
  'silence',
  'suspend',
]);

/** Returns what an action does to one of the account's statuses, if anything. A status that is gone answers with a problem. */
function actOn(action: string, by: string, effects: Effects) {
  const tell =
    (command: 'remove' | 'markSensitive') =>
    ({ statusId, conversationId }: AccountModeratedStatus) =>
      effects.tell('conversation', conversationId, command, { statusId, by });
  if (action === 'delete_statuses') return tell('remove');
  return action === 'mark_statuses_as_sensitive' ? tell('markSensitive') : undefined;
}

/**
 * Runs after the rows are written, so that streams of an account that may no longer sign in end at once, on every node.
 */
export const moderationTells: Reaction<AccountState, AccountEvents> = {
  surface: 'moderation',
  beforeReply: true,
  on: {
    async moderated({ action, text, statuses, auditId, atMs }, { self }, effects) {
      const some = statuses?.some ?? [];
      const act = actOn(action, self, effects);
      if (act !== undefined) for (const status of some) await act(status);
      if (WARNINGS.has(action)) {
        const statusIds = some.map(({ statusId }) => statusId);
        const warning = { id: auditId, action, text, statusIds, createdAtMs: atMs };
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
