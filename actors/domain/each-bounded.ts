/**
 * Runs `work` on each item in order, at most `atOnce` at a time. Returns the results in the items' order. Rejects with
 * the first failure; work that runs then goes on.
 */
export async function eachBounded<T, R>(
  items: Iterable<T>,
  atOnce: number,
  work: (item: T) => R | Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const queue = items[Symbol.iterator]();
  let begun = 0;
  const worker = async (first: IteratorResult<T>) => {
    for (let next = first; !next.done; next = queue.next()) {
      const index = begun++;
      results[index] = await work(next.value);
    }
  };
  const workers: Promise<void>[] = [];
  while (workers.length < atOnce) {
    const first = queue.next();
    // A worker without an item would only cost promises: most posts mention nobody.
    if (first.done) break;
    workers.push(worker(first));
  }
  await Promise.all(workers);
  return results;
}
