import { isProblem } from '../actors/domain/problem.js';
import type { Node } from '../compose/node.js';
import { Refused } from './refused.js';
import { type Declare, printLine, type WithRun } from './running.js';

/** Operations of the command line on second factors. */
export interface SecondFactorOperations {
  /** `ended` is false if the account had none. */
  'account.endSecondFactor': { in: { username: string }; out: { ended: boolean } };
}

/** Implements the operations on a node. */
export const secondFactorOperations: {
  readonly [K in keyof SecondFactorOperations]: (
    node: Node,
    input: SecondFactorOperations[K]['in'],
  ) => Promise<SecondFactorOperations[K]['out']>;
} = {
  async 'account.endSecondFactor'({ services }, { username }) {
    const id = await services.registry.find(`acct:${String(username).toLowerCase()}`);
    const factor = id === undefined ? undefined : await services.askAccount(id, 'secondFactor', {});
    if (id === undefined || factor === undefined) throw new Refused(`there is no account ${username}`);
    if (isProblem(factor)) throw new Refused(factor.detail);
    if (factor.nonce === undefined) return { ended: false };
    const ended = await services.askAccount(id, 'disableOtp', {});
    if (isProblem(ended)) throw new Refused(ended.detail);
    return { ended: true };
  },
};

/** Adds `account end-second-factor` to the program. */
export function addSecondFactorCommand(command: Declare, withRun: WithRun<SecondFactorOperations>): void {
  command(
    'end-second-factor <name>',
    'remove the second factor of an account whose owner has lost it; the password stays',
  ).action((username, flags) =>
    withRun(flags, async (run) => printLine(await run('account.endSecondFactor', { username }))),
  );
}
