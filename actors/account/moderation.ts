import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { problem } from '../domain/problem.js';
import type { Slice } from '../runtime/slice.js';
import { type Ended, ended, lastRecipient, recipientOf, type State } from './purge.js';
import { closeWaysIn, revocations, type Events as SessionEvents, sessionRevocations } from './tokens.js';

export interface Commands {
  moderate: { in: P.AccountModerate; out: P.AccountEmpty };
}
export interface Events {
  moderated: P.AccountModerated;
}

/** Moderators' actions. Each function returns true when the action would change nothing. */
const SETTLED: Readonly<Record<string, (state: Readonly<State>, command: P.AccountModerate) => boolean>> = {
  none: () => false,
  approve: ({ owner }) => owner?.approved === true,
  reject: () => false,
  enable: ({ owner }) => owner?.disabled === false,
  disable: ({ owner }) => owner?.disabled === true,
  silence: ({ moderation }) => moderation.silenced,
  unsilence: ({ moderation }) => !moderation.silenced,
  sensitive: ({ moderation }) => moderation.sensitized,
  unsensitive: ({ moderation }) => !moderation.sensitized,
  suspend: ({ moderation }) => moderation.suspendedAtMs > 0,
  unsuspend: ({ moderation }) => moderation.suspendedAtMs === 0,
  delete: ({ moderation }) => moderation.deleted,
  memorialize: ({ moderation }) => moderation.memorial === true,
  unmemorialize: ({ moderation }) => moderation.memorial !== true,
  role: ({ owner }, { role }) => owner?.role === role,
  delete_statuses: (_state, { statuses }) => (statuses?.some.length ?? 0) === 0,
  mark_statuses_as_sensitive: (_state, { statuses }) => (statuses?.some.length ?? 0) === 0,
};

/**
 * Actions that end browser sessions. Applications keep their tokens, which are valid again when the action is undone.
 */
const SHUTS_OUT = new Set(['disable', 'suspend', 'memorialize']);
/** Actions that change rights. Authorization codes were granted under the previous rights, so they end. */
const CHANGES_RIGHTS = new Set(['role', 'reject', 'delete']);

/** Moderators' decisions about an account. The gateway checks the moderator's permissions. */
export const moderation: Slice<State, Commands, Events, Ended & Pick<SessionEvents, 'tokenRevoked'>> = {
  decide: {
    moderate(state, command, { nowMs, newId }) {
      const settled = Object.hasOwn(SETTLED, command.action) ? SETTLED[command.action] : undefined;
      if (settled === undefined) return problem('invalid', 'Validation failed: Type is not included in the list');
      if (command.action === 'reject' && state.owner?.approved === true)
        return problem('forbidden', 'This action is not allowed');
      if (command.action === 'unsuspend' && state.moderation.deleted)
        return problem('forbidden', 'This action is not allowed');
      if (command.action === 'delete' && state.moderation.suspendedAtMs === 0)
        return problem('forbidden', 'This action is not allowed');
      if (command.action === 'memorialize' && (state.owner === undefined || state.moderation.deleted))
        return problem('forbidden', 'This action is not allowed');
      if (settled(state, command)) return { events: [], reply: {} };
      const recipient = command.action === 'reject' ? lastRecipient(state) : undefined;
      const rejected = command.action === 'reject' && state.owner !== undefined ? recipientOf(state.owner) : undefined;
      const decided = { type: 'moderated' as const, ...command, auditId: newId(), atMs: nowMs, recipient, rejected };
      const isEnd = command.action === 'reject' || command.action === 'delete';
      if (SHUTS_OUT.has(command.action)) return { events: [...sessionRevocations(state), decided], reply: {} };
      if (!isEnd) return { events: [decided], reply: {} };
      const gone = command.action === 'delete' ? ended(state, nowMs) : [];
      return { events: [...revocations(state.tokens.keys()), decided, ...gone], reply: {} };
    },
  },
  apply: {
    moderated(state, { action, role, atMs }) {
      const { owner, moderation: own } = state;
      if (SHUTS_OUT.has(action) || CHANGES_RIGHTS.has(action)) closeWaysIn(state);
      if (action === 'silence' || action === 'unsilence') own.silenced = action === 'silence';
      if (action === 'sensitive' || action === 'unsensitive') own.sensitized = action === 'sensitive';
      if (action === 'suspend' || action === 'unsuspend') own.suspendedAtMs = action === 'suspend' ? atMs : 0;
      if (action === 'memorialize' || action === 'unmemorialize') own.memorial = action === 'memorialize';
      if (action === 'delete') own.deleted = true;
      // The account is as if it had never signed up.
      if (action === 'reject') state.owner = undefined;
      if (owner === undefined) return;
      if (action === 'approve') owner.approved = true;
      if (action === 'enable' || action === 'disable') owner.disabled = action === 'disable';
      if (action === 'role') owner.role = role ?? 'user';
    },
  },
  commands: {
    moderate: {
      in: codec('murmuration.account.Moderate'),
      out: codec('murmuration.account.Empty'),
      repeats: 'idempotent',
      local: true,
      remote: 'answers',
    },
  },
  events: {
    moderated: { codec: codec('murmuration.account.Moderated'), invalidates: true },
  },
};
