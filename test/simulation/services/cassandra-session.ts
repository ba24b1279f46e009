import type { QueryOptions } from 'cassandra-driver';
import { systemClock } from '../../../actors/runtime/system.js';
import { CassandraTables } from '../../../store/cassandra/cassandra-tables.js';
import { groupLimits } from '../../../store/cassandra/group-limits.js';
import type { Session } from '../../../store/cassandra/session.js';
import type { Statement } from '../../../store/cassandra/statements.js';
import { type Pacing, pacingOn } from '../../../store/pacing.js';
import type { Tables } from '../../../store/port.js';
import { alarmFloors, alarms, allTables, backlog, backlogFloors, journal } from '../../../store/tables.js';
import { WriteTimestamps } from '../../../store/write-timestamps.js';
import type { Process, SeededRandom, World } from '../world.js';
import { CassandraRows } from './cassandra-rows.js';
import { keyTextOf, type Shape, shapeOf } from './cql.js';
import type { WrittenRows } from './written-rows.js';

export interface StoreFaults {
  /** Probability that a request starts an outage of one of its partitions, during which requests do not happen. */
  failChance: number;
  /** Probability that a write starts an outage during which writes happen although they are reported failed. */
  ambiguousChance: number;
  /** Probability that a group of rows is reported failed and lands later, up to LATE_MS_MAX, as from a queue. */
  lateChance: number;
  /** The same for groups that contain entries of journals. */
  lateJournalChance: number;
  delayMs: readonly [number, number];
  /** The node whose Paxos rounds are answered late and then fail, while everything else works; undefined: none. */
  paxosVictim: string | undefined;
  /** Additional duration of every Paxos read and write on all nodes. */
  paxosMs: number;
  /** World time until which they are answered late; later ones fail. */
  paxosLateUntilMs: number;
}

/** Maximum delay, longer than a lease: a late write must be able to land after another owner took over. */
const LATE_MS_MAX = 12_000;
/** Time after which each attempt of a late write is reported failed; three of them take as long as a timeout. */
const LATE_REPORT_MS = 600;
/** Delay of the victim's Paxos writes: within the timeout of the caller. */
const PAXOS_LATE_MS = 1_300;
/**
 * Maximum duration of an outage: more than the adapter's attempts at one request take, so that about half of the
 * outages outlast them.
 */
const OUTAGE_MS_MAX = 800;

/**
 * Tables of which nodes read many partitions at a time. Most of these partitions have never been written: reads of
 * those are answered at once, without an event.
 */
const SCANNED: ReadonlySet<string> = new Set([backlog, backlogFloors, alarms, alarmFloors].map(({ name }) => name));
const NOTHING = { rows: [] };

const KEYSPACE = 'simulated';
/** Limits of a Cassandra with its default settings. */
const LIMITS = groupLimits({});

/** A Cassandra ring that all nodes share. */
export class SimulatedCassandra implements WrittenRows {
  private readonly entries = new CassandraRows();
  readonly landed = new CassandraRows(this.entries);
  /** The rows as a judge reads them, without delays and faults. */
  readonly tables = tablesOver(this.landed);
  readonly histories = tablesOver(this.entries);
  readonly backlogShards = this.landed.backlogShards;

  get rows() {
    return this.landed.rows;
  }
}

/** Returns the adapter over these rows, without delays and faults. */
function tablesOver(rows: CassandraRows): Tables {
  let nowUs = 0;
  const timestamps = new WriteTimestamps(() => 0);
  const session: Session = {
    execute: async (query, params, options) => {
      const statement = { query, params };
      const { kind } = shapeOf(query);
      if (kind === 'swap') return rows.swap(statement, nowUs++);
      if (kind === 'get' || kind === 'written' || kind === 'range') return rows.read(statement);
      rows.write(statement, Number(options?.timestamp));
      return { rows: [] };
    },
    batch: async (statements, { timestamp }) => {
      for (const statement of statements) rows.write(statement, Number(timestamp));
    },
    shutdown: async () => undefined,
  };
  return adapter(session, timestamps, pacingOn(systemClock));
}

export const adapter = (session: Session, timestamps: WriteTimestamps, pacing: Pacing): Tables =>
  new CassandraTables(session, { keyspace: KEYSPACE, tables: allTables, timestamps, limits: LIMITS, pacing });

/** Returns the waits of a simulated process, which end with it. */
export const pacingOf = (world: World, process: Process): Pacing => {
  const clock = world.clockOf(process);
  return {
    atTurnsEnd: (callback) => void world.at(0, process, callback),
    after: (delayMs, callback) => clock.after(delayMs, callback),
  };
};

type Fate = 'happens' | 'fails' | 'ambiguous';

interface Request {
  readonly statements: readonly Statement[];
  readonly timestamp: number | undefined;
}

/**
 * One process's connection to the shared rows: requests take time in both directions, may fail, may happen although
 * reported failed, in some of their partitions only, and may still happen after the process that sent them has died.
 */
export class SimulatedSession implements Session {
  /** World time until which requests for a partition fail, and the kind of failure. */
  private readonly outages = new Map<string, { readonly untilMs: number; readonly fate: Fate }>();
  /** Timestamps of groups that land late: all attempts share the fate of the first. */
  private readonly late = new Map<number, boolean>();

  constructor(
    private readonly rows: CassandraRows,
    private readonly world: World,
    private readonly process: Process,
    private readonly random: SeededRandom,
    private readonly faults: StoreFaults,
  ) {}

  async execute(query: string, params: Statement['params'], options: QueryOptions = {}) {
    const statement = { query, params };
    const shape = shapeOf(query);
    if (SCANNED.has(shape.layout.table.name) && isRead(shape) && !this.rows.hasPartition(statement)) return NOTHING;
    if (shape.layout.table.conditional === true) return this.paxos(statement, shape);
    if (isRead(shape)) return this.request({ statements: [statement], timestamp: undefined });
    return this.request({ statements: [statement], timestamp: Number(options.timestamp) });
  }

  async batch(statements: Statement[], { timestamp }: QueryOptions) {
    await this.request({ statements, timestamp: Number(timestamp) });
  }

  async shutdown(): Promise<void> {}

  /** Runs a Paxos round, which can fail while everything else works. */
  private async paxos(statement: Statement, shape: Shape) {
    const { faults, world } = this;
    const isVictim = faults.paxosVictim === this.process.name;
    if (isVictim && world.now >= faults.paxosLateUntilMs) throw new Error('Paxos rounds time out');
    const answer = await this.request({ statements: [statement], timestamp: undefined }, faults.paxosMs / 2);
    if (isVictim && !isRead(shape)) await this.wait(PAXOS_LATE_MS);
    return answer;
  }

  private request({ statements, timestamp }: Request, slownessMs = 0) {
    if (timestamp !== undefined && this.landsLate(statements, timestamp)) return this.reportLate();
    const fates = this.fatesOf(statements);
    const isFine = [...fates.values()].every((fate) => fate === 'happens');
    const [there, back] = [this.delay() + slownessMs, this.delay() + slownessMs];
    return new Promise<{ readonly rows: readonly Readonly<Record<string, unknown>>[] }>((resolve, reject) => {
      // The request travels independently: it arrives even if its sender has died.
      this.world.at(there, undefined, () => {
        const happening = statements.filter((statement) => fates.get(partitionOf(statement)) !== 'fails');
        const answer = this.carryOut(happening, timestamp);
        this.world.at(back, this.process, () => {
          if (isFine) resolve(answer);
          else reject(new Error('no answer in time'));
        });
      });
    });
  }

  private carryOut(statements: readonly Statement[], timestamp: number | undefined) {
    let answer: ReturnType<CassandraRows['read']> = { rows: [] };
    for (const statement of statements) {
      const shape = shapeOf(statement.query);
      if (timestamp !== undefined) this.rows.write(statement, timestamp);
      else if (shape.kind === 'swap') answer = this.rows.swap(statement, this.world.now * 1_000);
      else answer = this.rows.read(statement);
    }
    return answer;
  }

  /** Decides the fate of a group at its first attempt, and schedules the writes of each partition. */
  private landsLate(statements: readonly Statement[], timestamp: number): boolean {
    const decided = this.late.get(timestamp);
    if (decided !== undefined) return decided;
    const { lateChance, lateJournalChance } = this.faults;
    if (lateChance === 0 && lateJournalChance === 0) return false;
    const hasEntries = statements.some(({ query }) => isEntry(shapeOf(query)));
    const isLate = this.random.chance(hasEntries ? Math.max(lateChance, lateJournalChance) : lateChance);
    this.late.set(timestamp, isLate);
    if (!isLate) return false;
    for (const partition of byPartition(statements).values()) {
      this.world.at(this.random.fraction() * LATE_MS_MAX, undefined, () => {
        for (const statement of partition) this.rows.write(statement, timestamp);
      });
    }
    return true;
  }

  private reportLate() {
    return new Promise<never>((_, reject) => {
      this.world.at(LATE_REPORT_MS, this.process, () => reject(new Error('no answer in time')));
    });
  }

  /** Returns the fates by partition. One of a request's partitions may start an outage. */
  private fatesOf(statements: readonly Statement[]): Map<string, Fate> {
    const { world, random, faults, outages } = this;
    const partitions = [...byPartition(statements).keys()];
    const isWrite = statements.some(({ query }) => !isRead(shapeOf(query)));
    const dice = random.fraction();
    const isAmbiguous = isWrite && dice < faults.ambiguousChance;
    if (isAmbiguous || dice >= 1 - faults.failChance) {
      const fate = isAmbiguous ? 'ambiguous' : 'fails';
      outages.set(random.pick(partitions), { untilMs: world.now + random.fraction() * OUTAGE_MS_MAX, fate });
    }
    const fateOf = (partition: string): Fate => {
      const outage = outages.get(partition);
      if (outage === undefined) return 'happens';
      if (outage.untilMs > world.now) return outage.fate;
      outages.delete(partition);
      return 'happens';
    };
    return new Map(partitions.map((partition) => [partition, fateOf(partition)]));
  }

  private wait(delayMs: number): Promise<void> {
    return new Promise((resolve) => void this.world.at(delayMs, this.process, resolve));
  }

  private delay(): number {
    const [low, high] = this.faults.delayMs;
    return low + this.random.fraction() * (high - low);
  }
}

const isRead = ({ kind }: Shape): boolean => kind === 'get' || kind === 'written' || kind === 'range';
const isEntry = ({ kind, layout }: Shape): boolean => kind === 'put' && layout.table.name === journal.name;

function partitionOf({ query, params }: Statement): string {
  const { layout, key } = shapeOf(query);
  return `${layout.table.name}\0${keyTextOf(params, key, key + layout.partition)}`;
}

function byPartition(statements: readonly Statement[]): Map<string, Statement[]> {
  const found = new Map<string, Statement[]>();
  for (const statement of statements) {
    const partition = partitionOf(statement);
    const present = found.get(partition);
    if (present === undefined) found.set(partition, [statement]);
    else present.push(statement);
  }
  return found;
}
