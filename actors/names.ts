import type { Tables } from '../store/port.js';
import { names } from '../store/tables.js';

type NameTables = Pick<Tables, 'get' | 'compareAndSet'>;

/**
 * Makes the id's claims final, once what has the names is durable: nobody takes a confirmed claim over. Of several ids that
 * confirm a name exactly one succeeds. Answers the first name that belongs to another id by now; undefined: all are its own.
 * @throws Unavailable some may be confirmed; ask again
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

/** Gives names back; those of other ids stay, and with `unconfirmedOnly` those that an account is known to have. */
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
