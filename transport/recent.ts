/** Remembers a value per key; past its size the one not used for longest is forgotten. */
export class Recent<V> {
  private readonly entries = new Map<string, V>();
  constructor(private readonly sizeMax: number) {}

  get(key: string): V | undefined {
    return this.entries.get(key);
  }

  set(key: string, value: V): void {
    // A map in which something is put anew each time is built anew every few times; while much is free, order is nothing.
    if (this.entries.size * 2 > this.sizeMax) this.entries.delete(key);
    this.entries.set(key, value);
    if (this.entries.size <= this.sizeMax) return;
    const oldest = this.entries.keys().next();
    if (!oldest.done) this.entries.delete(oldest.value);
  }

  delete(key: string): void {
    this.entries.delete(key);
  }

  [Symbol.iterator](): IterableIterator<[string, V]> {
    return this.entries[Symbol.iterator]();
  }
}
