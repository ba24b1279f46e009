import type { Peers } from '../transport/peer.js';
import type { ClusterContext } from './context.js';
import type { Holdings } from './holdings.js';
import type { MapRow } from './map-row.js';
import { within } from './patience.js';
import { given } from './shard-map.js';
import { WarmChannel } from './warm-channel.js';

/**
 * Maximum number of shards in one handover. Each shard waits for the batch's slowest actor and one LWT, while many
 * batches cost many LWTs on the one row. A drain of a third of all shards takes two batches.
 */
export const GIFT_SHARDS_MAX = 256;
/** Timeout of sending warm state, which is only an optimisation: the receiver reads the rest from the store. */
const WARM_MS_MAX = 3_000;

/** Hands shards over: stops them here, sends their warm activations ahead, then changes the map. */
export class Giver {
  constructor(
    private readonly context: ClusterContext,
    private readonly holdings: Holdings,
    private readonly mapRow: MapRow,
    private readonly peers: Peers,
  ) {}

  /**
   * Resolves when the shards are no longer this node's.
   * @param isLost returns true once `member` is no longer this node's lease: all its shards are dropped then
   * @throws Unavailable when the lease was lost meanwhile
   */
  async give(
    member: string,
    gifts: ReadonlyMap<string, readonly number[]>,
    addressOf: (member: string) => string | undefined,
    isLost: () => boolean,
  ): Promise<void> {
    const { clock, log, stampedMs } = this.context;
    const startedMs = clock.monotonicMs();
    const shards = [...gifts.values()].flat();
    await Promise.all([...gifts].map(([receiver, some]) => this.stop(addressOf(receiver), some)));
    // Repeated until it succeeds, whatever happens to the receivers: the shards of a dead one are taken over.
    const stillOurs = (owners: readonly (string | undefined)[]) => shards.some((shard) => owners[shard] === member);
    await this.mapRow.change(
      (map) => (stillOurs(map.owners) ? given(map, member, gifts, Math.max(clock.nowMs(), stampedMs())) : undefined),
      isLost,
    );
    this.holdings.settle(shards);
    const tookMs = Math.round(clock.monotonicMs() - startedMs);
    log.info({ shards: shards.length, receivers: gifts.size, tookMs }, 'handed shards over');
  }

  private async stop(address: string | undefined, shards: readonly number[]): Promise<void> {
    const { clock, log } = this.context;
    const channel = new WarmChannel();
    const sending =
      address === undefined
        ? Promise.resolve(channel.discard())
        : within(clock, WARM_MS_MAX, 'sending warm activations', this.peers.peer(address).handoff(channel))
            .then(() => undefined)
            .catch((error: unknown) => log.warn({ err: error, address }, 'failed to send warm activations'))
            .finally(() => channel.discard());
    await this.holdings.release(shards, (chunk) => channel.push(chunk));
    channel.end();
    await sending;
  }
}
