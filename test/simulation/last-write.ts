import { MemoryTables } from '../../store/memory/memory-tables.js';
import { type Bounds, RANGE_LIMIT_MAX, type RowWrite, remove, type Tables } from '../../store/port.js';
import type { AnyTable, Columns, KeyOf, Table } from '../../store/table.js';
import { backlog, backlogFloors, journal } from '../../store/tables.js';

/**
 * The store's rule for rows that are written twice: the write with the later timestamp wins, whichever lands first.
 * Source: Cassandra, which compares the timestamps of the writers' clocks.
 */
export class LastWriteWins {
  /** Every row that was ever written. */
  readonly rows = new Map<string, Pick<RowWrite, 'table' | 'key'>>();
  /** All entries that ever landed: owners remove those before their snapshots. */
  readonly histories: Tables = new MemoryTables();
  private readonly stamps = new Map<string, number>();
  /** Shards with backlog rows; the backlog of all others is empty. */
  readonly backlogShards = new Set<number>();

  constructor(private readonly tables: Tables) {}

  async write(rows: readonly RowWrite[], stamp: number): Promise<void> {
    const winning = rows.filter((row) => {
      const key = `${row.table.name} ${JSON.stringify(row.key)}`;
      if (stamp < (this.stamps.get(key) ?? 0)) return false;
      this.stamps.set(key, stamp);
      this.rows.set(key, row);
      if (isBacklog(row.table)) this.backlogShards.add(Number(row.key.shard));
      return true;
    });
    if (winning.length === 0) return;
    const entries = winning.filter(({ table, key, value }) => table.name === journal.name && value && key.seq !== 0);
    await Promise.all([this.tables.write(winning), this.histories.write(entries)]);
  }

  /** Rows that land after the removal with an earlier timestamp stay, unlike in Cassandra: readers must handle both. */
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

export const isBacklog = (table: AnyTable): boolean => table.name === backlog.name || table.name === backlogFloors.name;
