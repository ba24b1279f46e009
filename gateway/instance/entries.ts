import type { Collection } from '../../actors/instance/entries.js';
import type { InstanceEntry } from '../../proto/gen/types.js';
import type { CachedTables } from '../../store/cached-tables.js';
import { RANGE_LIMIT_MAX } from '../../store/port.js';
import { instanceEntries } from '../../store/tables.js';

/** What the instance's people have set, kept until it changes; in the order in which it was made. */
export class InstanceEntries {
  readonly #tables: Pick<CachedTables, 'range'>;
  readonly #kept = new Map<string, Promise<readonly InstanceEntry[]>>();

  constructor(tables: Pick<CachedTables, 'range' | 'onChanged'>) {
    this.#tables = tables;
    tables.onChanged((rows) => {
      if (rows === undefined) this.#kept.clear();
      else for (const { table, key } of rows) if (table === instanceEntries.name) this.#kept.delete(key[0] ?? '');
    });
  }

  /** @throws Unavailable when the store cannot answer */
  async of(collection: Collection): Promise<readonly InstanceEntry[]> {
    const kept = this.#kept.get(collection);
    if (kept !== undefined) return kept;
    const reading = this.#read(collection);
    this.#kept.set(collection, reading);
    reading.catch(() => {
      if (this.#kept.get(collection) === reading) this.#kept.delete(collection);
    });
    return reading;
  }

  async find(collection: Collection, id: string): Promise<InstanceEntry | undefined> {
    return (await this.of(collection)).find((entry) => entry.id === id);
  }

  /** The text of a setting; undefined when it was never set. */
  async setting(name: string): Promise<InstanceEntry | undefined> {
    return (await this.of('settings')).find((entry) => entry.key === name);
  }

  async #read(collection: string): Promise<readonly InstanceEntry[]> {
    const rows = await this.#tables.range(instanceEntries, { collection }, { limit: RANGE_LIMIT_MAX });
    return rows.map(({ value }) => value);
  }
}
