/**
 * Kinds of synthetic servers. `fast` answers at once, `slow` after two seconds, `busy` refuses one delivery in four with
 * 429 and Retry-After, `dead` refuses every connection from the start of the run on.
 */
export const peerKinds = ['fast', 'slow', 'busy', 'dead'] as const;
export type PeerKind = (typeof peerKinds)[number];
export type PeerCounts = Readonly<Partial<Record<PeerKind, number>>>;

/** Maximum number of peers: each listens on a port of its own. */
export const PEERS_MAX = 1_000;

/** Returns the kind of each peer. */
export const kindsOf = (counts: PeerCounts): PeerKind[] =>
  peerKinds.flatMap((kind) => Array.from({ length: counts[kind] ?? 0 }, () => kind));
