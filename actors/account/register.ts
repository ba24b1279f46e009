import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { problem } from '../domain/problem.js';
import type { Slice } from '../runtime/slice.js';
import type { OriginState, State as StandingState } from './standing.js';

export interface Commands {
  register: { in: P.AccountRegister; out: P.AccountEmpty };
  /**
   * Ends an account whose names belong to another account. Sent only right after `register`, by the caller that lost
   * the claim.
   */
  unregister: { in: P.AccountEmpty; out: P.AccountEmpty };
  confirmEmail: { in: P.AccountConfirmEmail; out: P.AccountEmpty };
  credentials: { in: P.AccountEmpty; out: P.AccountCredentials };
}
export interface Events {
  registered: P.AccountRegistered;
  unregistered: P.AccountUnregistered;
  emailConfirmed: P.AccountEmailConfirmed;
}

/** The person who owns the account. */
export interface Owner {
  readonly username: string;
  email: string;
  passwordHash: string;
  role: string;
  confirmed: boolean;
  approved: boolean;
  disabled: boolean;
  locale: string;
  readonly clientId: string | undefined;
  /** The nonce that was mailed last; undefined if the address belongs to another account. */
  confirmationNonce: string | undefined;
  readonly createdAtMs: number;
  readonly reason: string | undefined;
  readonly signUpAddress: string | undefined;
  /** Account whose invitation was used. */
  readonly invitedBy: string | undefined;
  /** The last mail to the address that could not be delivered. */
  undelivered: P.AccountUndelivered | undefined;
}
export interface State extends StandingState, OriginState {
  /** Undefined until registered. */
  owner: Owner | undefined;
}

/** Longest username that remote servers generally accept. Source: Mastodon Account::USERNAME_LENGTH_LIMIT. */
export const USERNAME_CHARS_MAX = 30;
/** Longest address that a mail server must accept. Source: RFC 5321 §4.5.3.1. */
export const EMAIL_CHARS_MAX = 254;

const empty = codec('murmuration.account.Empty');

/** Sign-up and confirmation of the address. The registrar claims the names before. */
export const register: Slice<State, Commands, Events> = {
  decide: {
    register({ owner, origin }, command, { nowMs }) {
      if (origin !== undefined) return problem('conflict', 'This account is one of another server');
      if (owner !== undefined) {
        const isRepeat = owner.username === command.username && owner.email === command.email;
        return isRepeat ? { events: [], reply: {} } : problem('conflict', 'This account is registered already');
      }
      const username = command.username;
      if (!/^[a-z0-9_]+$/i.test(username)) return invalid('username', 'Username', 'ERR_INVALID', usernameRule);
      if (username.length > USERNAME_CHARS_MAX)
        return invalid(
          'username',
          'Username',
          'ERR_TOO_LONG',
          `is too long (maximum is ${USERNAME_CHARS_MAX} characters)`,
        );
      if (command.email.length > EMAIL_CHARS_MAX)
        return invalid('email', 'Email', 'ERR_TOO_LONG', `is too long (maximum is ${EMAIL_CHARS_MAX} characters)`);
      return { events: [{ type: 'registered', ...command, atMs: nowMs }], reply: {} };
    },
    unregister({ owner }, _command, { nowMs }) {
      if (owner === undefined) return { events: [], reply: {} };
      const { username, email } = owner;
      return { events: [{ type: 'unregistered', username, email, atMs: nowMs }], reply: {} };
    },
    confirmEmail({ owner }, { nonce }, { nowMs }) {
      if (owner === undefined || owner.confirmationNonce !== nonce)
        return problem('invalid', 'Confirmation token is invalid');
      if (owner.confirmed) return { events: [], reply: {} };
      return { events: [{ type: 'emailConfirmed', atMs: nowMs }], reply: {} };
    },
    credentials({ owner, moderation }) {
      return { events: [], reply: credentialsOf(owner, moderation) };
    },
  },
  apply: {
    registered(state, event) {
      state.owner = {
        username: event.username,
        email: event.email,
        passwordHash: event.passwordHash,
        role: event.role,
        confirmed: event.confirmed,
        approved: event.approved,
        disabled: false,
        locale: event.locale,
        clientId: event.clientId,
        confirmationNonce: event.confirmationNonce,
        createdAtMs: event.atMs,
        reason: event.reason,
        signUpAddress: event.signUpAddress,
        invitedBy: event.invitedBy,
        undelivered: undefined,
      };
    },
    unregistered(state) {
      state.owner = undefined;
    },
    emailConfirmed(state) {
      if (state.owner === undefined) return;
      state.owner.confirmed = true;
      state.owner.undelivered = undefined;
    },
  },
  commands: {
    register: {
      in: codec('murmuration.account.Register'),
      out: empty,
      repeats: 'idempotent',
      local: true,
      unregistered: true,
    },
    unregister: { in: empty, out: empty, repeats: 'idempotent', local: true },
    confirmEmail: { in: codec('murmuration.account.ConfirmEmail'), out: empty, repeats: 'keyed', local: true },
    credentials: {
      in: empty,
      out: codec('murmuration.account.Credentials'),
      repeats: 'query',
      local: true,
      unregistered: true,
    },
  },
  events: {
    registered: { codec: codec('murmuration.account.Registered'), invalidates: false },
    unregistered: { codec: codec('murmuration.account.Unregistered'), invalidates: true, forgets: true },
    emailConfirmed: { codec: codec('murmuration.account.EmailConfirmed'), invalidates: false },
  },
};

const usernameRule = 'must contain only letters, numbers and underscores';

function invalid(field: string, label: string, error: string, description: string) {
  return problem('invalid', `Validation failed: ${label} ${description}`, { [field]: [{ error, description }] });
}

function credentialsOf(
  owner: Owner | undefined,
  { suspendedAtMs, memorial }: State['moderation'],
): P.AccountCredentials {
  return {
    exists: owner !== undefined,
    username: owner?.username ?? '',
    email: owner?.email ?? '',
    passwordHash: owner?.passwordHash ?? '',
    role: owner?.role ?? '',
    confirmed: owner?.confirmed ?? false,
    approved: owner?.approved ?? false,
    disabled: owner?.disabled === true || memorial === true,
    clientId: owner?.clientId,
    suspended: suspendedAtMs > 0,
    memorial: memorial === true,
  };
}
