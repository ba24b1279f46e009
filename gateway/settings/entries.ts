import { storedId } from '../../actors/domain/ids.js';
import type { Collection } from '../../actors/instance/entries.js';
import type { InstanceEntry } from '../../proto/gen/types.js';
import type { CachedTables, WrittenRow } from '../../store/cache/cached-tables.js';
import { RANGE_LIMIT_MAX } from '../../store/port.js';
import { instanceEntries } from '../../store/tables.js';

/** A collection that is cached or being read. */
interface CachedEntries {
  readonly reading: Promise<readonly InstanceEntry[]>;
  /** Present after the read; updated by notifications. */
  found: readonly InstanceEntry[] | undefined;
}

/**
 * Settings and other entries of administrators, in the order of creation. A collection is cached until it changes. There
 * are a few collections, so nothing is evicted.
 */
export class InstanceEntries {
  readonly #tables: Pick<CachedTables, 'range'>;
  readonly #cache = new Map<string, CachedEntries>();
  readonly #listeners = new Map<string, (() => void)[]>();

  constructor(tables: Pick<CachedTables, 'range' | 'onChanged'>) {
    this.#tables = tables;
    tables.onChanged((rows) => {
      if (rows === undefined) this.#allChanged();
      else for (const row of rows) if (row.table === instanceEntries.name) this.#changed(row);
    });
  }

  /** Calls the listener after each change of the collection, by any node; the cache shows the change already. */
  onChanged(collection: Collection, listener: () => void): void {
    const known = this.#listeners.get(collection);
    if (known === undefined) this.#listeners.set(collection, [listener]);
    else known.push(listener);
  }

  /** Returns a collection. @throws Unavailable when the store cannot answer */
  async of(collection: Collection): Promise<readonly InstanceEntry[]> {
    const known = this.#cache.get(collection);
    if (known !== undefined) return known.found ?? known.reading;
    const cached: CachedEntries = { reading: this.#read(collection), found: undefined };
    this.#cache.set(collection, cached);
    try {
      cached.found = await cached.reading;
      return cached.found;
    } catch (error) {
      if (this.#cache.get(collection) === cached) this.#cache.delete(collection);
      throw error;
    }
  }

  /** Returns a collection from the cache; undefined if it is not cached. */
  peek(collection: Collection): readonly InstanceEntry[] | undefined {
    return this.#cache.get(collection)?.found;
  }

  async find(collection: Collection, id: string): Promise<InstanceEntry | undefined> {
    return (await this.of(collection)).find((entry) => entry.id === id);
  }

  /** Returns a setting; undefined if it was never set. */
  async setting(name: string): Promise<InstanceEntry | undefined> {
    return (await this.of('settings')).find((entry) => entry.key === name);
  }

  /**
   * Applies a change. A change that carries its value takes effect at once, without a read, before the administrator's
   * request is answered.
   */
  #changed({ key, now }: WrittenRow): void {
    const [collection = '', id = ''] = key;
    const cached = this.#cache.get(collection);
    if (cached?.found === undefined || now === undefined) this.#cache.delete(collection);
    else cached.found = withEntry(cached.found, id, now.value as InstanceEntry | undefined);
    for (const listener of this.#listeners.get(collection) ?? []) listener();
  }

  #allChanged(): void {
    this.#cache.clear();
    for (const listeners of this.#listeners.values()) for (const listener of listeners) listener();
  }

  async #read(collection: string): Promise<readonly InstanceEntry[]> {
    const rows = await this.#tables.range(instanceEntries, { collection }, { limit: RANGE_LIMIT_MAX });
    return rows.map(({ value }) => value);
  }
}

/** Returns the entries with a change applied, in the order of ids, which is the order of creation. */
function withEntry(all: readonly InstanceEntry[], id: string, entry: InstanceEntry | undefined): InstanceEntry[] {
  const others = all.filter((one) => storedId(one.id) !== id);
  if (entry === undefined) return others;
  const later = others.findIndex((one) => storedId(one.id) > id);
  return later < 0 ? [...others, entry] : others.toSpliced(later, 0, entry);
}
