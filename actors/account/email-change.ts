import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { type Problem, problem } from '../domain/problem.js';
import type { Slice } from '../runtime/slice.js';
import { MAIL_PAUSE_MS } from './recovery.js';
import { EMAIL_CHARS_MAX } from './register.js';
import type { State as SessionState } from './tokens.js';

export interface Commands {
  askEmailChange: { in: P.AccountAskEmailChange; out: P.AccountEmpty };
  judgeEmailChange: { in: P.AccountEmailChangeLink; out: P.AccountEmailChange };
  confirmEmailChange: { in: P.AccountEmailChangeLink; out: P.AccountEmpty };
}
export interface Events {
  emailChangeAsked: P.AccountEmailChangeAsked;
  emailChanged: P.AccountEmailChanged;
}
export interface State extends SessionState {
  /** The last address that the owner asked for, until it is confirmed. */
  emailChange: P.AccountEmailChangeAsked | undefined;
  /** The change that was confirmed last: its link stays good, because the answer to the first opening may be lost. */
  confirmedEmailChange: P.AccountEmailChangeAsked | undefined;
}

/** A link is valid for a day: mail may be delayed for hours, and another link is easily had. */
export const EMAIL_CHANGE_LIFETIME_MS = 86_400_000;

const empty = codec('murmuration.account.Empty');
const link = codec('murmuration.account.EmailChangeLink');

/** Another e-mail address of a confirmed account. It counts once its mailed link is opened. */
export const emailChange: Slice<State, Commands, Events> = {
  decide: {
    askEmailChange({ owner, emailChange: asked }, { email, nonce, taken, unlimited }, { nowMs }) {
      if (owner?.confirmed !== true) return problem('forbidden', 'The present e-mail address is not confirmed');
      if (email.length > EMAIL_CHARS_MAX) return problem('invalid', 'The e-mail address is too long');
      if (email.toLowerCase() === owner.email.toLowerCase())
        return problem('invalid', 'The account has this e-mail address');
      if (asked !== undefined && !unlimited && nowMs - asked.atMs < MAIL_PAUSE_MS)
        return problem('rate_limited', 'Too many requests');
      const event = { email, atMs: nowMs, expiresAtMs: nowMs + EMAIL_CHANGE_LIFETIME_MS };
      return { events: [{ type: 'emailChangeAsked', ...event, ...(!taken && { nonce }) }], reply: {} };
    },
    judgeEmailChange(state, { nonce }, { nowMs }) {
      const { owner, emailChange: asked } = state;
      if (owner !== undefined && isUsedLink(state, nonce, nowMs))
        return { events: [], reply: { email: owner.email, former: owner.email } };
      if (owner === undefined || asked === undefined || !isLink(asked, nonce, nowMs)) return wrongLink();
      return { events: [], reply: { email: asked.email, former: owner.email } };
    },
    confirmEmailChange(state, { nonce }, { nowMs }) {
      const { owner, emailChange: asked } = state;
      if (isUsedLink(state, nonce, nowMs)) return { events: [], reply: {} };
      if (owner === undefined || asked === undefined || !isLink(asked, nonce, nowMs)) return wrongLink();
      const event = { email: asked.email, former: owner.email, atMs: nowMs };
      return { events: [{ type: 'emailChanged', ...event }], reply: {} };
    },
  },
  apply: {
    emailChangeAsked(state, { email, nonce, atMs, expiresAtMs }) {
      state.emailChange = { email, nonce, atMs, expiresAtMs };
    },
    emailChanged(state, { email }) {
      state.confirmedEmailChange = state.emailChange;
      state.emailChange = undefined;
      // A reset link was mailed to the former address, to which somebody else may have access.
      state.passwordReset = undefined;
      if (state.owner === undefined) return;
      state.owner.email = email;
      state.owner.undelivered = undefined;
    },
  },
  commands: {
    askEmailChange: { in: codec('murmuration.account.AskEmailChange'), out: empty, repeats: 'keyed', local: true },
    judgeEmailChange: { in: link, out: codec('murmuration.account.EmailChange'), repeats: 'query', local: true },
    confirmEmailChange: { in: link, out: empty, repeats: 'keyed', local: true },
  },
  events: {
    emailChangeAsked: { codec: codec('murmuration.account.EmailChangeAsked'), invalidates: false },
    emailChanged: { codec: codec('murmuration.account.EmailChanged'), invalidates: false },
  },
};

const isLink = (asked: P.AccountEmailChangeAsked, nonce: string, nowMs: number): boolean =>
  asked.nonce === nonce && asked.expiresAtMs > nowMs;

/** Returns true if the link was opened before and the account still has the address that it confirmed. */
function isUsedLink({ owner, confirmedEmailChange: done }: Readonly<State>, nonce: string, nowMs: number): boolean {
  return done !== undefined && done.email === owner?.email && isLink(done, nonce, nowMs);
}

const wrongLink = (): Problem => problem('invalid', 'Confirmation token is invalid');
