import { isThere } from '../../actors/domain/standing.js';
import type { StoreAccountRecord } from '../../proto/gen/types.js';
import type { Tables } from '../../store/port.js';
import { accounts } from '../../store/tables.js';

/** The dependencies of a search for local accounts. */
interface Names {
  readonly registry: { find(name: string): string | undefined | Promise<string | undefined> };
  readonly tables: Pick<Tables, 'get'>;
}

/** Returns the local account of a name, if others may see it. @throws Unavailable */
export async function localAccountNamed(
  { registry, tables }: Names,
  username: string,
): Promise<StoreAccountRecord | undefined> {
  const id = await registry.find(`acct:${username.toLowerCase()}`);
  const record = id === undefined ? undefined : await tables.get(accounts, { account: id });
  return record !== undefined && isThere(record) ? record : undefined;
}
