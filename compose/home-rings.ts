import { idShard } from '../actors/domain/ids.js';
import type { Clock } from '../actors/domain/time.js';
import type { Placement } from '../actors/runtime/placement.js';
import { HomeRings } from '../actors/timelines/home-rings.js';
import { recentIds } from '../gateway/timelines/recent.js';
import { codec } from '../proto/codec.js';
import type { ReadTables } from '../store/port.js';
import { type Bus, STATUSES_TOPIC } from '../transport/bus.js';

const headlines = codec('murmuration.node.StatusHeadline');

export interface HomeRingsParts {
  readonly tables: ReadTables;
  readonly clock: Clock;
  readonly placement: Pick<Placement, 'epochOf'>;
  readonly log: ConstructorParameters<typeof HomeRings>[0]['log'];
}

export function makeHomeRings({ tables, clock, placement, log }: HomeRingsParts): HomeRings {
  return new HomeRings({
    clock,
    log,
    recent: recentIds(tables, clock),
    epochOf: (id) => placement.epochOf(idShard(id)),
  });
}

/** Has every status that is published on the bus delivered; one message a status and node, whoever follows its author. */
export async function fanOut(rings: HomeRings, bus: Bus): Promise<void> {
  bus.onGap((subject) => {
    if (subject === undefined || subject === STATUSES_TOPIC) rings.closeAll();
  });
  await bus.subscribe(STATUSES_TOPIC, (payload) => {
    if (rings.figures.rings === 0) return;
    const { kind, id, accountId, onlyTo } = headlines.decode(payload);
    if (kind !== 'update') return;
    if (onlyTo.length === 0) rings.deliver(accountId, id);
    else for (const viewer of onlyTo) rings.deliverTo(viewer, id);
  });
}
