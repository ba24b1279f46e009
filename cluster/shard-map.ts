import { SHARDS } from '../actors/domain/ids.js';
import type { StoreShardMapRecord } from '../proto/gen/types.js';
import { balance, type Owners, type Roles } from './balance.js';
import { nameOf } from './rendezvous.js';

/** Who owns each shard, since which version of the map (its epoch). Never changed in place. */
export interface ShardMap {
  /** Grows by one with each change; 0: no map is stored yet. */
  readonly version: number;
  readonly owners: Owners;
  readonly epochs: readonly number[];
  /** No new owner may mint an id at or below this time. */
  readonly idFloorMs: number;
  /** The newest that anything stored or sent may have: every live member knows it. */
  readonly format: number;
  /** A version of the program that knows the format, for people. */
  readonly formatVersion: string;
}

/**
 * How far an owner that died may have minted past the time that it last stored, or past the floor: 64 ids a millisecond
 * and shard, so this is room for 12,800 in one shard. An owner that hands shards over says how far it went, exactly:
 * above the clock, ids of different shards are not in the order of time.
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

/** The same map always gives the same bytes: compareAndSet compares them. Undefined for the map before the first. */
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

export function shardsOf(map: ShardMap, member: string): number[] {
  const found: number[] = [];
  for (let shard = 0; shard < map.owners.length; shard++) if (map.owners[shard] === member) found.push(shard);
  return found;
}

/** True when some shard lies with nobody alive and someone could take it. */
export function hasFreeShards(map: ShardMap, roles: Roles): boolean {
  if (![...roles.values()].includes('takes')) return false;
  return map.owners.some((owner) => owner === undefined || !roles.has(owner));
}

/**
 * The map after the shards of the dead have gone to the living; nothing that a living member holds moves.
 * @param reachedMs highest wall clock that the former owner of that name may have minted under; of a name that left
 * no trace nothing is known but the floor
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

/** What `member` should give away now, by receiver, `shardsMax` in all; empty when the map is balanced. */
export function surplus(map: ShardMap, roles: Roles, member: string, shardsMax: number): Map<string, number[]> {
  const placed = balance(map.owners, roles);
  const gifts = new Map<string, number[]>();
  let left = shardsMax;
  map.owners.forEach((owner, shard) => {
    const receiver = placed[shard];
    if (left === 0 || owner !== member || receiver === undefined || receiver === member) return;
    gifts.set(receiver, [...(gifts.get(receiver) ?? []), shard]);
    left -= 1;
  });
  return gifts;
}

/**
 * The map after `giver` has handed shards over; those that are no longer its own stay where they are.
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

/** The map with a newer format, which all live members know. @param version of a program that knows it */
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
