import { localName } from '../../actors/domain/addresses.js';
import { isMissing } from '../../actors/federation/remote/port.js';
import type { StoreAccountRecord } from '../../proto/gen/types.js';
import type { Services } from '../http/services.js';
import { findLocal } from './find-local.js';

type Federated = Pick<Services, 'registry' | 'instance' | 'federation'>;

/** Longest address that is looked up. */
export const ADDRESS_CHARS_MAX = 320;

/** The name and domain of an account of another server. */
interface Address {
  readonly username: string;
  readonly domain: string;
}

/** Returns the parts of `user@host` or `@user@host`; undefined for a local name, or none. */
export function remoteAddress(services: Pick<Services, 'instance'>, acct: string): Address | undefined {
  const text = acct.trim();
  if (text.length > ADDRESS_CHARS_MAX || localName(text, services.instance.domain) !== undefined) return undefined;
  const [, username, domain] = /^@?([\w.-]+)@([^@/?#\s]+)$/.exec(text) ?? [];
  return username === undefined || domain === undefined ? undefined : { username, domain };
}

/**
 * Returns the id of an account by `name` or `user@host`. One of another server is found if it is known here.
 * `resolve`: its server is asked otherwise, which may take seconds.
 */
export async function findAccount(services: Federated, acct: string, resolve: boolean): Promise<string | undefined> {
  const address = remoteAddress(services, acct);
  if (address === undefined) return findLocal(services, acct);
  const { username, domain } = address;
  const known = await services.registry.find(`acct:${username}@${domain}`.toLowerCase());
  if (known !== undefined || !resolve) return known;
  const found = await services.federation.people.named(username, domain);
  return isMissing(found) ? undefined : found.id;
}

/** The account, or the id of the status, at an address of another server. */
export type FoundRemote = { readonly account: StoreAccountRecord } | { readonly statusId: string };

/** Asks another server for the account or status at an address, which may be `user@host` or that of a page. */
export async function resolveRemote(services: Federated, question: string): Promise<FoundRemote | undefined> {
  const address = remoteAddress(services, question);
  if (address !== undefined) {
    const found = await services.federation.people.named(address.username, address.domain);
    return isMissing(found) ? undefined : { account: found };
  }
  const isWeb = /^https?:\/\/[^\s/]+\/\S/i.test(question) && URL.canParse(question);
  if (!isWeb || question.startsWith(`${services.instance.baseUrl}/`)) return undefined;
  const found = await services.federation.notes.resolve(question);
  if (isMissing(found)) return undefined;
  return 'username' in found ? { account: found } : { statusId: found.id };
}

/**
 * Fetches an account that is to be followed, if it is one of another server: its lock and its inbox may have changed. The
 * follow is answered before, and the caller does not wait.
 */
export function refreshRemote({ federation }: Pick<Services, 'federation'>, { origin }: StoreAccountRecord): void {
  if (origin === undefined) return;
  // A failure leaves the account as it is; the Follow shows whether its server answers.
  federation.people.find(origin.uri, { fresh: true }).catch(() => undefined);
}
