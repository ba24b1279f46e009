import { isProblem, type Problem } from '../actors/domain/problem.js';
import type { Node } from '../compose/node.js';
import { nodeState } from '../compose/operating/node-load.js';
import type { Services } from '../gateway/http/services.js';
import { hashPassword } from '../gateway/oauth/passwords.js';
import { parseScopes } from '../gateway/oauth/scopes.js';
import { signUp } from '../gateway/oauth/sign-up.js';
import { issueToken } from '../gateway/oauth/tokens.js';
import { type EmojiOperations, emojiOperations } from './emoji.js';
import { type BlockListOperations, blockListOperations } from './federation/block-lists.js';
import { type BlockOperations, blockOperations } from './federation/blocks.js';
import { type FederationOperations, federationOperations } from './federation/hosts.js';
import { type AccountMoves, accountMoves } from './federation/moves.js';
import { type RelayOperations, relayOperations } from './federation/relays.js';
import { type InstanceOperations, instanceOperations } from './instance.js';
import { Refused } from './refused.js';
import { type SecondFactorOperations, secondFactorOperations } from './second-factor.js';

/** Operations of the command line on a node; the same for a running node and for one that the command opens itself. */
export interface Operations
  extends InstanceOperations,
    EmojiOperations,
    FederationOperations,
    BlockOperations,
    BlockListOperations,
    RelayOperations,
    AccountMoves,
    SecondFactorOperations {
  'account.create': { in: NewAccount; out: { id: string; username: string; token?: string } };
  'token.create': { in: { username: string; scopes: string }; out: { token: string } };
  status: { in: object; out: object };
  drain: { in: object; out: object };
}
export type OperationName = keyof Operations;

export interface NewAccount {
  readonly username: string;
  readonly email: string;
  readonly password: string;
  readonly role?: string;
  readonly confirmed?: boolean;
  /** The account waits for a moderator's approval. */
  readonly pending?: boolean;
  readonly token?: { readonly scopes: string };
  /** Use a cheap hash, for load tests only. */
  readonly testPassword?: boolean;
}

export { Refused } from './refused.js';

const ROLES = ['user', 'moderator', 'admin', 'owner'];
/** Client of the tokens made here; it has no secret, so nobody can act as it. */
const CLI_CLIENT = 'murmuration-cli';

export async function operate<N extends OperationName>(
  node: Node,
  name: N,
  input: Operations[N]['in'],
  drain: () => void,
): Promise<Operations[N]['out']> {
  const table: { [K in OperationName]: (input: Operations[K]['in']) => Promise<Operations[K]['out']> } = {
    'account.create': (account) => createAccount(node.services, account),
    'token.create': (wanted) => createToken(node.services, wanted.username, wanted.scopes),
    'instance.put': (entry) => instanceOperations['instance.put'](node, entry),
    'instance.remove': (entry) => instanceOperations['instance.remove'](node, entry),
    'instance.audit': (wanted) => instanceOperations['instance.audit'](node, wanted),
    'instance.list': (wanted) => instanceOperations['instance.list'](node, wanted),
    'emoji.add': (wanted) => emojiOperations['emoji.add'](node, wanted),
    'emoji.remove': (wanted) => emojiOperations['emoji.remove'](node, wanted),
    'emoji.list': (wanted) => emojiOperations['emoji.list'](node, wanted),
    'account.alias': (wanted) => accountMoves['account.alias'](node, wanted),
    'account.move': (wanted) => accountMoves['account.move'](node, wanted),
    'account.endSecondFactor': (wanted) => secondFactorOperations['account.endSecondFactor'](node, wanted),
    'federation.blocks': (wanted) => blockOperations['federation.blocks'](node, wanted),
    'federation.block': (wanted) => blockOperations['federation.block'](node, wanted),
    'blockList.add': (wanted) => blockListOperations['blockList.add'](node, wanted),
    'blockList.remove': (wanted) => blockListOperations['blockList.remove'](node, wanted),
    'blockList.list': (wanted) => blockListOperations['blockList.list'](node, wanted),
    'blockList.diff': (wanted) => blockListOperations['blockList.diff'](node, wanted),
    'blockList.apply': (wanted) => blockListOperations['blockList.apply'](node, wanted),
    'relay.add': (wanted) => relayOperations['relay.add'](node, wanted),
    'relay.remove': (wanted) => relayOperations['relay.remove'](node, wanted),
    'relay.list': (wanted) => relayOperations['relay.list'](node, wanted),
    'federation.hosts': (wanted) => federationOperations['federation.hosts'](node, wanted),
    'federation.show': (wanted) => federationOperations['federation.show'](node, wanted),
    'federation.steer': (wanted) => federationOperations['federation.steer'](node, wanted),
    status: async () => nodeState(node),
    drain: async () => {
      drain();
      return node.status();
    },
  };
  const operation = Object.hasOwn(table, name) ? table[name] : undefined;
  if (operation === undefined) throw new Refused(`there is no operation ${name}`);
  return operation(input);
}

async function createAccount(services: Services, account: NewAccount): Promise<Operations['account.create']['out']> {
  const { username, email, password, role = 'user', confirmed = false } = account;
  if (![username, email, password].every((text) => typeof text === 'string' && text !== '')) {
    throw new Refused('username, email and password are needed');
  }
  if (!ROLES.includes(role)) throw new Refused(`role must be one of ${ROLES.join(', ')}`);
  const scopes = account.token === undefined ? undefined : scopesOf(account.token.scopes);
  const made = accepted(
    await signUp(services, {
      username,
      email,
      password,
      role,
      confirmed,
      approved: account.pending !== true,
      locale: 'en',
      hash: (text: string) => hashPassword(text, { cheap: account.testPassword === true }),
    }),
  );
  if (scopes === undefined) return { id: made.id, username };
  const token = accepted(await issueToken(services, made.id, CLI_CLIENT, scopes, 'access'));
  return { id: made.id, username, token };
}

async function createToken(services: Services, username: string, scopes: string): Promise<{ token: string }> {
  const id = await services.registry.find(`acct:${username.toLowerCase()}`);
  if (id === undefined) throw new Refused(`there is no account ${username}`);
  return { token: accepted(await issueToken(services, id, CLI_CLIENT, scopesOf(scopes), 'access')) };
}

function scopesOf(text: unknown): string[] {
  const scopes = typeof text === 'string' ? parseScopes(text) : undefined;
  if (scopes === undefined) throw new Refused('scopes must be known scopes, separated by spaces');
  return scopes;
}

function accepted<T>(value: T | Problem): T {
  if (isProblem(value)) throw new Refused(value.detail);
  return value;
}
