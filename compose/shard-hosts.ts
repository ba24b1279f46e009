import type { Alarms } from '../actors/runtime/effects/alarms.js';
import type { ShardHost } from '../actors/runtime/placement/placement.js';

/** Returns the host with another way of acquiring shards. */
export const hostWith = (host: ShardHost, acquire: ShardHost['acquire']): ShardHost => ({
  acquire,
  release: (shards, warm) => host.release(shards, warm),
  prime: (chunk, received) => host.prime(chunk, received),
  abandon: (shards) => host.abandon(shards),
});

/** Extends a shard host by the alarms of the actors in its shards. */
export const withAlarms = (host: ShardHost, alarms: Pick<Alarms, 'shardsChanged'>): ShardHost =>
  hostWith(host, async (shards) => {
    await host.acquire(shards);
    alarms.shardsChanged();
  });
