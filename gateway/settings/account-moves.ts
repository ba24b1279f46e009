import { accountUri, isLocal } from '../../actors/domain/addresses.js';
import { isProblem, type Problem } from '../../actors/domain/problem.js';
import { isThere } from '../../actors/domain/standing.js';
import { isMissing } from '../../actors/federation/remote/port.js';
import type { StoreAccountRecord } from '../../proto/gen/types.js';
import { accounts } from '../../store/tables.js';
import { findAccount } from '../discovery/find-remote.js';
import type { Services } from '../http/services.js';

type Moving = Pick<Services, 'registry' | 'instance' | 'federation' | 'tables' | 'askAccount'>;

/**
 * Reasons against a change. `missing`: there is no such account. `silent`: its server does not answer. `moved`: it has
 * moved itself. `unnamed`: it does not name the account as its alias.
 */
export type MoveFault = 'missing' | 'silent' | 'moved' | 'unnamed';

/** A change that a fault prevents. */
export interface Prevented {
  readonly fault: MoveFault;
}

/** Adds an alias: an account, as `user@host`, that may move to this one. Returns all aliases. @throws Unavailable */
export async function addAlias(
  services: Moving,
  own: StoreAccountRecord,
  acct: string,
): Promise<readonly string[] | Prevented | Problem> {
  const other = await accountAt(services, acct);
  if (other === undefined) return { fault: 'missing' };
  return setAliases(services, own, [...aliasesOf(own), accountUri(services.instance.baseUrl, other)]);
}

/** Removes an alias, named by its address or as `user@host`. Returns all others. @throws Unavailable */
export async function removeAlias(
  services: Moving,
  own: StoreAccountRecord,
  name: string,
): Promise<readonly string[] | Prevented | Problem> {
  const other = name.includes('://') ? undefined : await accountAt(services, name);
  if (other === undefined && !name.includes('://')) return { fault: 'missing' };
  const gone = other === undefined ? name : accountUri(services.instance.baseUrl, other);
  return setAliases(
    services,
    own,
    aliasesOf(own).filter((uri) => uri !== gone),
  );
}

/** Moves an account to another that names it as its alias. Returns the address of the other one. @throws Unavailable */
export async function moveAccount(
  services: Moving,
  own: StoreAccountRecord,
  acct: string,
): Promise<string | Prevented | Problem> {
  const { baseUrl } = services.instance;
  const known = await accountAt(services, acct);
  if (known === undefined) return { fault: 'missing' };
  const target = await fresh(services, known);
  if (target === undefined) return { fault: 'silent' };
  if (target.movedTo !== undefined || (target.remote?.movedTo ?? '') !== '') return { fault: 'moved' };
  const aliases = isLocal(target) ? target.aliases?.uris : target.remote?.alsoKnownAs;
  if (aliases?.includes(accountUri(baseUrl, own)) !== true) return { fault: 'unnamed' };
  const targetUri = accountUri(baseUrl, target);
  const targetLocked = target.profile?.locked === true;
  const moved = await services.askAccount(own.id, 'move', { target: target.id, targetUri, targetLocked });
  return isProblem(moved) ? moved : targetUri;
}

/** Addresses of the accounts that may move to this one. */
export const aliasesOf = ({ aliases }: StoreAccountRecord): readonly string[] => aliases?.uris ?? [];

async function setAliases({ askAccount }: Moving, { id }: StoreAccountRecord, uris: readonly string[]) {
  const next = [...new Set(uris)];
  const set = await askAccount(id, 'setAliases', { uris: next });
  return isProblem(set) ? set : next;
}

/** Finds an account by `user@host`, at its server if it is not known here. */
async function accountAt(services: Moving, acct: string): Promise<StoreAccountRecord | undefined> {
  const id = await findAccount(services, acct, true);
  const record = id === undefined ? undefined : await services.tables.get(accounts, { account: id });
  return record !== undefined && isThere(record) ? record : undefined;
}

async function fresh({ federation }: Moving, record: StoreAccountRecord): Promise<StoreAccountRecord | undefined> {
  if (record.origin === undefined) return record;
  const found = await federation.people.find(record.origin.uri, { fresh: true });
  return isMissing(found) ? undefined : found;
}
