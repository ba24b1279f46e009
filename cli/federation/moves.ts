import { accountUri, isLocal } from '../../actors/domain/addresses.js';
import { isProblem, type Problem } from '../../actors/domain/problem.js';
import type { Node } from '../../compose/node.js';
import {
  addAlias,
  aliasesOf,
  type MoveFault,
  moveAccount,
  type Prevented,
  removeAlias,
} from '../../gateway/settings/account-moves.js';
import type { StoreAccountRecord } from '../../proto/gen/types.js';
import { accounts } from '../../store/tables.js';
import { Refused } from '../refused.js';
import { type Declare, printLine, type WithRun } from '../running.js';

/** Operations of the command line on moves of accounts. */
export interface AccountMoves {
  /** `add`, `remove`: an account as `user@host`. Without both the aliases stay. */
  'account.alias': { in: { username: string; add?: string; remove?: string }; out: { aliases: readonly string[] } };
  /** Without `to` a move ends: the account can post again. */
  'account.move': { in: { username: string; to?: string }; out: { movedTo: string | null } };
}

/** Implements the operations on a node. */
export const accountMoves: {
  readonly [K in keyof AccountMoves]: (node: Node, input: AccountMoves[K]['in']) => Promise<AccountMoves[K]['out']>;
} = {
  async 'account.alias'({ services }, { username, add, remove }) {
    let own = await localOf(services, username);
    if (add !== undefined) {
      const uris = done(await addAlias(services, own, String(add)), add);
      own = { ...own, aliases: { uris: [...uris] } };
    }
    if (remove === undefined) return { aliases: aliasesOf(own) };
    return { aliases: done(await removeAlias(services, own, String(remove)), remove) };
  },
  async 'account.move'({ services }, { username, to }) {
    const own = await localOf(services, username);
    if (to !== undefined) {
      const uri = accountUri(services.instance.baseUrl, own);
      return { movedTo: done(await moveAccount(services, own, String(to)), to, uri) };
    }
    const ended = await services.askAccount(own.id, 'endMove', {});
    if (isProblem(ended)) throw new Refused(ended.detail);
    return { movedTo: null };
  },
};

async function localOf({ registry, tables }: Node['services'], username: string): Promise<StoreAccountRecord> {
  const id = await registry.find(`acct:${String(username).toLowerCase()}`);
  const record = id === undefined ? undefined : await tables.get(accounts, { account: id });
  if (record === undefined || !isLocal(record)) throw new Refused(`there is no account ${username}`);
  return record;
}

const FAULTS: Readonly<Record<MoveFault, (name: string, uri: string) => string>> = {
  missing: (name) => `${name} is not found`,
  silent: () => 'the server of the other account does not answer',
  moved: (name) => `${name} has moved itself`,
  unnamed: (name, uri) => `${name} does not name ${uri} as its alias; an account is read again after 5 minutes`,
};

/** Returns the result of a change. @throws Refused */
function done<T extends string | readonly string[]>(answer: T | Prevented | Problem, name: string, uri = ''): T {
  if (typeof answer === 'string' || Array.isArray(answer)) return answer as T;
  const refused = answer as Prevented | Problem;
  throw new Refused('fault' in refused ? FAULTS[refused.fault](name, uri) : refused.detail);
}

/** Adds `account alias` and `account move` to the program. */
export function addMoveCommands(command: Declare, withRun: WithRun<AccountMoves>): void {
  command('alias <name>', 'print the aliases of an account, or change them: accounts that may move to it')
    .option('--add <user@host>', 'one more')
    .option('--remove <user@host>', 'one less')
    .action((username, flags) =>
      withRun(flags, async (run) => {
        const { add, remove } = flags as Partial<Record<string, string>>;
        const change = { ...(add === undefined ? {} : { add }), ...(remove === undefined ? {} : { remove }) };
        printLine(await run('account.alias', { username, ...change }));
      }),
    );
  command('move <name> [user@host]', 'move an account to another that names it as its alias, with its followers')
    .option('--end', 'use the account again; its followers stay where they are')
    .action((username, to, flags) =>
      withRun(flags, async (run) => {
        if ((to === undefined) !== (flags.end === true)) throw new Refused('name the other account, or --end');
        printLine(await run('account.move', { username, ...(to === undefined ? {} : { to }) }));
      }),
    );
}
