import type { RowWrite, Tables } from '../../store/port.js';

/** What a judge knows of a store besides its present rows. */
export interface WrittenRows {
  /** Every row that was ever written, by name. */
  readonly rows: ReadonlyMap<string, Pick<RowWrite, 'table' | 'key'>>;
  /** All entries of journals that ever landed: owners remove those behind their snapshots. */
  readonly histories: Tables;
  /** Of the others the backlog is empty. */
  readonly backlogShards: ReadonlySet<number>;
}
