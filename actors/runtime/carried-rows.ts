import type { NodeCarriedRow } from '../../proto/gen/types.js';
import type { AnyTable } from '../../store/table.js';

/** A row, identified by table and key. */
export interface RowName {
  readonly table: AnyTable;
  readonly key: Readonly<Record<string, string | number>>;
}

/**
 * Adds rows to replies for other nodes. The caller reads these rows next, and cannot have cached them, because the
 * command has just written them.
 */
export interface RowCarrier {
  /** Returns those of the rows that are cached here. */
  load(rows: readonly RowName[]): readonly NodeCarriedRow[];
  /** Caches rows that came with a reply, ahead of anything that the sender published after it. */
  unload(rows: readonly NodeCarriedRow[]): void;
}

/** Carrier of a node that caches no rows, or shares them with no other node. */
export const carriesNothing: RowCarrier = { load: () => [], unload: () => undefined };
