/** What the legacy scope `follow` covers (Mastodon, OAuth scopes). */
const FOLLOW_COVERS = new Set([
  'read:follows',
  'write:follows',
  'read:blocks',
  'write:blocks',
  'read:mutes',
  'write:mutes',
]);

/** True when a token with these scopes may do what needs `wanted`: itself, a parent, or `follow` for what it covers. */
export function grants(held: readonly string[], wanted: string): boolean {
  return held.some(
    (scope) => scope === wanted || wanted.startsWith(`${scope}:`) || (scope === 'follow' && FOLLOW_COVERS.has(wanted)),
  );
}

/** True when any one of the wanted scopes is granted, or none is wanted. */
export function grantsAny(held: readonly string[], wanted: string | readonly string[] | undefined): boolean {
  if (wanted === undefined) return true;
  return typeof wanted === 'string' ? grants(held, wanted) : wanted.some((scope) => grants(held, scope));
}
