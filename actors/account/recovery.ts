import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { type Problem, problem } from '../domain/problem.js';
import type { Slice } from '../runtime/slice.js';
import { type Events as PasskeyEvents, type State as PasskeyState, passkeysEnded } from './passkeys.js';
import { revocations, type Events as SessionEvents, type State as SessionState } from './tokens.js';

export interface Commands {
  judgeResend: { in: P.AccountJudgeResend; out: P.AccountEmpty };
  resendConfirmation: { in: P.AccountResendConfirmation; out: P.AccountEmpty };
  askReset: { in: P.AccountAskReset; out: P.AccountEmpty };
  judgeReset: { in: P.AccountJudgeReset; out: P.AccountEmpty };
  resetPassword: { in: P.AccountResetPassword; out: P.AccountEmpty };
}
export interface Events {
  confirmationResent: P.AccountConfirmationResent;
  confirmationWithheld: P.AccountConfirmationWithheld;
  resetAsked: P.AccountResetAsked;
  resetUsed: P.AccountResetUsed;
}
export interface State extends SessionState, PasskeyState {
  confirmationSentAtMs: number;
  /** Time at which the address was changed last; 0: it is that of the sign-up. */
  emailChangedAtMs: number;
}

/**
 * Minimum interval between two mails with a link, so that nobody's inbox is flooded. It is a rate limit: with
 * RATE_LIMITS=off commands are `unlimited`.
 */
export const MAIL_PAUSE_MS = 60_000;
/** Source: Devise `reset_password_within`, as Mastodon sets it. */
export const RESET_LIFETIME_MS = 6 * 3_600_000;

const empty = codec('murmuration.account.Empty');
const NOTHING = { events: [], reply: {} };

/** Account recovery: another confirmation mail, and a new password by mail. */
export const recovery: Slice<
  State,
  Commands,
  Events,
  Pick<SessionEvents, 'tokenRevoked' | 'passwordChanged'> & Pick<PasskeyEvents, 'passkeyRemoved'>
> = {
  decide: {
    judgeResend: (state, command, { nowMs }) => refusedResend(state, command, nowMs) ?? NOTHING,
    resendConfirmation(state, { clientId, email, nonce, taken, unlimited }, { nowMs }) {
      const { owner } = state;
      const refused = refusedResend(state, { clientId, email, unlimited }, nowMs);
      if (refused !== undefined || owner === undefined) return refused ?? NOTHING;
      const isSame = email === undefined || email === owner.email;
      const isPaused = isSame && !unlimited && nowMs - state.confirmationSentAtMs < MAIL_PAUSE_MS;
      if (isPaused) return NOTHING;
      // An address that belongs to another account was never mailed.
      const former = isSame || owner.confirmationNonce === undefined ? undefined : owner.email;
      const sent = { email: email ?? owner.email, atMs: nowMs, former };
      const isWithheld = taken ?? (email === undefined && owner.confirmationNonce === undefined);
      if (isWithheld) return { events: [{ type: 'confirmationWithheld', ...sent }], reply: {} };
      return { events: [{ type: 'confirmationResent', ...sent, nonce }], reply: {} };
    },
    askReset({ owner, passwordReset }, { nonce, unlimited }, { nowMs }) {
      if (owner?.email === '') return NOTHING;
      const isPaused = passwordReset !== undefined && nowMs - passwordReset.askedAtMs < MAIL_PAUSE_MS;
      if (isPaused && !unlimited) return NOTHING;
      const event = { nonce, atMs: nowMs, expiresAtMs: nowMs + RESET_LIFETIME_MS };
      return { events: [{ type: 'resetAsked', ...event }], reply: {} };
    },
    judgeReset: (state, { nonce }, { nowMs }) => (isResetLink(state, nonce, nowMs) ? NOTHING : wrongLink()),
    resetPassword(state, { nonce, passwordHash }, { nowMs }) {
      if (!isResetLink(state, nonce, nowMs)) return wrongLink();
      return {
        events: [
          { type: 'resetUsed', atMs: nowMs },
          { type: 'passwordChanged', passwordHash, atMs: nowMs },
          ...revocations(state.tokens.keys()),
          // A stranger who was in the account may have added one, and would still come in by it.
          ...passkeysEnded(state),
        ],
        reply: {},
      };
    },
  },
  apply: {
    confirmationResent: (state, { email, nonce, atMs }) => sendTo(state, email, nonce, atMs),
    confirmationWithheld: (state, { email, atMs }) => sendTo(state, email, undefined, atMs),
    resetAsked(state, { nonce, atMs, expiresAtMs }) {
      state.passwordReset = { nonce, askedAtMs: atMs, expiresAtMs };
    },
    resetUsed(state) {
      state.passwordReset = undefined;
    },
  },
  commands: {
    judgeResend: { in: codec('murmuration.account.JudgeResend'), out: empty, repeats: 'idempotent', local: true },
    resendConfirmation: {
      in: codec('murmuration.account.ResendConfirmation'),
      out: empty,
      repeats: 'idempotent',
      local: true,
    },
    askReset: { in: codec('murmuration.account.AskReset'), out: empty, repeats: 'idempotent', local: true },
    judgeReset: { in: codec('murmuration.account.JudgeReset'), out: empty, repeats: 'query', local: true },
    resetPassword: { in: codec('murmuration.account.ResetPassword'), out: empty, repeats: 'keyed', local: true },
  },
  events: {
    confirmationResent: { codec: codec('murmuration.account.ConfirmationResent'), invalidates: false },
    confirmationWithheld: { codec: codec('murmuration.account.ConfirmationWithheld'), invalidates: false },
    resetAsked: { codec: codec('murmuration.account.ResetAsked'), invalidates: false },
    resetUsed: { codec: codec('murmuration.account.ResetUsed'), invalidates: false },
  },
};

/** Stores the mailed address. Without a nonce the address belongs to another account, and no link for it is valid. */
function sendTo(state: State, email: string, nonce: string | undefined, atMs: number): void {
  state.confirmationSentAtMs = atMs;
  if (state.owner === undefined) return;
  // A reset link was mailed to the previous address, which may be a stranger's.
  if (state.owner.email !== email) {
    state.passwordReset = undefined;
    state.emailChangedAtMs = atMs;
    state.owner.undelivered = undefined;
  }
  state.owner.email = email;
  state.owner.confirmationNonce = nonce;
}

/** Returns the refusal that the application receives, if there is one. */
function refusedResend(
  state: Readonly<State>,
  { clientId, email, unlimited }: P.AccountJudgeResend,
  nowMs: number,
): Problem | undefined {
  const { owner } = state;
  if (owner === undefined || owner.clientId !== clientId)
    return problem('forbidden', 'This method is only available to the application the user originally signed-up with');
  if (owner.confirmed)
    return problem('forbidden', 'This method is only available while the e-mail is awaiting confirmation');
  const isSame = email === undefined || email === owner.email;
  // The first correction of an address is never refused. Further ones pause, as a new account could flood strangers'
  // inboxes otherwise.
  const isTooSoon = !isSame && !unlimited && nowMs - state.emailChangedAtMs < MAIL_PAUSE_MS;
  return isTooSoon ? problem('rate_limited', 'Too many requests') : undefined;
}

const isResetLink = ({ passwordReset }: Readonly<State>, nonce: string, nowMs: number) =>
  passwordReset?.nonce === nonce && passwordReset.expiresAtMs > nowMs;

const wrongLink = () => problem('invalid', 'Reset password token is invalid');
