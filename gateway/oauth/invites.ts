import { type FieldError, isProblem, type Problem, problem } from '../../actors/domain/problem.js';
import type { AccountEmpty, AccountInviteUse } from '../../proto/gen/types.js';
import type { Services } from '../http/services.js';
import { type SignUp, signUp } from './sign-up.js';

type Asking = Pick<Services, 'keyedTokens' | 'askAccount'>;

/** Returns a refusal if nobody can sign up with the invitation now. A forged one asks nobody. @throws Unavailable */
export async function judgeInvite(
  { keyedTokens, askAccount }: Asking,
  invite: string,
): Promise<AccountEmpty | Problem> {
  const content = keyedTokens.read('invite', invite);
  return content === undefined ? useless() : askAccount(content.account, 'judgeInvite', { nonce: content.nonce });
}

/** Sign-up of a person, and how the server has judged it (sign-up-limits.ts). */
interface Invited extends Omit<SignUp, 'approved' | 'invitedBy'> {
  /** Invitation of somebody who has an account; empty without one. */
  readonly invite: string;
  /** True if moderators must approve even an invited person. */
  readonly waits: boolean;
}

/** Returns true if people without a valid invitation cannot sign up. */
export const needsInvite = ({ instance }: Pick<Services, 'instance'>): boolean => instance.registrations === 'closed';

/**
 * Signs up, with an invitation or without one. An invited person needs neither open registrations nor an approval.
 * One use of the invitation is taken before the account exists, so that no race exceeds the limit; a crash between loses
 * the use, unless the request is repeated with the same id. A refused sign-up gives the use back.
 * @throws Unavailable; see `signUp`
 */
export async function signUpInvited(
  services: Parameters<typeof signUp>[0] & Asking & Pick<Services, 'instance'>,
  { invite, waits, ...wanted }: Invited,
): Promise<{ readonly id: string } | Problem> {
  if (invite === '') {
    if (needsInvite(services)) return problem('forbidden', 'This action is not allowed');
    return signUp(services, { ...wanted, approved: services.instance.registrations === 'open' && !waits });
  }
  const content = services.keyedTokens.read('invite', invite);
  if (content === undefined) return useless();
  const id = wanted.id ?? (await services.newAccountId());
  const use = { nonce: content.nonce, account: id };
  const used: AccountInviteUse | Problem = await services.askAccount(content.account, 'useInvite', use);
  if (isProblem(used)) return useless();
  const made = await signUp(services, { ...wanted, id, invitedBy: content.account, approved: !waits });
  // A repeat gives nothing back: the account of the first attempt may exist.
  if (isProblem(made) && used.taken) await services.askAccount(content.account, 'returnInvite', use);
  return made;
}

/** The field of `useless`. */
const FIELD = 'invite_code';
const USELESS: FieldError = { error: 'ERR_INVALID', description: 'is forged, expired, used up or revoked' };

const useless = (): Problem =>
  problem('invalid', `Validation failed: Invite code ${USELESS.description}`, { [FIELD]: [USELESS] });

/** Returns true if a sign-up was refused because its invitation is not valid. */
export const isUselessInvite = ({ fields = {} }: Problem): boolean => FIELD in fields;
