import type { Alarms } from '../actors/runtime/effects/alarms.js';
import type { ShardHost } from '../actors/runtime/placement/placement.js';

/** Extends a shard host by the alarms of the actors in its shards. */
export function withAlarms(host: ShardHost, alarms: Pick<Alarms, 'shardsChanged'>): ShardHost {
  return {
    async acquire(shards) {
      await host.acquire(shards);
      alarms.shardsChanged();
    },
    release: (shards, warm) => host.release(shards, warm),
    prime: (chunk, received) => host.prime(chunk, received),
    abandon: (shards) => host.abandon(shards),
  };
}
