import type { RowWrite, Tables } from '../../../store/port.js';

/** A judge's knowledge of a store besides its present rows. */
export interface WrittenRows {
  /** Every row that was ever written, by name. */
  readonly rows: ReadonlyMap<string, Pick<RowWrite, 'table' | 'key'>>;
  /** All entries of journals that ever landed: owners remove those before their snapshots. */
  readonly histories: Tables;
  /** Shards with backlog rows; the backlog of all others is empty. */
  readonly backlogShards: ReadonlySet<number>;
}
