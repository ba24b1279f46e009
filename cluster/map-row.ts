import { Unavailable } from '../actors/domain/problem.js';
import type { StoreShardMapRecord } from '../proto/gen/types.js';
import { shardMap } from '../store/tables.js';
import { type Bus, CLUSTER_TOPIC } from '../transport/bus.js';
import { type ClusterContext, STORE_RETRY_MS } from './context.js';
import { FormatTooOld } from './format.js';
import { OneRead, pause, within } from './patience.js';
import { EMPTY_MAP, fromRecord, type ShardMap, toRecord } from './shard-map.js';
import type { StorePace } from './store-pace.js';

/** Spreads the tries of nodes that change the map at the same time; about what one change takes. */
const CONTENTION_MS_MAX = 50;

/** The one row that says who owns which shard: this node's newest knowledge of it, and its changes. */
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

  /** Milliseconds since the store last told us the map. */
  ageMs(): number {
    return this.context.clock.monotonicMs() - this.readAtMs;
  }

  /** @throws Unavailable; FormatTooOld this program must not act on the map */
  async read(): Promise<void> {
    const { value } = await this.reading.ask(this.pace.patienceMs);
    this.adopt(value);
  }

  /** The map as the store has it after the call. @throws Unavailable; FormatTooOld */
  async readAfresh(): Promise<ShardMap> {
    const { value } = await this.reading.askAfresh(this.pace.patienceMs);
    this.adopt(value);
    return this.known;
  }

  /**
   * Changes the map as `decide` says, which is asked again about each newer map, until it says undefined. It must go
   * on wanting the same until that is done: a try that was reported failed may still happen, and only an answer to a
   * later one tells that it did or cannot any more.
   * @throws Unavailable when `abandoned` says so while the outcome is unknown; FormatTooOld
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
        log.warn({ err: error, version: next.version }, 'a change of the shard map has no answer');
        await pause(clock, STORE_RETRY_MS);
      }
    }
  }

  private adopt(record: StoreShardMapRecord | undefined): void {
    const { clock, program } = this.context;
    if (record !== undefined && record.format > program.format) throw new FormatTooOld(program, record);
    this.readAtMs = clock.monotonicMs();
    // Reads may overtake one another; the row itself never goes back.
    if (record !== undefined && record.version > this.known.version) this.known = fromRecord(record);
  }
}
