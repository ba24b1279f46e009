/**
 * How much a member wants a shard (rendezvous hashing): the same on every node and at every time, so that whoever
 * places a shard comes to the same member, and a member that returns under its name wants its old shards again.
 * Uniform 32 bits.
 */
export function affinity(member: string, shard: number): number {
  // FNV-1a over the name, then murmur3's finaliser over name and shard: FNV alone leaves neighbours alike.
  let hash = 0x811c9dc5;
  for (let at = 0; at < member.length; at++) hash = Math.imul(hash ^ member.charCodeAt(at), 0x01000193);
  hash ^= Math.imul(shard + 1, 0x9e3779b1);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Of the candidates the one that wants the shard most; ties go to the earlier name. Undefined when there is none. */
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

/** A member's id is `name#incarnation`: a process that starts again is another member with the same name. */
export const memberId = (name: string, incarnation: string): string => `${name}#${incarnation}`;

export const nameOf = (member: string): string => member.slice(0, member.lastIndexOf('#'));
