import type { StoreAccountRecord } from '../../../proto/gen/types.js';
import { isSuspended, isThere } from '../standing.js';

/** Address of an account in a page: `@user@host`. */
const CREATOR = /^@?([\w.-]{1,100})@([^\s@/]{1,253})$/;

/** Reads the account that a page names as its author; undefined if the text is none. Source: `fediverse:creator`. */
export function readCreator(text: string): { readonly username: string; readonly domain: string } | undefined {
  const [, username, domain] = CREATOR.exec(text.trim()) ?? [];
  return username === undefined || domain === undefined ? undefined : { username, domain: domain.toLowerCase() };
}

/**
 * Returns true if cards may name the account as the author of pages of a host: it lists the host, or a domain above it.
 * Source: Mastodon Account::AttributionDomains.
 */
export function mayBeCreator(account: StoreAccountRecord, host: string): boolean {
  if (!isThere(account) || isSuspended(account)) return false;
  const names = [host.toLowerCase(), host.toLowerCase().replace(/:\d+$/, '')];
  const domains = account.profile?.attribution?.domains ?? [];
  return domains.some((domain) => names.some((name) => name === domain || name.endsWith(`.${domain}`)));
}
