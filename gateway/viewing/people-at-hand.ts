import type { StoreAccountRecord } from '../../proto/gen/types.js';
import { accounts } from '../../store/tables.js';
import type { Soon } from '../paging/soon.js';
import type { ReadServices } from './read-services.js';

/** Look-up of accounts by id. */
export type People = Pick<ReadonlyMap<string, StoreAccountRecord>, 'get'>;

/**
 * Cached accounts. Nearly always the cache has all accounts of a page, and then their ids need not be collected first.
 */
export class PeopleAtHand implements People {
  /** True if every look-up so far was a hit. */
  complete = true;
  readonly #tables: ReadServices['tables'];

  constructor({ tables }: Pick<ReadServices, 'tables'>) {
    this.#tables = tables;
  }

  get(id: string): StoreAccountRecord | undefined {
    const found = this.#tables.peekId?.(accounts, id);
    if (found === undefined) this.complete = false;
    return found;
  }
}

/** Loads accounts by id; deleted ones are missing from the result. */
export function loadAccounts(
  services: Pick<ReadServices, 'tables'>,
  ids: readonly string[],
): Soon<ReadonlyMap<string, StoreAccountRecord>> {
  const found = new Map<string, StoreAccountRecord>();
  const missing = new Set<string>();
  for (const id of ids) {
    if (found.has(id) || missing.has(id)) continue;
    const held = services.tables.peekId?.(accounts, id);
    if (held === undefined) missing.add(id);
    else found.set(id, held);
  }
  if (missing.size === 0) return found;
  const keys = Array.from(missing, (account) => ({ account }));
  return services.tables.getMany(accounts, keys).then((records) => {
    for (const record of records) if (record !== undefined) found.set(record.id, record);
    return found;
  });
}
