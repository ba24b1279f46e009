/**
 * Returns the score of a member for a shard (rendezvous hashing), 32 uniform bits. It is the same on every node and at
 * any time: all nodes choose the same member, and a member that returns under its name gets its old shards again.
 */
export function affinity(member: string, shard: number): number {
  // FNV-1a over the name, then murmur3's finaliser over name and shard: FNV alone gives neighbours similar scores.
  let hash = 0x811c9dc5;
  for (let at = 0; at < member.length; at++) hash = Math.imul(hash ^ member.charCodeAt(at), 0x01000193);
  hash ^= Math.imul(shard + 1, 0x9e3779b1);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Returns the candidate with the highest score; the earlier name wins a tie. Undefined without candidates. */
export function mostWilling(candidates: readonly string[], shard: number): string | undefined {
  let best: string | undefined;
  let bestScore = -1;
  for (const candidate of candidates) {
    const score = affinity(nameOf(candidate), shard);
    if (score > bestScore || (score === bestScore && best !== undefined && candidate < best)) {
      best = candidate;
      bestScore = score;
    }
  }
  return best;
}

/** Returns a member's id, `name#incarnation`: a restarted process is another member with the same name. */
export const memberId = (name: string, incarnation: string): string => `${name}#${incarnation}`;

export const nameOf = (member: string): string => member.slice(0, member.lastIndexOf('#'));
