import { SHARDS } from '../actors/domain/ids.js';
import type { StoreShardMapRecord } from '../proto/gen/types.js';
import { balance, byOwner, type Owners, type Roles } from './balance.js';
import { nameOf } from './rendezvous.js';

/** The owner of each shard, and the version of the map since which it owns the shard (its epoch). Immutable. */
export interface ShardMap {
  /** Increases by one with each change; 0: no map is stored yet. */
  readonly version: number;
  readonly owners: Owners;
  readonly epochs: readonly number[];
  /** New owners create ids only above this time. */
  readonly idFloorMs: number;
  /** The active format: the newest that stored data and messages may use; every live member knows it. */
  readonly format: number;
  /** A version of the program that knows the format, for people. */
  readonly formatVersion: string;
}

/**
 * How far a dead owner's ids may lie beyond the time that it last stored, or beyond the floor: at 64 ids a millisecond
 * and shard, 12,800 ids in one shard. An owner that hands shards over states its latest time exactly. Ids beyond the
 * clock are not in the order of time across shards.
 */
const ID_AHEAD_MS = 200;

export const EMPTY_MAP: ShardMap = {
  version: 0,
  owners: Array.from({ length: SHARDS }, () => undefined),
  epochs: Array.from({ length: SHARDS }, () => 0),
  idFloorMs: 0,
  format: 0,
  formatVersion: '',
};

export function fromRecord(record: StoreShardMapRecord): ShardMap {
  return {
    version: record.version,
    owners: record.owners.map((index) => (index === 0 ? undefined : record.members[index - 1])),
    epochs: record.epochs,
    idFloorMs: record.idFloorMs,
    format: record.format,
    formatVersion: record.formatVersion,
  };
}

/**
 * Encodes a map; the same map always gives the same bytes, because compareAndSet compares them. Undefined for version
 * 0.
 */
export function toRecord(map: ShardMap): StoreShardMapRecord | undefined {
  if (map.version === 0) return undefined;
  const members = [...new Set(map.owners.filter((owner) => owner !== undefined))].sort();
  const indexes = new Map(members.map((member, index) => [member, index + 1]));
  return {
    version: map.version,
    members,
    owners: map.owners.map((owner) => (owner === undefined ? 0 : (indexes.get(owner) ?? 0))),
    epochs: map.epochs,
    idFloorMs: map.idFloorMs,
    format: map.format,
    formatVersion: map.formatVersion,
  };
}

const NO_SHARDS: readonly number[] = [];

export function shardsOf(map: ShardMap, member: string): readonly number[] {
  return byOwner(map.owners).get(member) ?? NO_SHARDS;
}

/** True when some shard has no live owner and a member takes shards. */
export function hasFreeShards(map: ShardMap, roles: Roles): boolean {
  if (![...roles.values()].includes('takes')) return false;
  return [...byOwner(map.owners).keys()].some((owner) => owner === undefined || !roles.has(owner));
}

/**
 * Returns the map with the shards of dead members placed on live ones; shards of live members do not move.
 * @param reachedMs the highest wall clock that the former owner of that name may have used in ids; without a row of
 *   that name, only the floor is known
 */
export function claimed(map: ShardMap, roles: Roles, reachedMs: (name: string) => number): ShardMap {
  const placed = balance(map.owners, roles);
  let floorMs = map.idFloorMs;
  const owners = map.owners.map((owner, shard) => {
    if (owner !== undefined && roles.has(owner)) return owner;
    if (owner !== undefined)
      floorMs = Math.max(floorMs, Math.max(map.idFloorMs, reachedMs(nameOf(owner))) + ID_AHEAD_MS);
    return placed[shard];
  });
  return changed(map, owners, floorMs);
}

/**
 * Returns the shards that `member` should give away now, by receiver, at most `shardsMax` in all; empty when the map is
 * balanced.
 */
export function surplus(map: ShardMap, roles: Roles, member: string, shardsMax: number): Map<string, number[]> {
  const placed = balance(map.owners, roles);
  const gifts = new Map<string, number[]>();
  if (placed === map.owners) return gifts;
  let left = shardsMax;
  for (const shard of shardsOf(map, member)) {
    const receiver = placed[shard];
    if (left === 0 || receiver === undefined || receiver === member) continue;
    gifts.set(receiver, [...(gifts.get(receiver) ?? []), shard]);
    left -= 1;
  }
  return gifts;
}

/**
 * Returns the map after `giver` has handed shards over; shards that it no longer owns stay unchanged.
 * @param reachedMs the latest time that the giver has used in ids and write timestamps
 */
export function given(
  map: ShardMap,
  giver: string,
  gifts: ReadonlyMap<string, readonly number[]>,
  reachedMs: number,
): ShardMap {
  const owners = [...map.owners];
  for (const [receiver, shards] of gifts) {
    for (const shard of shards) if (owners[shard] === giver) owners[shard] = receiver;
  }
  return changed(map, owners, reachedMs);
}

/** Returns the map with a newer format, which all live members know. @param version of a program that knows it */
export function raised(map: ShardMap, format: number, version: string): ShardMap {
  return { ...map, version: map.version + 1, format, formatVersion: version };
}

function changed(map: ShardMap, owners: Owners, reachedMs: number): ShardMap {
  const version = map.version + 1;
  return {
    ...map,
    version,
    owners,
    epochs: map.epochs.map((epoch, shard) => (owners[shard] === map.owners[shard] ? epoch : version)),
    idFloorMs: Math.ceil(Math.max(map.idFloorMs, reachedMs)),
  };
}
