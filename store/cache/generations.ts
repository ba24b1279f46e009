/** What values weigh, and how much of them is kept at most. */
export interface Weights<V> {
  readonly of: (value: V) => number;
  readonly max: number;
}

/**
 * Keeps what was used of late, in two generations: what is used of the older one moves to the younger, and when that
 * is full the older goes. A hit in the younger one is one look into a map, where keeping an exact order of use writes
 * to four places of memory.
 */
export class Generations<V extends object> {
  readonly #half: number;
  readonly #weights: Weights<V> | undefined;
  #young = new Map<string, V>();
  #old = new Map<string, V>();
  /** Of the young ones. */
  #weight = 0;

  /** Keeps `max` at most, and half of it at least; less where they weigh too much, again half of that at least. */
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

  /** As `get`, but it does not count as use. */
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
