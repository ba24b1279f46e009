import { accountUri, isLocal } from '../../actors/domain/addresses.js';
import { isProblem, type Problem } from '../../actors/domain/problem.js';
import { isThere } from '../../actors/domain/standing.js';
import { isMissing } from '../../actors/federation/remote/port.js';
import type { Node } from '../../compose/node.js';
import { findAccount } from '../../gateway/discovery/find-remote.js';
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
  async 'account.alias'(node, { username, add, remove }) {
    const own = await localOf(node, username);
    const { baseUrl } = node.services.instance;
    let uris = own.aliases?.uris ?? [];
    if (add !== undefined) uris = [...uris, accountUri(baseUrl, await accountOf(node, add))];
    if (remove !== undefined) {
      const gone = remove.includes('://') ? remove : accountUri(baseUrl, await accountOf(node, remove));
      uris = uris.filter((uri) => uri !== gone);
    }
    accepted(await node.services.askAccount(own.id, 'setAliases', { uris }));
    return { aliases: [...new Set(uris)] };
  },
  async 'account.move'(node, { username, to }) {
    const own = await localOf(node, username);
    if (to === undefined) {
      accepted(await node.services.askAccount(own.id, 'endMove', {}));
      return { movedTo: null };
    }
    const { baseUrl } = node.services.instance;
    const target = await fresh(node, await accountOf(node, to));
    const uri = accountUri(baseUrl, own);
    const targetUri = accountUri(baseUrl, target);
    if (target.movedTo !== undefined || (target.remote?.movedTo ?? '') !== '')
      throw new Refused(`${to} has moved itself`);
    const aliases = isLocal(target) ? target.aliases?.uris : target.remote?.alsoKnownAs;
    if (aliases?.includes(uri) !== true)
      throw new Refused(`${to} does not name ${uri} as its alias; an account is read again after 5 minutes`);
    const targetLocked = target.profile?.locked === true;
    accepted(await node.services.askAccount(own.id, 'move', { target: target.id, targetUri, targetLocked }));
    return { movedTo: targetUri };
  },
};

async function localOf({ services }: Node, username: string): Promise<StoreAccountRecord> {
  const id = await services.registry.find(`acct:${String(username).toLowerCase()}`);
  const record = id === undefined ? undefined : await services.tables.get(accounts, { account: id });
  if (record === undefined || !isLocal(record)) throw new Refused(`there is no account ${username}`);
  return record;
}

/** Finds an account by `user@host`, at its server if it is not known here. */
async function accountOf({ services }: Node, name: string): Promise<StoreAccountRecord> {
  const id = await findAccount(services, String(name), true);
  const record = id === undefined ? undefined : await services.tables.get(accounts, { account: id });
  if (record === undefined || !isThere(record)) throw new Refused(`${name} is not found`);
  return record;
}

async function fresh({ services }: Node, record: StoreAccountRecord): Promise<StoreAccountRecord> {
  if (record.origin === undefined) return record;
  const found = await services.federation.people.find(record.origin.uri, { fresh: true });
  if (isMissing(found)) throw new Refused('the server of the other account does not answer');
  return found;
}

function accepted(answer: object | Problem): void {
  if (isProblem(answer)) throw new Refused(answer.detail);
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
