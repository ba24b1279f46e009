import { grants } from '../http/scopes.js';

/** Bounds the parsed text: all scopes below together are shorter. */
export const SCOPES_CHARS_MAX = 2_000;

const READ_AND_WRITE = [
  'accounts',
  'blocks',
  'bookmarks',
  'collections',
  'favourites',
  'filters',
  'follows',
  'lists',
  'mutes',
  'notifications',
  'statuses',
];
const ADMIN = [
  'accounts',
  'reports',
  'domain_allows',
  'domain_blocks',
  'ip_blocks',
  'email_domain_blocks',
  'canonical_email_blocks',
];

/** All scopes that an application may have. Source: Mastodon, OAuth scopes. */
export const ALL_SCOPES: ReadonlySet<string> = new Set([
  'profile',
  'read',
  ...[...READ_AND_WRITE, 'search'].map((name) => `read:${name}`),
  'write',
  ...[...READ_AND_WRITE, 'conversations', 'media', 'reports'].map((name) => `write:${name}`),
  'follow',
  'push',
  ...['read', 'write'].flatMap((verb) => [`admin:${verb}`, ...ADMIN.map((name) => `admin:${verb}:${name}`)]),
]);

/**
 * Parses a space-separated list, without repeats. Undefined if a scope is unknown, or the list is empty or too long.
 */
export function parseScopes(text: string): string[] | undefined {
  if (text.length > SCOPES_CHARS_MAX) return undefined;
  const scopes = [...new Set(text.split(/[ +,\n]+/).filter((scope) => scope !== ''))];
  return scopes.length > 0 && scopes.every((scope) => ALL_SCOPES.has(scope)) ? scopes : undefined;
}

/** Returns true if each wanted scope is held or covered by a held one. */
export function isSubset(wanted: readonly string[], held: readonly string[]): boolean {
  return wanted.every((scope) => grants(held, scope));
}

export const isAdminScope = (scope: string): boolean => scope.startsWith('admin:');

/**
 * Returns the scopes that an account with this role may grant: only staff grants admin scopes. RFC 6749 §3.3 allows
 * fewer than requested.
 */
export function grantable(role: string, scopes: readonly string[]): string[] {
  const isStaff = ['moderator', 'admin', 'owner'].includes(role);
  return scopes.filter((scope) => isStaff || !isAdminScope(scope));
}
