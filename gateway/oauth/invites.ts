import { type Problem, problem } from '../../actors/domain/problem.js';
import type { AccountEmpty } from '../../proto/gen/types.js';
import type { Services } from '../http/services.js';

type Asking = Pick<Services, 'keyedTokens' | 'askAccount'>;

/** Sends a command on an invitation to its owner's account. A forged one asks nobody. */
const asking =
  (command: 'judgeInvite' | 'useInvite' | 'returnInvite') =>
  async ({ keyedTokens, askAccount }: Asking, invite: string): Promise<AccountEmpty | Problem> => {
    const content = keyedTokens.read('invite', invite);
    if (content === undefined) return problem('not_found', 'This invitation is not valid');
    return askAccount(content.account, command, { nonce: content.nonce });
  };

/** Returns a refusal if nobody can sign up with the invitation now. @throws Unavailable */
export const judgeInvite = asking('judgeInvite');

/** Takes one use of an invitation; durable when resolved. @throws Unavailable; the use may be taken */
export const useInvite = asking('useInvite');

/** Gives back a use whose sign-up was refused. @throws Unavailable */
export const returnInvite = asking('returnInvite');
