import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { problem } from '../domain/problem.js';
import type { Slice } from '../runtime/slice.js';
import { LazySet } from '../runtime/state/lazy-collections.js';

export interface Commands {
  secondFactor: { in: P.AccountEmpty; out: P.AccountSecondFactor };
  enableOtp: { in: P.AccountEnableOtp; out: P.AccountEmpty };
  disableOtp: { in: P.AccountEmpty; out: P.AccountEmpty };
  useOtp: { in: P.AccountOtpStep; out: P.AccountEmpty };
  useRecoveryCode: { in: P.AccountRecoveryCode; out: P.AccountEmpty };
}
export interface Events {
  otpEnabled: P.AccountOtpEnabled;
  otpDisabled: P.AccountOtpDisabled;
  otpUsed: P.AccountOtpStep;
  recoveryCodeUsed: P.AccountRecoveryCode;
}
export interface State {
  /** The second factor of sign-ins; undefined: the password is enough. */
  otp: { readonly nonce: string; step: number; readonly recoveryHashes: LazySet<string> } | undefined;
}

/** Recovery codes of an account: enough for years, few enough for a sheet of paper. */
export const RECOVERY_CODES_MAX = 10;

const empty = codec('murmuration.account.Empty');
const NOTHING = { events: [], reply: {} };
const wrongCode = () => problem('forbidden', 'This code is wrong or was used already');

/** Codes by time as a second factor. The gateway checks a code; the account sees to it that each is used once. */
export const secondFactor: Slice<State, Commands, Events> = {
  decide: {
    secondFactor: ({ otp }) => ({
      events: [],
      reply: { ...(otp !== undefined && { nonce: otp.nonce }), recoveryCodes: otp?.recoveryHashes.size ?? 0 },
    }),
    enableOtp({ otp }, command, { nowMs }) {
      if (otp !== undefined) return problem('invalid', 'There is a second factor already');
      if (command.recoveryHashes.length > RECOVERY_CODES_MAX) return problem('invalid', 'Too many recovery codes');
      return { events: [{ type: 'otpEnabled', ...command, atMs: nowMs }], reply: {} };
    },
    disableOtp({ otp }, _command, { nowMs }) {
      return otp === undefined ? NOTHING : { events: [{ type: 'otpDisabled', atMs: nowMs }], reply: {} };
    },
    useOtp({ otp }, { step }) {
      // A code that somebody watched is worth nothing after its use. Source: RFC 6238 §5.2.
      if (otp === undefined || step <= otp.step) return wrongCode();
      return { events: [{ type: 'otpUsed', step }], reply: {} };
    },
    useRecoveryCode({ otp }, { hash }) {
      if (otp?.recoveryHashes.has(hash) !== true) return wrongCode();
      return { events: [{ type: 'recoveryCodeUsed', hash }], reply: {} };
    },
  },
  apply: {
    otpEnabled(state, { nonce, step, recoveryHashes }) {
      state.otp = { nonce, step, recoveryHashes: new LazySet(recoveryHashes) };
    },
    otpDisabled(state) {
      state.otp = undefined;
    },
    otpUsed({ otp }, { step }) {
      if (otp !== undefined) otp.step = step;
    },
    recoveryCodeUsed: ({ otp }, { hash }) => void otp?.recoveryHashes.delete(hash),
  },
  commands: {
    secondFactor: { in: empty, out: codec('murmuration.account.SecondFactor'), repeats: 'query', local: true },
    enableOtp: { in: codec('murmuration.account.EnableOtp'), out: empty, repeats: 'never', local: true },
    disableOtp: { in: empty, out: empty, repeats: 'idempotent', local: true },
    useOtp: { in: codec('murmuration.account.OtpStep'), out: empty, repeats: 'never', local: true },
    useRecoveryCode: { in: codec('murmuration.account.RecoveryCode'), out: empty, repeats: 'never', local: true },
  },
  events: {
    otpEnabled: { codec: codec('murmuration.account.OtpEnabled'), invalidates: false },
    otpDisabled: { codec: codec('murmuration.account.OtpDisabled'), invalidates: false },
    otpUsed: { codec: codec('murmuration.account.OtpStep'), invalidates: false },
    recoveryCodeUsed: { codec: codec('murmuration.account.RecoveryCode'), invalidates: false },
  },
};
