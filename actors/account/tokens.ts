import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { type Problem, problem } from '../domain/problem.js';
import type { Recorded, Slice } from '../runtime/slice.js';
import type { LazyMap } from '../runtime/state/lazy-collections.js';
import type { State as RegisterState } from './register.js';
import { newSignIn, type Events as SignInEvents, type State as SignInState } from './sign-ins.js';

export interface Commands {
  changePassword: { in: P.AccountChangePassword; out: P.AccountEmpty };
  issueToken: { in: P.AccountIssueToken; out: P.AccountEmpty };
  revokeToken: { in: P.AccountRevokeToken; out: P.AccountEmpty };
  revokeOtherTokens: { in: P.AccountRevokeOtherTokens; out: P.AccountEmpty };
  heldTokens: { in: P.AccountEmpty; out: P.AccountHeldTokens };
  grantCode: { in: P.AccountGrantCode; out: P.AccountEmpty };
  exchangeCode: { in: P.AccountExchangeCode; out: P.AccountExchanged };
}
export interface Events {
  passwordChanged: P.AccountPasswordChanged;
  tokenIssued: P.AccountTokenIssued;
  tokenRevoked: P.AccountTokenRevoked;
  codeGranted: P.AccountCodeGranted;
  codeExchanged: P.AccountCodeExchanged;
}
export interface State extends RegisterState, SignInState {
  /** Tokens by SHA-256, oldest first, with their kind and the authorization code that they came from. */
  readonly tokens: LazyMap<string, { readonly codeHash: string | undefined; readonly kind: string }>;
  readonly codes: LazyMap<string, P.AccountCodeGranted & { used: boolean }>;
  /** Push subscriptions, each of which is removed with its token (push.ts). */
  readonly pushes: Pick<LazyMap<string, unknown>, 'delete'>;
  /** The last mailed link to set a new password. */
  passwordReset: { readonly nonce: string; readonly askedAtMs: number; readonly expiresAtMs: number } | undefined;
}

/** Bounds the tokens of one account's clients: more than anyone's devices; the oldest is revoked. */
export const TOKENS_MAX = 200;
/** Concurrent sign-ins; the oldest is dropped. */
export const CODES_MAX = 20;
/** RFC 6749 §4.1.2 recommends at most ten minutes. */
export const CODE_LIFETIME_MS = 600_000;

const empty = codec('murmuration.account.Empty');

/** Passwords, access tokens and authorization codes. The state holds only their hashes. */
export const tokens: Slice<State, Commands, Events, SignInEvents> = {
  decide: {
    changePassword({ owner, tokens }, { passwordHash }, { nowMs }) {
      if (owner?.passwordHash === passwordHash) return { events: [], reply: {} };
      return {
        events: [{ type: 'passwordChanged', passwordHash, atMs: nowMs }, ...revocations(tokens.keys())],
        reply: {},
      };
    },
    issueToken(state, { signIn, ...token }, { nowMs }) {
      if (state.tokens.has(token.tokenHash)) return { events: [], reply: {} };
      if (isShutOut(state)) return shutOut();
      const news = signIn === undefined ? [] : newSignIn(state, signIn, nowMs);
      // An application has a name of its own.
      const browser = token.kind === 'session' && signIn?.browser ? { browser: signIn.browser } : {};
      return { events: [...issue(state, { ...token, ...browser, atMs: nowMs }), ...news], reply: {} };
    },
    revokeToken({ tokens }, { tokenHash }) {
      return { events: tokens.has(tokenHash) ? revocations([tokenHash]) : [], reply: {} };
    },
    revokeOtherTokens: ({ tokens }, { tokenHash }) => ({
      events: revocations([...tokens.keys()].filter((hash) => hash !== tokenHash)),
      reply: {},
    }),
    heldTokens: ({ tokens }) => ({ events: [], reply: { hashes: [...tokens.keys()] } }),
    grantCode(state, command, { nowMs }) {
      if (state.codes.has(command.codeHash)) return { events: [], reply: {} };
      if (isShutOut(state)) return shutOut();
      return { events: [{ type: 'codeGranted', ...command, expiresAtMs: nowMs + CODE_LIFETIME_MS }], reply: {} };
    },
    exchangeCode(state, command, { nowMs }) {
      const { codeHash, tokenHash, clientId } = command;
      const code = state.codes.get(codeHash);
      if (code === undefined || code.expiresAtMs <= nowMs || !matches(code, command)) return invalidGrant();
      const scopes = code.scopes;
      if (code.used) {
        // RFC 6749 §4.1.2: a code that is used twice may have been stolen, and so may the tokens issued for it.
        const given = [...state.tokens].filter(([, token]) => token.codeHash === codeHash).map(([hash]) => hash);
        if (given.length === 0) return invalidGrant();
        return { events: revocations(given), reply: { scopes: [], atMs: nowMs, reused: true } };
      }
      const token = { tokenHash, clientId, scopes, kind: 'access', atMs: nowMs, codeHash };
      return {
        events: [{ type: 'codeExchanged', codeHash }, ...issue(state, token)],
        reply: { scopes, atMs: nowMs, reused: false },
      };
    },
  },
  apply: {
    passwordChanged: replacePassword,
    tokenIssued: ({ tokens }, { tokenHash, codeHash, kind }) => void tokens.set(tokenHash, { codeHash, kind }),
    tokenRevoked({ tokens, pushes }, { tokenHash }) {
      tokens.delete(tokenHash);
      pushes.delete(tokenHash);
    },
    codeGranted({ codes }, event) {
      codes.set(event.codeHash, { ...event, used: false });
      for (const hash of codes.keys()) {
        if (codes.size <= CODES_MAX) break;
        codes.delete(hash);
      }
    },
    codeExchanged({ codes }, { codeHash }) {
      const code = codes.get(codeHash);
      if (code !== undefined) code.used = true;
    },
  },
  commands: {
    changePassword: { in: codec('murmuration.account.ChangePassword'), out: empty, repeats: 'keyed', local: true },
    issueToken: { in: codec('murmuration.account.IssueToken'), out: empty, repeats: 'idempotent', local: true },
    revokeToken: { in: codec('murmuration.account.RevokeToken'), out: empty, repeats: 'idempotent', local: true },
    revokeOtherTokens: {
      in: codec('murmuration.account.RevokeOtherTokens'),
      out: empty,
      repeats: 'idempotent',
      local: true,
    },
    heldTokens: { in: empty, out: codec('murmuration.account.HeldTokens'), repeats: 'idempotent', local: true },
    grantCode: { in: codec('murmuration.account.GrantCode'), out: empty, repeats: 'idempotent', local: true },
    exchangeCode: {
      in: codec('murmuration.account.ExchangeCode'),
      out: codec('murmuration.account.Exchanged'),
      repeats: 'never',
      local: true,
    },
  },
  events: {
    passwordChanged: { codec: codec('murmuration.account.PasswordChanged'), invalidates: false },
    tokenIssued: { codec: codec('murmuration.account.TokenIssued'), invalidates: false },
    tokenRevoked: { codec: codec('murmuration.account.TokenRevoked'), invalidates: true },
    codeGranted: { codec: codec('murmuration.account.CodeGranted'), invalidates: false },
    codeExchanged: { codec: codec('murmuration.account.CodeExchanged'), invalidates: false },
  },
};

function issue({ tokens }: Readonly<State>, token: P.AccountTokenIssued): Recorded<Events>[] {
  const oldest = [...tokens.keys()].slice(0, Math.max(0, tokens.size + 1 - TOKENS_MAX));
  return [...revocations(oldest), { type: 'tokenIssued', ...token }];
}

/** Ends what could still become a token without the password: authorization codes and the mailed link. */
export function closeWaysIn(state: State): void {
  state.codes.clear();
  state.passwordReset = undefined;
}

/** Applies `passwordChanged`. */
function replacePassword(state: State, { passwordHash }: P.AccountPasswordChanged): void {
  if (state.owner !== undefined) state.owner.passwordHash = passwordHash;
  closeWaysIn(state);
}

/** Returns true when moderators keep the owner from signing in. */
export const isShutOut = ({ owner, moderation }: Readonly<Pick<State, 'owner' | 'moderation'>>) =>
  owner?.disabled === true || moderation.suspendedAtMs > 0 || moderation.deleted || moderation.memorial === true;

const shutOut = () => problem('forbidden', 'Your login is currently disabled');

/** Returns the events that revoke all browser sessions. */
export function sessionRevocations({ tokens }: Readonly<State>): Recorded<Pick<Events, 'tokenRevoked'>>[] {
  return revocations([...tokens].flatMap(([hash, { kind }]) => (kind === 'session' ? [hash] : [])));
}

/** Returns the events that revoke these tokens. */
export function revocations(hashes: Iterable<string>): Recorded<Pick<Events, 'tokenRevoked'>>[] {
  return Array.from(hashes, (tokenHash) => ({ type: 'tokenRevoked', tokenHash }));
}

/**
 * Compares the request with the code (RFC 6749 §4.1.3, RFC 7636 §4.6). A verifier for a code without challenge is a
 * downgrade (RFC 9700 §2.1.1).
 */
function matches(code: P.AccountCodeGranted, command: P.AccountExchangeCode): boolean {
  return (
    code.clientId === command.clientId &&
    code.redirectUri === command.redirectUri &&
    code.challenge === command.challenge
  );
}

function invalidGrant(): Problem {
  return problem(
    'bad_request',
    'The provided authorization grant is invalid, expired, revoked, does not match the redirection URI used in the authorization request, or was issued to another client.',
  );
}
