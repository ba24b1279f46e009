import { sameValue } from '../../../store/rules.js';
import type { WrittenRows } from '../services/written-rows.js';
import type { Ended } from './invariants.js';

/** Checks that each row in a node's cache equals the row of the store. */
export async function cachesAreTrue({ shared, nodes, violations }: Ended, { rows }: WrittenRows): Promise<void> {
  for (const [name, { table, key }] of rows) {
    if (table.hot !== true) continue;
    const stored = (await shared.get(table, key as never)) as object | undefined;
    const bytesOf = (row: object | undefined) => row && table.value.encode(row);
    for (const node of nodes) {
      const cached = node.tables.peek(table, key as never) as object | undefined;
      if (cached === undefined || sameValue(table.value, bytesOf(cached), bytesOf(stored))) continue;
      violations.report('cachesAreTrue', `${node.name} has another ${name} in memory than the store`);
    }
  }
}
