import type { Tables } from '../store/port.js';
import { names } from '../store/tables.js';

type NameTables = Pick<Tables, 'get' | 'compareAndSet'>;

/**
 * Confirms the id's claims, after the owner of the names is durable. A confirmed claim cannot be taken over. If several
 * ids confirm a name, exactly one succeeds. Returns the first name that belongs to another id, or undefined if all
 * belong to this id.
 * @throws Unavailable when some may be confirmed; call it again
 */
export async function confirmNames(
  tables: NameTables,
  held: readonly string[],
  id: string,
  atMs: number,
): Promise<string | undefined> {
  for (const name of held) {
    let current = await tables.get(names, { name });
    while (!(current?.id === id && current.confirmed)) {
      if (current !== undefined && current.id !== id) return name;
      const confirmed = { id, atMs, confirmed: true };
      const change = await tables.compareAndSet(names, { name }, current, confirmed);
      current = change.applied ? confirmed : change.current;
    }
  }
  return undefined;
}

/** Deletes the id's claims. With `unconfirmedOnly` it leaves confirmed claims. Claims of other ids stay. */
export async function releaseNames(
  tables: NameTables,
  held: readonly string[],
  id: string,
  unconfirmedOnly: boolean,
): Promise<void> {
  for (const name of held) {
    const current = await tables.get(names, { name });
    if (current?.id !== id || (unconfirmedOnly && current.confirmed)) continue;
    await tables.compareAndSet(names, { name }, current, undefined);
  }
}
