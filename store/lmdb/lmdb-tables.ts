import { mkdir } from 'node:fs/promises';
import { type Database, open, type RootDatabase } from 'lmdb';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../actors/domain/time.js';
import { KeyLayout } from '../keys.js';
import type { RangeOptions, Row, RowWrite, Tables } from '../port.js';
import { checkConditional, checkLimit, checkWrite, sameValue } from '../rules.js';
import type { StoreLog } from '../store-log.js';
import type { AnyTable, Columns, KeyOf, Table } from '../table.js';
import { allTables } from '../tables.js';
import { type Change, CommitQueue } from './commit-queue.js';
import { FolderLock } from './folder-lock.js';

export interface LmdbOptions {
  /** Made if absent; its file system must be local. */
  readonly folder: string;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly log: StoreLog;
  readonly tables?: readonly AnyTable[];
}

interface Held {
  readonly layout: KeyLayout;
  readonly db: Database<Buffer, Buffer>;
}

/** Address space reserved at first; it grows when the data does. */
const MAP_BYTES = 2 ** 30;
/** Accounts that a node serves at a time; some KiB each. */
const DECODED_MAX = 10_000;
/** Tables with a TTL keep, before the value, the time at which the row vanishes. */
const EXPIRY_BYTES = 8;

/**
 * Rows in one LMDB environment, embedded in this process, which has the folder for itself. A write is one
 * transaction whatever its partitions, and on disk (fdatasync) when resolved. On a full disk writes reject with
 * Unavailable and leave nothing behind, reads go on, and writes work again when there is space.
 */
export class LmdbTables implements Tables {
  private readonly held = new Map<string, Held>();
  /** Values of hot tables with the bytes that they were decoded from: comparing costs a tenth of decoding. */
  private readonly decoded = new LRUCache<string, { readonly bytes: Buffer; readonly value: unknown }>({
    max: DECODED_MAX,
  });
  private readonly queue: CommitQueue;
  /** The last compareAndSet of each row that is under way. */
  private readonly deciding = new Map<string, Promise<unknown>>();
  private closed = false;

  private constructor(
    private readonly root: RootDatabase<Buffer, Buffer>,
    private readonly lock: FolderLock,
    private readonly options: LmdbOptions,
  ) {
    this.queue = new CommitQueue(root, options.log);
    for (const table of options.tables ?? allTables) {
      const db = root.openDB({ name: table.name, ...BINARY });
      this.held.set(table.name, { layout: new KeyLayout(table), db });
    }
  }

  /** @throws Unavailable another process holds the folder; Error it cannot be opened or is not a store */
  static async open(options: LmdbOptions): Promise<LmdbTables> {
    await mkdir(options.folder, { recursive: true });
    const lock = await FolderLock.take(options.folder);
    try {
      const root = open<Buffer, Buffer>({
        path: options.folder,
        noSubdir: false,
        maxDbs: 128,
        mapSize: MAP_BYTES,
        // A commit then resolves only when it is on disk, and its failure has one way to show.
        overlappingSync: false,
        // CommitQueue forms the groups.
        eventTurnBatching: false,
        ...BINARY,
      });
      return new LmdbTables(root, lock, options);
    } catch (error) {
      await lock.release();
      throw error;
    }
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
    return keys.map((key) => this.valueAt(table, held, held.layout.key(key)));
  }

  async range<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    partition: KeyOf<P>,
    options: RangeOptions<C>,
  ): Promise<Row<P, C, V>[]> {
    checkLimit(options.limit);
    const { layout, db } = this.of(table);
    const { lo, hi } = layout.bounds(partition, options);
    const between = options.reverse
      ? { start: hi, exclusiveStart: true, end: lo, inclusiveEnd: true, reverse: true }
      : { start: lo, end: hi };
    const rows: Row<P, C, V>[] = [];
    const limit = table.ttlSeconds === undefined ? { limit: options.limit } : {};
    for (const { key, value } of db.getRange({ ...between, ...limit })) {
      const bytes = this.alive(table, db, key, value);
      if (bytes === undefined) continue;
      rows.push({ key: layout.decode(key) as KeyOf<P> & KeyOf<C>, value: table.value.decode(bytes) });
      if (rows.length === options.limit) break;
    }
    return rows;
  }

  async write(rows: readonly RowWrite[]): Promise<void> {
    checkWrite(rows);
    if (rows.length === 0) return;
    const changes: Change[] = [];
    for (const { table, key, value } of rows) {
      const { layout, db } = this.of(table);
      changes.push({ db, key: layout.key(key), bytes: value === undefined ? undefined : this.stored(table, value) });
    }
    await this.queue.commit(changes);
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
    // One after the other per row, each seeing what the one before made durable.
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
    await this.root.close();
    await this.lock.release();
  }

  private async decide<V>(
    table: Table<Columns, Columns, V>,
    { db }: Held,
    at: Buffer,
    expected: V | undefined,
    next: V | undefined,
  ): Promise<{ readonly applied: boolean; readonly current: V | undefined }> {
    const found = db.getBinary(at);
    const bytes = found && this.alive(table, db, at, found);
    if (!sameValue(table.value, bytes, expected && table.value.encode(expected))) {
      return { applied: false, current: bytes && table.value.decode(bytes) };
    }
    await this.queue.commit([{ db, key: at, bytes: next && this.stored(table, next) }]);
    return { applied: true, current: next };
  }

  private valueAt<V>(table: Table<Columns, Columns, V>, { db }: Held, key: Buffer): V | undefined {
    const found = db.getBinary(key);
    const bytes = found && this.alive(table, db, key, found);
    if (bytes === undefined || table.hot !== true) return bytes && table.value.decode(bytes);
    const name = `${table.name}\0${key.toString('latin1')}`;
    const kept = this.decoded.get(name);
    if (kept?.bytes.equals(bytes)) return kept.value as V;
    const value = table.value.decode(bytes);
    this.decoded.set(name, { bytes, value });
    return value;
  }

  private stored(table: AnyTable, value: unknown): Buffer {
    const bytes = table.value.encode(value) as Buffer;
    if (table.ttlSeconds === undefined) return bytes;
    const prefix = Buffer.allocUnsafe(EXPIRY_BYTES);
    prefix.writeDoubleBE(this.options.clock.nowMs() + table.ttlSeconds * 1_000);
    return Buffer.concat([prefix, bytes]);
  }

  /** The value's bytes unless the row has expired; then it is removed, in passing. */
  private alive(table: AnyTable, db: Database<Buffer, Buffer>, key: Buffer, stored: Buffer): Buffer | undefined {
    if (table.ttlSeconds === undefined) return stored;
    if (stored.readDoubleBE() > this.options.clock.nowMs()) return stored.subarray(EXPIRY_BYTES);
    // Only while nothing is being written: the row in a write under way could be the key's next.
    if (this.queue.idle) {
      this.queue.commit([{ db, key: Buffer.from(key), bytes: undefined }]).catch((error) => {
        this.options.log.warn({ err: error }, 'an expired row could not be removed; the next reader tries again');
      });
    }
    return undefined;
  }

  private of(table: AnyTable): Held {
    const found = this.held.get(table.name);
    if (found === undefined) throw new TypeError(`${table.name} is not a table of this store`);
    return found;
  }
}

const BINARY = { encoding: 'binary', keyEncoding: 'binary' } as const;
