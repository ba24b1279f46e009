import { type Bounds, RANGE_LIMIT_MAX, type RowWrite, remove, type Tables } from '../../store/port.js';
import type { Columns, KeyOf, Table } from '../../store/table.js';

/**
 * The shared store's rule for rows that are written twice: the write with the later timestamp wins, whichever lands
 * first. Source: Cassandra, which compares what the writers' clocks said.
 */
export class LastWriteWins {
  private readonly stamps = new Map<string, number>();

  constructor(private readonly tables: Tables) {}

  write(rows: readonly RowWrite[], stamp: number): Promise<void> {
    const winning = rows.filter((row) => {
      const key = `${row.table.name} ${JSON.stringify(row.key)}`;
      if (stamp < (this.stamps.get(key) ?? 0)) return false;
      this.stamps.set(key, stamp);
      return true;
    });
    return winning.length === 0 ? Promise.resolve() : this.tables.write(winning);
  }

  /** Of rows that land later, those with an earlier timestamp stay, unlike Cassandra's: readers must bear both. */
  async removeRange<P extends Columns, C extends Columns, V>(
    table: Table<P, C, V>,
    partition: KeyOf<P>,
    { after, before }: Bounds<C>,
    stamp: number,
  ): Promise<void> {
    const rows = await this.tables.range(table, partition, { after, before, limit: RANGE_LIMIT_MAX });
    for (const { key } of rows) await this.write([remove(table, key)], stamp);
  }
}
