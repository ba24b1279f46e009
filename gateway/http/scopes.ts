/** Scopes that the legacy scope `follow` covers (Mastodon, OAuth scopes). */
const FOLLOW_COVERS = new Set([
  'read:follows',
  'write:follows',
  'read:blocks',
  'write:blocks',
  'read:mutes',
  'write:mutes',
]);

/**
 * Returns true if one of the scopes grants `wanted`: the scope itself, a parent, or `follow` for the scopes that it
 * covers.
 */
export function grants(held: readonly string[], wanted: string): boolean {
  for (const scope of held) if (covers(scope, wanted)) return true;
  return false;
}

/** Returns true if any one of the wanted scopes is granted, or none is wanted. */
export function grantsAny(held: readonly string[], wanted: string | readonly string[] | undefined): boolean {
  if (wanted === undefined) return true;
  if (typeof wanted === 'string') return grants(held, wanted);
  for (const one of wanted) if (grants(held, one)) return true;
  return false;
}

function covers(scope: string, wanted: string): boolean {
  if (!wanted.startsWith(scope)) return scope === 'follow' && FOLLOW_COVERS.has(wanted);
  return wanted.length === scope.length || wanted[scope.length] === ':';
}
