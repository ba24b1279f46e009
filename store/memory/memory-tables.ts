import type { Clock } from '../../actors/domain/time.js';
import { KeyLayout } from '../keys.js';
import type { Bounds, RangeOptions, Row, RowWrite, Tables } from '../port.js';
import { checkConditional, checkLimit, checkRangeRemoval, checkWrite, sameValue } from '../rules.js';
import type { AnyTable, Columns, KeyOf, Table } from '../table.js';
import { SortedRows } from './sorted-rows.js';

interface Stored {
  readonly bytes: Buffer;
  readonly expiresAtMs: number;
}

interface Held {
  readonly layout: KeyLayout;
  readonly rows: SortedRows<Stored>;
}

/**
 * Rows in this process's memory, for tests and simulation: nothing outlives it. Deterministic; changes take effect when
 * called and promises settle through microtasks only. `close` keeps the rows, so that a simulated node can come back to
 * them. Without a clock nothing expires.
 */
export class MemoryTables implements Tables {
  private readonly held = new Map<string, Held>();

  constructor(private readonly clock: Pick<Clock, 'nowMs'> = { nowMs: () => 0 }) {}

  async get<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    key: KeyOf<P> & KeyOf<C>,
  ): Promise<V | undefined> {
    const bytes = this.bytesAt(table, this.of(table).layout.key(key));
    return bytes && table.value.decode(bytes);
  }

  async getMany<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    keys: readonly (KeyOf<P> & KeyOf<C>)[],
  ): Promise<(V | undefined)[]> {
    return Promise.all(keys.map((key) => this.get(table, key)));
  }

  async range<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    partition: KeyOf<P>,
    options: RangeOptions<C>,
  ): Promise<Row<P, C, V>[]> {
    checkLimit(options.limit);
    const { layout, rows } = this.of(table);
    const { lo, hi } = layout.bounds(partition, options);
    const found: Row<P, C, V>[] = [];
    const nowMs = this.clock.nowMs();
    for (const [key, { bytes, expiresAtMs }] of rows.between(text(lo), text(hi), options.reverse ?? false)) {
      if (expiresAtMs <= nowMs) continue;
      found.push({
        key: layout.decode(Buffer.from(key, 'latin1')) as KeyOf<P> & KeyOf<C>,
        value: table.value.decode(bytes),
      });
      if (found.length === options.limit) break;
    }
    return found;
  }

  async write(rows: readonly RowWrite[]): Promise<void> {
    checkWrite(rows);
    // Encodes all rows before it stores the first, so that an invalid one changes nothing.
    const encoded = rows.map(({ table, key, value }) => ({
      table,
      key: this.of(table).layout.key(key),
      bytes: value === undefined ? undefined : copy(table.value.encode(value)),
    }));
    for (const { table, key, bytes } of encoded) this.store(table, key, bytes);
  }

  async removeRange<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    partition: KeyOf<P>,
    bounds: Bounds<C>,
  ): Promise<void> {
    checkRangeRemoval(table);
    const { layout, rows } = this.of(table);
    const { lo, hi } = layout.bounds(partition, bounds);
    const keys = Array.from(rows.between(text(lo), text(hi), false), ([key]) => key);
    for (const key of keys) rows.delete(key);
  }

  async compareAndSet<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    key: KeyOf<P> & KeyOf<C>,
    expected: V | undefined,
    next: V | undefined,
  ): Promise<{ readonly applied: boolean; readonly current: V | undefined }> {
    checkConditional(table);
    const at = this.of(table).layout.key(key);
    const current = this.bytesAt(table, at);
    if (!sameValue(table.value, current, expected && table.value.encode(expected))) {
      return { applied: false, current: current && table.value.decode(current) };
    }
    this.store(table, at, next && copy(table.value.encode(next)));
    return { applied: true, current: next };
  }

  async close(): Promise<void> {}

  private bytesAt(table: AnyTable, key: Buffer): Buffer | undefined {
    const found = this.of(table).rows.get(text(key));
    return found && found.expiresAtMs > this.clock.nowMs() ? found.bytes : undefined;
  }

  private store(table: AnyTable, key: Buffer, bytes: Buffer | undefined): void {
    const { rows } = this.of(table);
    if (bytes === undefined) rows.delete(text(key));
    else {
      const expiresAtMs =
        table.ttlSeconds === undefined ? Number.POSITIVE_INFINITY : this.clock.nowMs() + table.ttlSeconds * 1_000;
      rows.set(text(key), { bytes, expiresAtMs });
    }
  }

  private of(table: AnyTable): Held {
    let found = this.held.get(table.name);
    if (found === undefined) {
      found = { layout: new KeyLayout(table), rows: new SortedRows() };
      this.held.set(table.name, found);
    }
    return found;
  }
}

/** One character a byte: strings then compare like the bytes. */
const text = (key: Buffer): string => key.toString('latin1');
/** A copy, because the caller may reuse its buffer. */
const copy = (bytes: Uint8Array): Buffer => Buffer.from(bytes);
