import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { Unavailable } from '../../actors/domain/problem.js';
import type { Clock } from '../../actors/domain/time.js';
import { KeyLayout } from '../keys.js';
import { type Pacing, pacingOn, turnsEnd } from '../pacing.js';
import type { Bounds, RangeOptions, Row, RowWrite, Tables, WriteOptions } from '../port.js';
import { makePrivate, makePrivateFolder, PRIVATE_FILE_MODE } from '../private-folder.js';
import { checkConditional, checkLimit, checkRangeRemoval, checkWrite, sameValue } from '../rules.js';
import type { StoreLog } from '../store-log.js';
import type { AnyTable, Columns, KeyOf, Table } from '../table.js';
import { allTables } from '../tables.js';
import { Checkpoints } from './checkpoint.js';
import { CommitQueue } from './commit-queue.js';
import { type Device, disk } from './device.js';
import { FolderLock } from './folder-lock.js';
import type { Logged } from './log-format.js';
import { Outage } from './outage.js';
import { type Change, type HeldTable, keyBytes, keyText, Overlay } from './overlay.js';
import { partitionsOf, rangeOf } from './range-of.js';
import { CHECKPOINT_BYTES, RecentWrites } from './recent-writes.js';
import { WriteLog } from './write-log.js';

export interface LmdbOptions {
  /** Created if absent; its file system must be local. */
  readonly folder: string;
  readonly clock: Pick<Clock, 'nowMs' | 'after'>;
  readonly log: StoreLog;
  readonly tables?: readonly AnyTable[];
  /** Size of the write log, in bytes, from which its rows are copied into LMDB. */
  readonly checkpointBytes?: number;
  /** The disk; tests replace it. */
  readonly device?: Device;
}

/** Initially reserved address space; it grows with the data. */
const MAP_BYTES = 2 ** 30;
/** Rows that one step of `getMany` reads: some 3 ms of the event loop, for accounts that were not read before. */
const READ_ROWS_MAX = 128;
/** Rows that one step of `range` decodes: a millisecond, and 3 ms before V8 has compiled the decoder. */
const DECODED_ROWS_MAX = 256;
/** Rows that one step of a removal deletes: about a millisecond of the event loop. */
const REMOVED_ROWS_MAX = 512;
/** Size of the expiry time that precedes the value in tables with a TTL. */
const EXPIRY_BYTES = 8;

/**
 * Rows in one LMDB environment, embedded in this process, which locks the folder. A write is atomic whatever its
 * partitions, and on disk when resolved: in a log, from which rows are copied into LMDB later, many at a time; until
 * then they are read from memory. On a full disk writes reject with Unavailable and have no effect, reads continue, and
 * writes work again when there is space.
 */
export class LmdbTables implements Tables {
  private readonly queue: CommitQueue;
  /** The last compareAndSet under way of each row. */
  private readonly deciding = new Map<string, Promise<unknown>>();
  private closed = false;

  private constructor(
    private readonly root: RootDatabase<Buffer, Buffer>,
    private readonly held: ReadonlyMap<string, HeldTable>,
    private readonly recent: RecentWrites,
    private readonly lock: FolderLock,
    private readonly options: LmdbOptions,
    private readonly closeLog: () => Promise<void>,
    private readonly pacing: Pick<Pacing, 'atTurnsEnd'>,
  ) {
    this.queue = new CommitQueue(recent, pacing);
  }

  /**
   * Opens the store.
   * @throws Unavailable another process has the folder open; Error it cannot be opened, is damaged or is not a store
   */
  static async open(options: LmdbOptions): Promise<LmdbTables> {
    const { folder } = options;
    await makePrivateFolder(folder);
    const lock = await FolderLock.take(folder);
    try {
      const root = open<Buffer, Buffer>(environment(folder));
      try {
        return await LmdbTables.openIn(root, lock, options);
      } catch (error) {
        await root.close();
        throw error;
      }
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  private static async openIn(
    root: RootDatabase<Buffer, Buffer>,
    lock: FolderLock,
    options: LmdbOptions,
  ): Promise<LmdbTables> {
    const { folder, checkpointBytes = CHECKPOINT_BYTES, device = disk } = options;
    const pacing = pacingOn(options.clock);
    const db = (name: string) => root.openDB({ name, ...BINARY });
    const held = (table: AnyTable, index: number): HeldTable => {
      return { name: table.name, index, layout: new KeyLayout(table), db: db(table.name) };
    };
    // One transaction for all: otherwise each table has its own, which at the first start takes a tenth of the time.
    const tables = root.transactionSync(() => (options.tables ?? allTables).map(held));
    for (const name of ['data.mdb', 'lock.mdb']) await makePrivate(join(folder, name), PRIVATE_FILE_MODE);
    const byName = new Map(tables.map((table) => [table.name, table]));
    const checkpoints = await Checkpoints.open(root, db, device, pacing);
    const { storeId, completed } = checkpoints;
    const { log, found, last } = await WriteLog.open({ folder, tables, storeId, completed, device, log: options.log });
    try {
      if (last > completed) await checkpoints.bringIn(overlayOf(found, byName), last);
    } catch (error) {
      await log.close();
      throw error;
    }
    const recent = new RecentWrites(checkpoints, log, new Outage(options.log).outcome, checkpointBytes, pacing);
    return new LmdbTables(root, byName, recent, lock, options, () => log.close(), pacing);
  }

  async get<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    key: KeyOf<P> & KeyOf<C>,
  ): Promise<V | undefined> {
    const held = this.of(table);
    return this.valueAt(table, held, held.layout.key(key));
  }

  async getMany<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    keys: readonly (KeyOf<P> & KeyOf<C>)[],
  ): Promise<(V | undefined)[]> {
    const held = this.of(table);
    const found: (V | undefined)[] = [];
    for (const [place, key] of keys.entries()) {
      if (place > 0 && place % READ_ROWS_MAX === 0) await this.nextTurn();
      found.push(this.valueAt(table, held, held.layout.key(key)));
    }
    return found;
  }

  async range<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    partition: KeyOf<P>,
    options: RangeOptions<C>,
  ): Promise<Row<P, C, V>[]> {
    checkLimit(options.limit);
    const held = this.of(table);
    const { layout } = held;
    const bounds = { ...layout.bounds(partition, options), reverse: options.reverse === true };
    const rows: Row<P, C, V>[] = [];
    // All rows are as of this turn. A value's memory may be reused after it.
    const later: { readonly key: KeyOf<P> & KeyOf<C>; readonly bytes: Buffer }[] = [];
    for (const { key, value } of rangeOf(held, this.recent.overlays, layout.partitionKey(partition), bounds)) {
      const bytes = this.alive(table, held, key, value);
      if (bytes === undefined) continue;
      const at = layout.decode(key) as KeyOf<P> & KeyOf<C>;
      if (rows.length < DECODED_ROWS_MAX) rows.push({ key: at, value: table.value.decode(bytes) });
      else later.push({ key: at, bytes: Buffer.from(bytes) });
      if (rows.length + later.length === options.limit) break;
    }
    for (const [place, { key, bytes }] of later.entries()) {
      if (place % DECODED_ROWS_MAX === 0) await this.nextTurn();
      rows.push({ key, value: table.value.decode(bytes) });
    }
    return rows;
  }

  async partitions<P extends Columns, C extends Columns, V>(table: Table<P, C, V>): Promise<KeyOf<P>[]> {
    const held = this.of(table);
    const names = partitionsOf(held, this.recent.overlays);
    return Array.from(names, (name) => held.layout.decodePartition(keyBytes(name)) as KeyOf<P>);
  }

  async write(rows: readonly RowWrite[], options?: WriteOptions): Promise<void> {
    checkWrite(rows);
    if (rows.length === 0) return;
    const changes: Change[] = [];
    for (const { table, key, value } of rows) {
      const held = this.of(table);
      const bytes = value === undefined ? undefined : this.stored(table, value);
      changes.push({ table: held, key: held.layout.key(key), bytes });
    }
    if (options?.deferred === true && this.queue.defer(changes)) return;
    await this.queue.commit(changes);
  }

  async removeRange<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    partition: KeyOf<P>,
    bounds: Bounds<C>,
  ): Promise<void> {
    checkRangeRemoval(table);
    const held = this.of(table);
    const at = held.layout.partitionKey(partition);
    const between = { ...held.layout.bounds(partition, bounds), reverse: false };
    for (;;) {
      const changes: Change[] = [];
      for (const { key } of rangeOf(held, this.recent.overlays, at, between)) {
        changes.push({ table: held, key: Buffer.from(key), bytes: undefined });
        if (changes.length === REMOVED_ROWS_MAX) break;
      }
      if (changes.length === 0) return;
      await this.queue.commit(changes);
      if (changes.length < REMOVED_ROWS_MAX) return;
      between.lo = changes.at(-1)?.key as Buffer;
    }
  }

  async compareAndSet<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    key: KeyOf<P> & KeyOf<C>,
    expected: V | undefined,
    next: V | undefined,
  ): Promise<{ readonly applied: boolean; readonly current: V | undefined }> {
    checkConditional(table);
    const held = this.of(table);
    const at = held.layout.key(key);
    const name = `${table.name}\0${at.toString('latin1')}`;
    // One at a time per row; each sees the durable result of the previous one.
    const before = this.deciding.get(name) ?? Promise.resolve();
    const decided = before.then(() => this.decide(table, held, at, expected, next));
    const settled = decided.then(
      () => undefined,
      () => undefined,
    );
    this.deciding.set(name, settled);
    try {
      return await decided;
    } finally {
      if (this.deciding.get(name) === settled) this.deciding.delete(name);
    }
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    await this.queue.whenIdle();
    await this.recent.settle().catch((error) => {
      this.options.log.warn({ err: error }, 'failed to copy rows from the log into LMDB; the next start copies them');
    });
    this.recent.stop();
    await this.closeLog();
    await this.root.close();
    await this.lock.release();
  }

  private async decide<V>(
    table: Table<Columns, Columns, V>,
    held: HeldTable,
    at: Buffer,
    expected: V | undefined,
    next: V | undefined,
  ): Promise<{ readonly applied: boolean; readonly current: V | undefined }> {
    const bytes = this.bytesAt(table, held, at);
    if (!sameValue(table.value, bytes, expected && table.value.encode(expected))) {
      return { applied: false, current: bytes && table.value.decode(bytes) };
    }
    await this.queue.commit([{ table: held, key: at, bytes: next && this.stored(table, next) }]);
    return { applied: true, current: next };
  }

  /** Resolves in a later turn of the event loop. @throws Unavailable when the store was closed meanwhile */
  private async nextTurn(): Promise<void> {
    await turnsEnd(this.pacing);
    if (this.closed) throw new Unavailable('the store is closed');
  }

  private valueAt<V>(table: Table<Columns, Columns, V>, held: HeldTable, key: Buffer): V | undefined {
    const bytes = this.bytesAt(table, held, key);
    return bytes && table.value.decode(bytes);
  }

  private bytesAt(table: AnyTable, held: HeldTable, key: Buffer): Buffer | undefined {
    const recent = this.recent.get(held, keyText(key));
    const found = recent === undefined ? held.db.getBinary(key) : (recent ?? undefined);
    return found && this.alive(table, held, key, found);
  }

  private stored(table: AnyTable, value: unknown): Buffer {
    const bytes = table.value.encode(value) as Buffer;
    if (table.ttlSeconds === undefined) return bytes;
    const prefix = Buffer.allocUnsafe(EXPIRY_BYTES);
    prefix.writeDoubleBE(this.options.clock.nowMs() + table.ttlSeconds * 1_000);
    return Buffer.concat([prefix, bytes]);
  }

  /** Returns the value's bytes unless the row has expired; removes an expired row. */
  private alive(table: AnyTable, held: HeldTable, key: Buffer, stored: Buffer): Buffer | undefined {
    if (table.ttlSeconds === undefined) return stored;
    if (stored.readDoubleBE() > this.options.clock.nowMs()) return stored.subarray(EXPIRY_BYTES);
    // Only while no write is pending: a pending write might replace the row.
    if (this.queue.idle) {
      this.queue.commit([{ table: held, key: Buffer.from(key), bytes: undefined }]).catch((error) => {
        this.options.log.warn({ err: error }, 'failed to remove an expired row; the next reader tries again');
      });
    }
    return undefined;
  }

  private of(table: AnyTable): HeldTable {
    const found = this.held.get(table.name);
    if (found === undefined) throw new TypeError(`${table.name} is not a table of this store`);
    return found;
  }
}

/** Builds an overlay from the rows that a process left in the log because it did not close its store. */
function overlayOf(found: readonly Logged[], tables: ReadonlyMap<string, HeldTable>): Overlay {
  const overlay = new Overlay();
  for (const { table: name, key, bytes } of found) {
    const table = tables.get(name);
    if (table === undefined) throw new Error(`the log names ${name}, which is not a table of this store`);
    overlay.apply({ table, key, bytes });
  }
  return overlay;
}

const BINARY = { encoding: 'binary', keyEncoding: 'binary' } as const;

/** LMDB's options for the store's folder. */
export const environment = (path: string) => ({
  path,
  noSubdir: false,
  maxDbs: 128,
  mapSize: MAP_BYTES,
  // A commit then resolves only when it is on disk, and reports its failure in one way.
  overlappingSync: false,
  // RecentWrites forms the transactions.
  eventTurnBatching: false,
  permissionsMode: PRIVATE_FILE_MODE,
  ...BINARY,
});
