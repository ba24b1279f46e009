import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { problem } from '../domain/problem.js';
import type { Slice } from '../runtime/slice.js';
import type { LazyMap } from '../runtime/state/lazy-collections.js';
import { isShutOut, type State as TokensState } from './tokens.js';

export interface Commands {
  createInvite: { in: P.AccountCreateInvite; out: P.AccountEmpty };
  revokeInvite: { in: P.AccountInviteNonce; out: P.AccountEmpty };
  invites: { in: P.AccountEmpty; out: P.AccountInvites };
  judgeInvite: { in: P.AccountInviteNonce; out: P.AccountEmpty };
  /** Takes one use for the account that signs up. A repeat for the same account takes none. */
  useInvite: { in: P.AccountInviteNonce; out: P.AccountInviteUse };
  /** Gives back the use of the account after its sign-up was refused. */
  returnInvite: { in: P.AccountInviteNonce; out: P.AccountEmpty };
}
export interface Events {
  inviteCreated: P.AccountInviteCreated;
  inviteRevoked: P.AccountInviteNonce;
  inviteUsed: P.AccountInviteNonce;
  inviteReturned: P.AccountInviteNonce;
}
/** One invitation. */
type Invite = P.AccountInvite & {
  /** Accounts that used it, oldest first; at most INVITE_USES_MAX. Absent in older snapshots. */
  readonly users?: readonly string[];
};
export interface State extends TokensState {
  /** Invitations by nonce, oldest first. At most INVITES_MAX. */
  readonly invites: LazyMap<string, Invite>;
}

/** Invitations of one account, those that are over included: a list that a person can still survey. */
export const INVITES_MAX = 100;
/** Largest limit of uses. Source: Mastodon, the form of invitations. */
export const INVITE_USES_MAX = 100;

const empty = codec('murmuration.account.Empty');
const nonce = codec('murmuration.account.InviteNonce');
const NOTHING = { events: [], reply: {} };
const useless = () => problem('not_found', 'This invitation is not valid');

const isValid = ({ maxUses, uses, expiresAtMs }: P.AccountInvite, nowMs: number): boolean =>
  (maxUses === 0 || uses < maxUses) && (expiresAtMs === 0 || expiresAtMs > nowMs);

/** Invitations of the owner. The inviter's actor counts their uses, so concurrent sign-ups cannot exceed a limit. */
export const invites: Slice<State, Commands, Events> = {
  decide: {
    createInvite(state, command, { nowMs }) {
      if (state.invites.has(command.nonce)) return NOTHING;
      if (isShutOut(state)) return problem('forbidden', 'Your login is currently disabled');
      if (command.maxUses > INVITE_USES_MAX) return problem('invalid', 'Too many uses');
      const over = [...state.invites.values()].filter((one) => !isValid(one, nowMs));
      if (state.invites.size - over.length >= INVITES_MAX) return problem('limit_reached', 'Too many invitations');
      const dropped = state.invites.size < INVITES_MAX ? [] : over.slice(0, 1);
      const events = dropped.map((one) => ({ type: 'inviteRevoked' as const, nonce: one.nonce }));
      return { events: [...events, { type: 'inviteCreated', ...command, atMs: nowMs }], reply: {} };
    },
    revokeInvite: ({ invites }, command) =>
      invites.has(command.nonce) ? { events: [{ type: 'inviteRevoked', ...command }], reply: {} } : NOTHING,
    invites: ({ invites }) => ({
      events: [],
      reply: { invites: Array.from(invites.values(), ({ users: _users, ...invite }) => invite) },
    }),
    judgeInvite: (state, command, { nowMs }) => (mayUse(state, command, nowMs) ? NOTHING : useless()),
    useInvite(state, command, { nowMs }) {
      if (isUser(state, command)) return { events: [], reply: { taken: false } };
      if (!mayUse(state, command, nowMs)) return useless();
      return { events: [{ type: 'inviteUsed', ...command }], reply: { taken: true } };
    },
    returnInvite: (state, command) =>
      isUser(state, command) ? { events: [{ type: 'inviteReturned', ...command }], reply: {} } : NOTHING,
  },
  apply: {
    inviteCreated({ invites }, { atMs, ...invite }) {
      invites.set(invite.nonce, { ...invite, createdAtMs: atMs, uses: 0 });
    },
    inviteRevoked: ({ invites }, event) => void invites.delete(event.nonce),
    inviteUsed({ invites }, { nonce, account }) {
      const invite = invites.get(nonce);
      if (invite === undefined) return;
      const users = [...(invite.users ?? []), ...(account === undefined ? [] : [account])].slice(-INVITE_USES_MAX);
      invites.set(nonce, { ...invite, users, uses: invite.uses + 1 });
    },
    inviteReturned({ invites }, { nonce, account }) {
      const invite = invites.get(nonce);
      if (invite === undefined) return;
      const users = (invite.users ?? []).filter((one) => one !== account);
      invites.set(nonce, { ...invite, users, uses: invite.uses - 1 });
    },
  },
  commands: {
    createInvite: { in: codec('murmuration.account.CreateInvite'), out: empty, repeats: 'idempotent', local: true },
    revokeInvite: { in: nonce, out: empty, repeats: 'idempotent', local: true },
    invites: { in: empty, out: codec('murmuration.account.Invites'), repeats: 'query', local: true },
    judgeInvite: { in: nonce, out: empty, repeats: 'query', local: true },
    useInvite: { in: nonce, out: codec('murmuration.account.InviteUse'), repeats: 'idempotent', local: true },
    returnInvite: { in: nonce, out: empty, repeats: 'idempotent', local: true },
  },
  events: {
    inviteCreated: { codec: codec('murmuration.account.InviteCreated'), invalidates: false },
    inviteRevoked: { codec: nonce, invalidates: false },
    inviteUsed: { codec: nonce, invalidates: false },
    inviteReturned: { codec: nonce, invalidates: false },
  },
};

/** The invitations of somebody whom moderators shut out are worth nothing meanwhile. */
function mayUse(state: Readonly<State>, { nonce }: P.AccountInviteNonce, nowMs: number): boolean {
  const invite = state.invites.get(nonce);
  return invite !== undefined && isValid(invite, nowMs) && !isShutOut(state);
}

/** Returns true if the account has used the invitation. */
const isUser = ({ invites }: Readonly<State>, { nonce, account }: P.AccountInviteNonce): boolean =>
  account !== undefined && (invites.get(nonce)?.users ?? []).includes(account);
