import { idShard } from '../actors/domain/ids.js';
import type { Clock } from '../actors/domain/time.js';
import type { Placement, ShardHost } from '../actors/runtime/placement.js';
import { HomeRings } from '../actors/timelines/home-rings.js';
import { PublicRing } from '../actors/timelines/public-ring.js';
import { recentIds, recentPublicIds } from '../gateway/timelines/recent.js';
import { codec } from '../proto/codec.js';
import type { ReadTables } from '../store/port.js';
import { type Bus, STATUSES_TOPIC } from '../transport/bus.js';

const headlines = codec('murmuration.node.StatusHeadline');

export interface HomeRingsParts {
  readonly tables: ReadTables;
  readonly clock: Clock;
  readonly placement: Pick<Placement, 'epochOf'>;
  /** Rings come and go with shards. */
  readonly shared: boolean;
  readonly log: ConstructorParameters<typeof HomeRings>[0]['log'];
}

export function makeHomeRings({ tables, clock, placement, shared, log }: HomeRingsParts): HomeRings {
  return new HomeRings({
    clock,
    log,
    shared,
    recent: recentIds(tables, clock),
    epochOf: (id) => placement.epochOf(idShard(id)),
  });
}

export function makePublicRing(tables: ReadTables, log: HomeRingsParts['log']): PublicRing {
  return new PublicRing({ recent: recentPublicIds(tables), log });
}

/** What the cluster tells a node to do with shards, with the rings of the accounts that live there. */
export function withRings(host: ShardHost, rings: HomeRings): ShardHost {
  const within = (shards: readonly number[]) => {
    const wanted = new Set(shards);
    return (viewer: string) => wanted.has(idShard(viewer));
  };
  return {
    acquire: (shards) => host.acquire(shards),
    async release(shards, warm) {
      await host.release(shards, warm);
      try {
        for (const ring of rings.leaving(within(shards))) await warm({ actor: '', ring });
      } finally {
        rings.closeWhere(within(shards));
      }
    },
    prime(chunk) {
      if (chunk.ring === undefined) host.prime(chunk);
      else rings.welcome(chunk.ring);
    },
    abandon(shards) {
      host.abandon(shards);
      rings.closeWhere(within(shards));
    },
  };
}

/** Has every status that is published on the bus delivered; one message a status and node, whoever follows its author. */
export async function fanOut(
  rings: HomeRings,
  everybody: Pick<PublicRing, 'deliver' | 'close'>,
  bus: Bus,
): Promise<void> {
  bus.onGap((subject) => {
    if (subject !== undefined && subject !== STATUSES_TOPIC) return;
    rings.closeAll();
    everybody.close();
  });
  await bus.subscribe(STATUSES_TOPIC, (payload) => {
    const { kind, id, accountId, onlyTo, listed } = headlines.decode(payload);
    if (kind !== 'update') return;
    if (listed) everybody.deliver(id);
    if (rings.deaf) return;
    if (onlyTo.length === 0) rings.deliver(accountId, id);
    else for (const viewer of onlyTo) rings.deliverTo(viewer, id);
  });
}
