import { Secret, TOTP } from 'otpauth';
import { NONCE_BYTES, type TokenContent } from '../../../actors/domain/keyed-tokens.js';
import { isProblem } from '../../../actors/domain/problem.js';
import { tokenHash } from '../../http/authenticator.js';
import type { Services } from '../../http/services.js';
import { newNonce } from '../clients.js';
import { guardsOf } from '../guards.js';
import { timedNonce, timeOf } from './timed-nonce.js';

/** Source: RFC 6238 §5.2. */
const STEP_MS = 30_000;
/** Steps before and after the present one whose codes fit: clocks of phones differ. Source: RFC 6238 §5.2. */
const WINDOW = 1;
/** 80 bits: nobody finds a code by its hash. */
const RECOVERY_BYTES = 10;
/** Time to type a code after the password. */
const TICKET_LIFETIME_MS = 600_000;

type Keys = Pick<Services, 'keyedTokens' | 'instance' | 'clock'>;

function totpOf(
  { keyedTokens, instance }: Pick<Keys, 'keyedTokens' | 'instance'>,
  content: TokenContent,
  label: string,
) {
  const { buffer } = keyedTokens.otpSecret(content);
  const secret = new Secret({ buffer: buffer as ArrayBuffer });
  return new TOTP({ issuer: instance.domain, label, secret });
}

/** A second factor that is being set up. */
export interface Enrolment {
  /** Value that the form sends back. */
  readonly token: string;
  /** Address for the QR code. */
  readonly uri: string;
  /** The secret, for people who type it. */
  readonly secret: string;
}

/** Returns a new second factor, or the one of a form that is shown again. */
export function enrolmentOf(
  services: Keys & Pick<Services, 'random'>,
  { id, username }: { readonly id: string; readonly username: string },
  typed?: string,
): Enrolment {
  const known = typed === undefined ? undefined : services.keyedTokens.read('otp', typed);
  const content = known?.account === id ? known : { account: id, nonce: newNonce(services) };
  const totp = totpOf(services, content, username);
  return { token: services.keyedTokens.make('otp', content), uri: totp.toString(), secret: totp.secret.base32 };
}

/** Returns the step of a code that fits now; undefined if it does not fit. */
export function stepOf(services: Keys, content: TokenContent, code: string): number | undefined {
  const token = code.replaceAll(/\s/g, '');
  if (!/^\d{6}$/.test(token)) return undefined;
  const nowMs = services.clock.nowMs();
  const delta = totpOf(services, content, '').validate({ token, timestamp: nowMs, window: WINDOW });
  return delta === null ? undefined : Math.floor(nowMs / STEP_MS) + delta;
}

/** Returns a recovery code: four groups of four letters and digits. */
export function newRecoveryCode({ random }: Pick<Services, 'random'>): string {
  const { buffer } = Uint8Array.from(random.bytes(RECOVERY_BYTES));
  return new Secret({ buffer }).base32.toLowerCase().replaceAll(/(.{4})(?=.)/g, '$1-');
}

/** Returns the hash of a recovery code as typed. */
export const recoveryHash = (code: string): string => tokenHash(code.toLowerCase().replaceAll(/[^a-z2-7]/g, ''));

/**
 * Uses a code of the second factor, or a recovery code. `too_many`: wrong codes are over the limit.
 * @param browser a browser with which the owner has signed in; strangers cannot use up its attempts
 * @throws Unavailable
 */
export async function useCode(
  services: Keys & Pick<Services, 'askAccount' | 'registry' | 'caches'>,
  account: string,
  code: string,
  browser: TokenContent | undefined,
): Promise<'fits' | 'wrong' | 'too_many'> {
  const { wrongCodes, wrongCodesOfDay } = guardsOf(services);
  const key = browser?.account === account ? `browser ${browser.nonce}` : `id ${account}`;
  // The attempt is counted before the check, so that concurrent ones cannot exceed the limit.
  const isWithin = wrongCodes.take(key) && wrongCodesOfDay.take(key);
  if (services.instance.rateLimits && !isWithin) return 'too_many';
  const factor = await services.askAccount(account, 'secondFactor', {});
  if (isProblem(factor) || factor.nonce === undefined) return 'wrong';
  const step = stepOf(services, { account, nonce: factor.nonce }, code);
  const used =
    step === undefined
      ? await services.askAccount(account, 'useRecoveryCode', { hash: recoveryHash(code) })
      : await services.askAccount(account, 'useOtp', { step });
  if (isProblem(used)) return 'wrong';
  wrongCodes.giveBack(key);
  wrongCodesOfDay.giveBack(key);
  return 'fits';
}

/** Returns the proof that the password of an account was right. It is good for ten minutes. */
export function newTicket({ keyedTokens, clock, random }: Keys & Pick<Services, 'random'>, account: string): string {
  return keyedTokens.make('ticket', { account, nonce: timedNonce(clock.nowMs(), random.bytes(NONCE_BYTES)) });
}

/** Returns the account whose password was right; undefined if the ticket is forged or old. */
export function accountOfTicket({ keyedTokens, clock }: Keys, ticket: string): string | undefined {
  const content = keyedTokens.read('ticket', ticket);
  if (content === undefined) return undefined;
  return clock.nowMs() - timeOf(content.nonce) < TICKET_LIFETIME_MS ? content.account : undefined;
}
