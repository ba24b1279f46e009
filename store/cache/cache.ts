/** The weight of a value, and the maximum of their sum. */
export interface Weights<V> {
  readonly of: (value: V) => number;
  readonly max: number;
}

/** Figures of one cache, or the sums over caches of the same name. */
export interface CacheFigures {
  readonly name: string;
  /** Values in both generations; a value that is in both counts twice. */
  readonly entries: number;
  readonly entriesMax: number;
  /** Weight of these values, in a unit of the cache; undefined if only their number is limited. */
  readonly weight: number | undefined;
  readonly weightMax: number | undefined;
  /** Lookups since the start that found a value, and that found none. */
  readonly hits: number;
  readonly misses: number;
}

/**
 * A cache of recently used values in two generations. A hit in the older one moves the value to the younger one; when
 * the younger one is full, the older one is dropped. A hit in the younger one is a single map lookup, whereas an exact
 * LRU order writes to four places of memory. Whoever caches a value deletes it when it becomes invalid.
 */
export class Cache<V extends NonNullable<unknown>> {
  readonly #name: string;
  readonly #max: number;
  readonly #half: number;
  readonly #weights: Weights<V> | undefined;
  #young = new Map<string, V>();
  #old = new Map<string, V>();
  /** Weight of the young generation, and of the old one when it was young. */
  #weight = 0;
  #oldWeight = 0;
  #hits = 0;
  #misses = 0;

  /**
   * Caches at most `max` values and at least half of them. Values that weigh too much reduce that, to no less than half
   * of the weight limit. Reports its figures to `caches` under `name`.
   */
  constructor(name: string, max: number, caches: Caches | undefined, weights?: Weights<V>) {
    this.#name = name;
    this.#max = max;
    this.#half = Math.max(1, Math.floor(max / 2));
    this.#weights = weights;
    caches?.add(this);
  }

  get figures(): CacheFigures {
    return {
      name: this.#name,
      entries: this.#young.size + this.#old.size,
      entriesMax: this.#max,
      weight: this.#weights && this.#weight + this.#oldWeight,
      weightMax: this.#weights?.max,
      hits: this.#hits,
      misses: this.#misses,
    };
  }

  get(key: string): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) {
      this.#hits += 1;
      return young;
    }
    const old = this.#old.get(key);
    if (old === undefined) {
      this.#misses += 1;
      return undefined;
    }
    this.#hits += 1;
    this.set(key, old);
    return old;
  }

  /** Returns a value as `get` does, without counting as use. */
  peek(key: string): V | undefined {
    return this.#young.get(key) ?? this.#old.get(key);
  }

  set(key: string, value: V): void {
    if (this.#weights !== undefined) this.#weigh(this.#weights, this.#young.get(key), value);
    this.#young.set(key, value);
    if (this.#young.size < this.#half && !this.#isHeavy()) return;
    this.#old = this.#young;
    this.#oldWeight = this.#weight;
    this.#young = new Map();
    this.#weight = 0;
  }

  delete(key: string): void {
    if (this.#weights !== undefined) this.#weigh(this.#weights, this.#young.get(key), undefined);
    this.#young.delete(key);
    this.#old.delete(key);
  }

  clear(): void {
    this.#young = new Map();
    this.#old = new Map();
    this.#weight = 0;
    this.#oldWeight = 0;
  }

  #weigh({ of }: Weights<V>, before: V | undefined, after: V | undefined): void {
    this.#weight += (after === undefined ? 0 : of(after)) - (before === undefined ? 0 : of(before));
  }

  #isHeavy(): boolean {
    return this.#weights !== undefined && this.#weight * 2 >= this.#weights.max;
  }
}

/** The caches of one node. They live as long as the node. */
export class Caches {
  readonly #all: { readonly figures: CacheFigures }[] = [];

  add(cache: { readonly figures: CacheFigures }): void {
    this.#all.push(cache);
  }

  /** Returns the figures of all caches, added up by name. */
  figures(): CacheFigures[] {
    const byName = new Map<string, CacheFigures>();
    for (const { figures } of this.#all) {
      const before = byName.get(figures.name);
      byName.set(figures.name, before === undefined ? figures : sumOf(before, figures));
    }
    return [...byName.values()];
  }
}

function sumOf(a: CacheFigures, b: CacheFigures): CacheFigures {
  return {
    name: a.name,
    entries: a.entries + b.entries,
    entriesMax: a.entriesMax + b.entriesMax,
    weight: a.weight === undefined || b.weight === undefined ? undefined : a.weight + b.weight,
    weightMax: a.weightMax === undefined || b.weightMax === undefined ? undefined : a.weightMax + b.weightMax,
    hits: a.hits + b.hits,
    misses: a.misses + b.misses,
  };
}
