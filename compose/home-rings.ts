import { idShard } from '../actors/domain/ids.js';
import type { Clock } from '../actors/domain/time.js';
import type { Placement, ShardHost } from '../actors/runtime/placement/placement.js';
import { HomeRings, type RecentIds } from '../actors/timelines/home-rings.js';
import { PublicRing } from '../actors/timelines/public-ring.js';
import type { Publications } from '../actors/timelines/publications.js';
import { recentIds, recentPublicIds } from '../gateway/timelines/recent.js';
import { GUESTS_MAX } from '../gateway/viewing/guest-homes.js';
import { codec } from '../proto/codec.js';
import type { NodeHeard } from '../proto/gen/types.js';
import type { ReadTables } from '../store/port.js';
import { type Bus, PULSE_TOPIC, STATUSES_TOPIC } from '../transport/bus.js';
import { hostWith } from './shard-hosts.js';

/** An arbitrary epoch of these rings; 0 marks a ring that is moving. */
const ANY_EPOCH = 1;
const headlines = codec('murmuration.node.StatusHeadline');
const pulses = codec('murmuration.node.Pulse');

export interface HomeRingsParts {
  readonly tables: ReadTables;
  readonly clock: Clock;
  readonly placement: Pick<Placement, 'epochOf'>;
  /** Set where rings move with shards. */
  readonly bus: Pick<Bus, 'receivedUpTo' | 'follows'> | undefined;
  readonly log: ConstructorParameters<typeof HomeRings>[0]['log'];
}

export function makeHomeRings({ tables, clock, placement, bus, log }: HomeRingsParts): HomeRings {
  return new HomeRings({
    clock,
    log,
    bus,
    recent: recentIds(tables, clock),
    epochOf: (id) => placement.epochOf(idShard(id)),
  });
}

export function makePublicRing(tables: ReadTables, log: HomeRingsParts['log']): PublicRing {
  return new PublicRing({ recent: recentPublicIds(tables), log });
}

/** Creates rings of viewers whose accounts live on other nodes. They do not move, because their shards are not here. */
export const makeGuestRings = ({ clock, log }: Pick<HomeRingsParts, 'clock' | 'log'>, recent: RecentIds): HomeRings =>
  new HomeRings({ clock, log, recent, epochOf: () => ANY_EPOCH, ringsMax: GUESTS_MAX });

/** Extends a shard host by the home rings of the accounts in its shards. */
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
        let received: NodeHeard | undefined = rings.receivedUpTo();
        for (const ring of rings.leaving(within(shards))) {
          await warm({ actor: '', ring, ...(received && { heard: received }) });
          received = undefined;
        }
      } finally {
        rings.closeWhere(within(shards));
      }
    },
    prime(chunk, received) {
      if (chunk.ring === undefined) host.prime(chunk, received);
      else rings.welcome(chunk.ring, received);
    },
    abandon(shards) {
      host.abandon(shards);
      rings.closeWhere(within(shards));
    },
  };
}

/**
 * Extends a shard host by what this node knows of publications, which begins with its first shards: until then its clock
 * of ids may be behind ids that earlier owners minted.
 */
export function withPublications(host: ShardHost, published: Pick<Publications, 'missed'>): ShardHost {
  let isFirst = true;
  return hostWith(host, (shards) => {
    if (isFirst) published.missed();
    isFirst = false;
    return host.acquire(shards);
  });
}

/**
 * Delivers every published status to the rings: one message per status and node, whoever follows its author. Records
 * that it was published, and how far the other nodes' clocks of ids are.
 */
export async function fanOut(
  homes: readonly Pick<HomeRings, 'deliver' | 'deliverTo' | 'closeAll' | 'deaf'>[],
  everybody: Pick<PublicRing, 'deliver' | 'close'>,
  published: Pick<Publications, 'add' | 'reached' | 'missed'>,
  bus: Bus,
): Promise<void> {
  bus.onGap((subject) => {
    if (subject !== undefined && subject !== STATUSES_TOPIC) return;
    for (const rings of homes) rings.closeAll();
    everybody.close();
    published.missed();
  });
  await bus.subscribe(PULSE_TOPIC, (payload) => published.reached(pulses.decode(payload).idMs));
  await bus.subscribe(STATUSES_TOPIC, (payload) => {
    const { kind, id, accountId, onlyTo, listed, remote, ...publication } = headlines.decode(payload);
    if (kind !== 'update') return;
    published.add(id, publication);
    if (listed) everybody.deliver(id, remote === true ? 'remote' : 'local');
    for (const rings of homes) {
      if (rings.deaf) continue;
      if (onlyTo.length === 0) rings.deliver(accountId, id);
      else for (const viewer of onlyTo) rings.deliverTo(viewer, id);
    }
  });
}
