import type { NodeCarriedRow } from '../../proto/gen/types.js';
import type { AnyTable } from '../../store/table.js';

/** A row by its table and key. */
export interface RowName {
  readonly table: AnyTable;
  readonly key: Readonly<Record<string, string | number>>;
}

/**
 * Rows that go with a reply to another node, because whoever asked reads them next and its node cannot have them in
 * memory: they have just been written here.
 */
export interface RowCarrier {
  /** Those that are in memory here. */
  load(rows: readonly RowName[]): readonly NodeCarriedRow[];
  /** They have come with a reply; nothing that its sender published behind it has been heard yet. */
  unload(rows: readonly NodeCarriedRow[]): void;
}

/** A node that keeps no rows, or shares them with nobody. */
export const carriesNothing: RowCarrier = { load: () => [], unload: () => undefined };
