/** The weight of a value, and the maximum of their sum. */
export interface Weights<V> {
  readonly of: (value: V) => number;
  readonly max: number;
}

/**
 * A cache of recently used values in two generations. A hit in the older one moves the value to the younger one; when
 * the younger one is full, the older one is dropped. A hit in the younger one is a single map lookup, whereas an exact
 * LRU order writes to four places of memory.
 */
export class Generations<V extends object> {
  readonly #half: number;
  readonly #weights: Weights<V> | undefined;
  #young = new Map<string, V>();
  #old = new Map<string, V>();
  /** Weight of the young generation. */
  #weight = 0;

  /**
   * Caches at most `max` values and at least half of them. Values that weigh too much reduce that, to no less than half
   * of the weight limit.
   */
  constructor(max: number, weights?: Weights<V>) {
    this.#half = Math.max(1, Math.floor(max / 2));
    this.#weights = weights;
  }

  get(key: string): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
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
  }

  #weigh({ of }: Weights<V>, before: V | undefined, after: V | undefined): void {
    this.#weight += (after === undefined ? 0 : of(after)) - (before === undefined ? 0 : of(before));
  }

  #isHeavy(): boolean {
    return this.#weights !== undefined && this.#weight * 2 >= this.#weights.max;
  }
}
