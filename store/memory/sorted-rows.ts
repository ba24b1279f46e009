/** A map with sorted iteration; fast when most new keys follow all others of their neighbourhood. */
export class SortedRows<V> {
  private readonly values = new Map<string, V>();
  /** Sorted, in chunks of at most CHUNK_MAX, so that an insertion moves few keys. */
  private readonly chunks: string[][] = [[]];

  get(key: string): V | undefined {
    return this.values.get(key);
  }

  set(key: string, value: V): void {
    if (!this.values.has(key)) this.insert(key);
    this.values.set(key, value);
  }

  delete(key: string): void {
    if (!this.values.delete(key)) return;
    const index = this.chunkOf(key);
    const chunk = this.chunks[index] as string[];
    chunk.splice(firstNotBelow(chunk, key), 1);
    if (chunk.length === 0 && this.chunks.length > 1) this.chunks.splice(index, 1);
  }

  /** Yields the entries with lo ≤ key < hi. The map must not change during the iteration. */
  *between(lo: string, hi: string, reverse: boolean): Generator<[string, V]> {
    let index = this.chunkOf(reverse ? hi : lo);
    let chunk = this.chunks[index] as string[];
    let at = firstNotBelow(chunk, reverse ? hi : lo) - (reverse ? 1 : 0);
    for (;;) {
      const key = chunk[at];
      if (key === undefined) {
        index += reverse ? -1 : 1;
        const next = this.chunks[index];
        if (next === undefined) return;
        chunk = next;
        at = reverse ? chunk.length - 1 : 0;
        continue;
      }
      if (reverse ? key < lo : key >= hi) return;
      yield [key, this.values.get(key) as V];
      at += reverse ? -1 : 1;
    }
  }

  private insert(key: string): void {
    const index = this.chunkOf(key);
    const chunk = this.chunks[index] as string[];
    chunk.splice(firstNotBelow(chunk, key), 0, key);
    if (chunk.length > CHUNK_MAX) this.chunks.splice(index + 1, 0, chunk.splice(chunk.length >> 1));
  }

  /** Returns the last chunk that begins at or below the key. */
  private chunkOf(key: string): number {
    let low = 0;
    let high = this.chunks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (((this.chunks[middle] as string[])[0] as string) <= key) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** Bounds the keys that one insertion moves. */
const CHUNK_MAX = 512;

function firstNotBelow(sorted: readonly string[], key: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as string) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
