import { Unavailable } from '../actors/domain/problem.js';
import type { StoreShardMapRecord } from '../proto/gen/types.js';
import { shardMap } from '../store/tables.js';
import { type Bus, CLUSTER_TOPIC } from '../transport/bus.js';
import { type ClusterContext, STORE_RETRY_MS } from './context.js';
import { FormatTooOld } from './format.js';
import { OneRead, pause, within } from './patience.js';
import { EMPTY_MAP, fromRecord, type ShardMap, toRecord } from './shard-map.js';
import type { StorePace } from './store-pace.js';

/**
 * Maximum random delay between attempts of nodes that change the map at the same time; about the duration of one
 * change.
 */
const CONTENTION_MS_MAX = 50;

/** Reads and changes the one row with the owners of all shards, and caches its newest version. */
export class MapRow {
  private known: ShardMap = EMPTY_MAP;
  private readAtMs = Number.NEGATIVE_INFINITY;
  private readonly reading: OneRead<StoreShardMapRecord | undefined>;

  constructor(
    private readonly context: ClusterContext,
    private readonly bus: Bus,
    private readonly pace: Pick<StorePace, 'patienceMs'>,
  ) {
    const { clock, cluster } = context;
    this.reading = new OneRead(clock, 'reading the shard map', () => context.tables.get(shardMap, { cluster }));
  }

  get map(): ShardMap {
    return this.known;
  }

  /** Milliseconds since the last successful read of the map. */
  ageMs(): number {
    return this.context.clock.monotonicMs() - this.readAtMs;
  }

  /** Reads the map. @throws Unavailable; FormatTooOld this program must not act on the map */
  async read(): Promise<void> {
    const { value } = await this.reading.ask(this.pace.patienceMs);
    this.adopt(value);
  }

  /** Returns the map as the store has it after the call. @throws Unavailable; FormatTooOld */
  async readAfresh(): Promise<ShardMap> {
    const { value } = await this.reading.askAfresh(this.pace.patienceMs);
    this.adopt(value);
    return this.known;
  }

  /**
   * Changes the map as `decide` returns it. Calls `decide` again with each newer map until it returns undefined.
   * `decide` must request the same change until it is done: an attempt that was reported failed may still happen, and
   * only the answer to a later attempt shows whether it did.
   * @throws Unavailable when `abandoned` returns true while the outcome is unknown; FormatTooOld
   */
  async change(decide: (map: ShardMap) => ShardMap | undefined, abandoned: () => boolean): Promise<void> {
    const { clock, random, tables, cluster, log } = this.context;
    for (;;) {
      const before = this.known;
      const next = decide(before);
      if (next === undefined) return;
      try {
        const change = tables.compareAndSet(shardMap, { cluster }, toRecord(before), toRecord(next));
        const { applied, current } = await within(clock, this.pace.patienceMs, 'changing the shard map', change);
        this.adopt(applied ? toRecord(next) : current);
        this.bus.publish(CLUSTER_TOPIC, new Uint8Array());
        if (applied) return;
        await pause(clock, random.fraction() * CONTENTION_MS_MAX);
      } catch (error) {
        if (!(error instanceof Unavailable) || abandoned()) throw error;
        log.warn({ err: error, version: next.version }, 'failed to change the shard map; trying again');
        await pause(clock, STORE_RETRY_MS);
      }
    }
  }

  private adopt(record: StoreShardMapRecord | undefined): void {
    const { clock, program } = this.context;
    if (record !== undefined && record.format > program.format) throw new FormatTooOld(program, record);
    this.readAtMs = clock.monotonicMs();
    // Reads may overtake one another, but the row's version never decreases.
    if (record !== undefined && record.version > this.known.version) this.known = fromRecord(record);
  }
}
