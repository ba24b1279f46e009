import { affinity, mostWilling, nameOf } from './rendezvous.js';

/**
 * The role of a live member in the balance. `takes`: up and renewing, receives shards. `keeps`: holds its lease but has
 * missed renewals, so receives no more shards. `gives`: draining. A member without a role is dead: its shards are free.
 */
export type Role = 'takes' | 'keeps' | 'gives';

/** Members by id (`name#incarnation`). */
export type Roles = ReadonlyMap<string, Role>;

/** Owner of each shard, by member id; undefined: none. */
export type Owners = readonly (string | undefined)[];

const shardsByOwner = new WeakMap<Owners, ReadonlyMap<string | undefined, readonly number[]>>();

/**
 * Returns the shards of each owner, ascending, and those without an owner under undefined. Computed once for each
 * placement: a node looks at an unchanged map every second.
 */
export function byOwner(owners: Owners): ReadonlyMap<string | undefined, readonly number[]> {
  const known = shardsByOwner.get(owners);
  if (known !== undefined) return known;
  const found = new Map<string | undefined, number[]>();
  owners.forEach((owner, shard) => {
    const shards = found.get(owner);
    if (shards === undefined) found.set(owner, [shard]);
    else shards.push(shard);
  });
  shardsByOwner.set(owners, found);
  return found;
}

/**
 * Computes the target placement: shards are spread evenly over the takers (counts differ by at most one) and as few as
 * possible move. Rendezvous hashing selects the shards that move, and their targets. A balanced placement is returned
 * unchanged, so shards do not flap. Without takers, free shards stay free and givers keep theirs.
 */
export function balance(owners: Owners, roles: Roles): Owners {
  if (isBalanced(owners, roles)) return owners;
  const next = owners.map((owner) => (owner !== undefined && roles.has(owner) ? owner : undefined));
  const takers = [...roles].filter(([, role]) => role === 'takes').map(([member]) => member);
  takers.sort();
  if (takers.length === 0) return next;
  const held = new Map<string, number[]>(takers.map((taker) => [taker, []]));
  const free: number[] = [];
  next.forEach((owner, shard) => {
    if (owner === undefined || roles.get(owner) === 'gives') free.push(shard);
    else held.get(owner)?.push(shard);
  });
  const total = free.length + [...held.values()].reduce((sum, shards) => sum + shards.length, 0);
  const least = Math.floor(total / takers.length);
  const most = Math.ceil(total / takers.length);
  for (const [taker, shards] of held) {
    if (shards.length <= most) continue;
    const name = nameOf(taker);
    shards.sort((a, b) => affinity(name, b) - affinity(name, a) || a - b);
    free.push(...shards.splice(most));
  }
  const place = (shard: number, taker: string) => {
    held.get(taker)?.push(shard);
    next[shard] = taker;
  };
  const below = (count: number) => takers.filter((taker) => countOf(held, taker) < count);
  free.sort((a, b) => a - b);
  for (const shard of free) {
    const needy = below(least);
    const taker = mostWilling(needy.length > 0 ? needy : below(most), shard);
    if (taker !== undefined) place(shard, taker);
  }
  // When too many members are at the upper count, one may still lack its last shard.
  for (const needy of below(least)) {
    const richest = takers.reduce((a, b) => (countOf(held, b) > countOf(held, a) ? b : a));
    const shard = countOf(held, richest) > least ? held.get(richest)?.pop() : undefined;
    if (shard !== undefined) place(shard, needy);
  }
  return next;
}

/** True when no shard is free, no owner gives, and the counts of the takers differ by at most one. */
function isBalanced(owners: Owners, roles: Roles): boolean {
  const shards = byOwner(owners);
  for (const owner of shards.keys()) {
    const role = owner === undefined ? undefined : roles.get(owner);
    if (role === undefined || role === 'gives') return false;
  }
  const held = [...roles].filter(([, role]) => role === 'takes').map(([member]) => shards.get(member)?.length ?? 0);
  return Math.max(...held) - Math.min(...held) <= 1;
}

function countOf(held: ReadonlyMap<string, readonly number[]>, member: string): number {
  return held.get(member)?.length ?? 0;
}
