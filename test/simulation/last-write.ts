import type { RowWrite, Tables } from '../../store/port.js';

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
}
