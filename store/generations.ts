/**
 * Keeps what was used of late, in two generations: what is used of the older one moves to the younger, and when that
 * is full the older goes. A hit in the younger one is one look into a map, where keeping an exact order of use writes
 * to four places of memory.
 */
export class Generations<V extends object> {
  readonly #half: number;
  #young = new Map<string, V>();
  #old = new Map<string, V>();

  /** Keeps `max` at most, and half of it at least. */
  constructor(max: number) {
    this.#half = Math.max(1, Math.floor(max / 2));
  }

  get(key: string): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: string, value: V): void {
    this.#young.set(key, value);
    if (this.#young.size < this.#half) return;
    this.#old = this.#young;
    this.#young = new Map();
  }

  delete(key: string): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }

  clear(): void {
    this.#young = new Map();
    this.#old = new Map();
  }
}
