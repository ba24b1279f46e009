import { types } from 'cassandra-driver';
import type { Clock } from '../../actors/domain/time.js';
import { type Pacing, pacingOn } from '../pacing.js';
import type { Bounds, RangeOptions, Row, RowWrite, Tables, WriteOptions } from '../port.js';
import { checkConditional, checkLimit, checkRangeRemoval, checkWrite, sameValue } from '../rules.js';
import type { StoreLog } from '../store-log.js';
import type { AnyTable, Columns, KeyOf, Table } from '../table.js';
import { allTables, storeHome } from '../tables.js';
import type { WriteTimestamps } from '../write-timestamps.js';
import { type CassandraAddress, CONDITIONAL_TIMEOUT_MS, connectTo, connectToDefine } from './connection.js';
import { checkDataCenter } from './data-center.js';
import { isMistake, retried, sideBySide, unavailable } from './failures.js';
import { type GroupLimits, groupLimitsOf } from './group-limits.js';
import { GroupedWrites, type Unit } from './grouped-writes.js';
import { ensureKeyspace, ensureTables, persistently } from './schema.js';
import type { Session } from './session.js';
import { type Statement, Statements } from './statements.js';

export interface CassandraOptions extends CassandraAddress {
  readonly keyspace: string;
  /** Replicas in the local data centre, used when the keyspace does not exist yet. */
  readonly replication: number;
  readonly log: StoreLog;
  readonly clock: Pick<Clock, 'after'>;
  readonly tables?: readonly AnyTable[];
}

/** A keyspace with existing tables, and the way to send requests for its rows. */
export interface CassandraParts {
  readonly keyspace: string;
  readonly tables: readonly AnyTable[];
  /** Timestamps of this process's writes: the later of two writes to a row wins. */
  readonly timestamps: WriteTimestamps;
  readonly limits: GroupLimits;
  readonly pacing: Pacing;
}

/** Maximum number of keys that one getMany reads at a time; a page of a timeline reads 40. */
const IN_FLIGHT_MAX = 64;

/**
 * Rows in Cassandra: typed key columns and a blob as the value. Reads and writes use LOCAL_QUORUM; conditional tables
 * use Paxos and are read at LOCAL_SERIAL. A failed request is repeated on another node, within a small budget.
 */
export class CassandraTables implements Tables {
  private readonly statements: Map<string, Statements>;
  private readonly grouped: GroupedWrites;
  private readonly timestamps: WriteTimestamps;
  private readonly pacing: Pacing;

  constructor(
    private readonly session: Session,
    { keyspace, tables, timestamps, limits, pacing }: CassandraParts,
  ) {
    this.timestamps = timestamps;
    this.pacing = pacing;
    this.grouped = new GroupedWrites((statements) => this.send(statements), limits, isMistake, pacing);
    this.statements = new Map(tables.map((table) => [table.name, new Statements(table, keyspace)]));
  }

  /**
   * Connects, and creates missing parts of the schema.
   * @throws Unavailable when no node answers or the schema does not settle; Misconfigured when nodes of this keyspace
   *   use another data centre
   */
  static async open(options: CassandraOptions): Promise<CassandraTables> {
    const { keyspace, log, localDataCenter: dc, tables = allTables, timestamps } = options;
    const pacing = pacingOn(options.clock);
    if (!/^[A-Za-z]\w{0,47}$/.test(keyspace)) throw new RangeError(`${keyspace} is not a valid keyspace name`);
    const definer = await connectToDefine(options);
    try {
      await ensureKeyspace(definer, keyspace, { dc, replicas: options.replication }, pacing);
      await ensureTables(definer, keyspace, tables, pacing);
    } finally {
      await definer.shutdown();
    }
    // Another node than the one that created the keyspace may not know it yet.
    const client = await persistently('opening the keyspace', pacing, () => connectTo(options, keyspace));
    let limits: GroupLimits;
    try {
      if (tables.includes(storeHome)) await checkDataCenter(client, keyspace, dc, pacing);
      limits = await groupLimitsOf(client);
    } catch (error) {
      await client.shutdown();
      throw error;
    }
    client.on('hostDown', (host) => log.warn({ host: host.address }, 'lost a Cassandra node'));
    client.on('hostUp', (host) => log.info({ host: host.address }, 'reached a Cassandra node'));
    log.info(limits, 'derived the limits of a group of writes from the settings of Cassandra');
    return new CassandraTables(client, { keyspace, tables, timestamps, limits, pacing });
  }

  async get<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    key: KeyOf<P> & KeyOf<C>,
  ): Promise<V | undefined> {
    const bytes = await this.read(table, this.of(table).select(key));
    return bytes && table.value.decode(bytes);
  }

  async getMany<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    keys: readonly (KeyOf<P> & KeyOf<C>)[],
  ): Promise<(V | undefined)[]> {
    return sideBySide(keys, IN_FLIGHT_MAX, (key) => this.get(table, key));
  }

  async range<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    partition: KeyOf<P>,
    options: RangeOptions<C>,
  ): Promise<Row<P, C, V>[]> {
    checkLimit(options.limit);
    const statements = this.of(table);
    const { query, params } = statements.range(partition, options);
    const found = await this.retried(`range of ${table.name}`, () =>
      this.session.execute(query, params, { fetchSize: options.limit, ...readOptions(table) }),
    );
    return found.rows.map((row) => ({
      key: statements.keyOf(row) as KeyOf<P> & KeyOf<C>,
      value: table.value.decode(row.value as Buffer),
    }));
  }

  async write(rows: readonly RowWrite[], options?: WriteOptions): Promise<void> {
    checkWrite(rows);
    if (options?.over === true) await sideBySide(rows, IN_FLIGHT_MAX, (row) => this.writeOver(row));
    else if (rows.length > 0) await this.grouped.write(this.unitsOf(rows));
  }

  async removeRange<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    partition: KeyOf<P>,
    bounds: Bounds<C>,
  ): Promise<void> {
    checkRangeRemoval(table);
    const { query, params } = this.of(table).removeRange(partition, bounds);
    // The same timestamp for each attempt, as in `send`.
    const timestamp = this.timestamps.next();
    await this.retried(`removing rows of ${table.name}`, () => this.session.execute(query, params, { timestamp }));
  }

  async compareAndSet<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    key: KeyOf<P> & KeyOf<C>,
    expected: V | undefined,
    next: V | undefined,
  ): Promise<{ readonly applied: boolean; readonly current: V | undefined }> {
    checkConditional(table);
    let wanted = expected && bytesOf(table, expected);
    const nextBytes = next && bytesOf(table, next);
    for (;;) {
      const { applied, current } = await this.swap(table, key, wanted, nextBytes);
      if (applied) return { applied, current: next };
      // The row holds the same value as another version of the code encodes it: retry against the stored bytes.
      const respelt = current !== undefined && wanted !== undefined && !current.equals(wanted);
      if (!respelt || !sameValue(table.value, current, wanted)) {
        return { applied, current: current && table.value.decode(current) };
      }
      wanted = current;
    }
  }

  async close(): Promise<void> {
    await this.session.shutdown();
  }

  private async swap(
    table: AnyTable,
    key: Readonly<Record<string, string | number>>,
    expected: Buffer | undefined,
    next: Buffer | undefined,
  ): Promise<{ applied: boolean; current: Buffer | undefined }> {
    const select = this.of(table).select(key);
    if (expected === undefined && next === undefined) {
      const current = await this.read(table, select);
      return { applied: current === undefined, current };
    }
    const { query, params } = this.of(table).swap(key, expected, next);
    try {
      const { rows } = await this.session.execute(query, params, {
        isIdempotent: false,
        readTimeout: CONDITIONAL_TIMEOUT_MS,
      });
      const row = rows[0];
      return { applied: row?.['[applied]'] === true, current: (row?.value as Buffer | null | undefined) ?? undefined };
    } catch (error) {
      if (isMistake(error)) throw error;
      // The outcome of a failed request is unknown; a serial read settles it.
      const current = await this.read(table, select);
      const applied = next === undefined ? current === undefined : current?.equals(next) === true;
      if (applied) return { applied, current };
      throw unavailable(`changing ${table.name}`, error);
    }
  }

  private async read(table: AnyTable, { query, params }: Statement): Promise<Buffer | undefined> {
    const found = await this.retried(`reading ${table.name}`, () =>
      this.session.execute(query, params, readOptions(table)),
    );
    return (found.rows[0]?.value as Buffer | null | undefined) ?? undefined;
  }

  /** Sends the statements without a batch log. One partition is one mutation; several partitions are atomic each. */
  private async send(statements: readonly Statement[]): Promise<void> {
    const [only] = statements;
    // The same timestamp for each attempt, so that a retry never overwrites a later write of a row.
    const timestamp = this.timestamps.next();
    const request =
      only !== undefined && statements.length === 1
        ? () => this.session.execute(only.query, only.params, { timestamp })
        : () => this.session.batch(statements as Statement[], { prepare: true, logged: false, timestamp });
    await this.retried('writing rows', request);
  }

  /** Writes a row with a timestamp above the one that a quorum has for it. */
  private async writeOver({ table, key, value }: RowWrite): Promise<void> {
    const statements = this.of(table);
    const seen = statements.written(key);
    const found = await this.retried(`reading ${table.name}`, () => this.session.execute(seen.query, seen.params));
    const written = Number(found.rows[0]?.written ?? 0);
    const timestamp = Math.max(this.timestamps.next(), written + 1);
    const { query, params } = value === undefined ? statements.remove(key) : statements.put(key, bytesOf(table, value));
    await this.retried('writing rows', () => this.session.execute(query, params, { timestamp }));
  }

  private unitsOf(rows: readonly RowWrite[]): Unit[] {
    const units = new Map<string, WrittenRows>();
    for (const { table, key, value } of rows) {
      const statements = this.of(table);
      const partition = statements.partitionOf(key);
      const row = statements.rowOf(partition, key);
      const name = table.name + partition;
      let unit = units.get(name);
      if (unit === undefined) {
        unit = new WrittenRows(partition);
        units.set(name, unit);
      }
      if (value === undefined) unit.add(row, statements.remove(key), row.length);
      else {
        const encoded = bytesOf(table, value);
        unit.add(row, statements.put(key, encoded), row.length + encoded.length);
      }
    }
    const all: Unit[] = [];
    for (const unit of units.values()) all.push(unit.whole());
    return all;
  }

  private retried<T>(what: string, request: () => Promise<T>): Promise<T> {
    return retried(what, request, this.pacing);
  }

  private of(table: AnyTable): Statements {
    const found = this.statements.get(table.name);
    if (found === undefined) throw new TypeError(`${table.name} is not a table of this store`);
    return found;
  }
}

/** Rows of one partition. A later write of a row replaces an earlier one: all rows of a batch share one timestamp. */
class WrittenRows {
  private bytes = 0;
  private readonly rows = new Map<string, Statement>();

  constructor(private readonly partition: string) {}

  add(row: string, statement: Statement, bytes: number): void {
    this.bytes += bytes;
    this.rows.set(row, statement);
  }

  whole(): Unit {
    const { partition, bytes, rows } = this;
    return { statements: [...rows.values()], partition, rows: [...rows.keys()], bytes };
  }
}

/**
 * Options of a read. A read of a conditional table has the usual timeout and is repeated on another node: its
 * coordinator may be waiting for a replica that has just died, and a node that cannot read the shard map for three
 * seconds refuses requests.
 */
const readOptions = (table: AnyTable) => (table.conditional ? { consistency: types.consistencies.localSerial } : {});
const bytesOf = (table: AnyTable, value: unknown): Buffer => table.value.encode(value) as Buffer;
