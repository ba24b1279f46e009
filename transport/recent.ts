/**
 * A map of bounded size that drops the least recently set entry. It is no `Cache`: a dropped number looks like a lost
 * message, so entries are dropped one by one in exact order, and never by half.
 */
export class Recent<V> {
  private readonly entries = new Map<string, V>();
  constructor(private readonly sizeMax: number) {}

  get(key: string): V | undefined {
    return this.entries.get(key);
  }

  set(key: string, value: V): void {
    // A map whose keys are deleted and set again is rehashed every few times, so the order is maintained only when the
    // map is more than half full.
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
