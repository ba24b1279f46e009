import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { problem } from '../domain/problem.js';
import type { Slice } from '../runtime/slice.js';
import { isShutOut, type State as TokensState } from './tokens.js';

export interface Commands {
  createInvite: { in: P.AccountCreateInvite; out: P.AccountEmpty };
  revokeInvite: { in: P.AccountInviteNonce; out: P.AccountEmpty };
  invites: { in: P.AccountEmpty; out: P.AccountInvites };
  judgeInvite: { in: P.AccountInviteNonce; out: P.AccountEmpty };
  useInvite: { in: P.AccountInviteNonce; out: P.AccountEmpty };
  /** Gives a use back after the sign-up was refused. A caller sends it once for each use. */
  returnInvite: { in: P.AccountInviteNonce; out: P.AccountEmpty };
}
export interface Events {
  inviteCreated: P.AccountInviteCreated;
  inviteRevoked: P.AccountInviteNonce;
  inviteUsed: P.AccountInviteNonce;
  inviteReturned: P.AccountInviteNonce;
}
export interface State extends TokensState {
  /** Invitations by nonce, oldest first. At most INVITES_MAX. */
  readonly invites: Map<string, P.AccountInvite>;
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
    invites: ({ invites }) => ({ events: [], reply: { invites: [...invites.values()] } }),
    judgeInvite: (state, command, { nowMs }) => (mayUse(state, command, nowMs) ? NOTHING : useless()),
    useInvite(state, command, { nowMs }) {
      if (!mayUse(state, command, nowMs)) return useless();
      return { events: [{ type: 'inviteUsed', ...command }], reply: {} };
    },
    returnInvite({ invites }, command) {
      const held = invites.get(command.nonce);
      if (held === undefined || held.uses === 0) return NOTHING;
      return { events: [{ type: 'inviteReturned', ...command }], reply: {} };
    },
  },
  apply: {
    inviteCreated({ invites }, { atMs, ...invite }) {
      invites.set(invite.nonce, { ...invite, createdAtMs: atMs, uses: 0 });
    },
    inviteRevoked: ({ invites }, event) => void invites.delete(event.nonce),
    inviteUsed: (state, event) => count(state, event, 1),
    inviteReturned: (state, event) => count(state, event, -1),
  },
  commands: {
    createInvite: { in: codec('murmuration.account.CreateInvite'), out: empty, repeats: 'idempotent', local: true },
    revokeInvite: { in: nonce, out: empty, repeats: 'idempotent', local: true },
    invites: { in: empty, out: codec('murmuration.account.Invites'), repeats: 'query', local: true },
    judgeInvite: { in: nonce, out: empty, repeats: 'query', local: true },
    useInvite: { in: nonce, out: empty, repeats: 'never', local: true },
    returnInvite: { in: nonce, out: empty, repeats: 'never', local: true },
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

function count({ invites }: State, { nonce }: P.AccountInviteNonce, by: number): void {
  const invite = invites.get(nonce);
  if (invite !== undefined) invites.set(nonce, { ...invite, uses: invite.uses + by });
}
