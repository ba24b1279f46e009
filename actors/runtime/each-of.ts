/** Runs the action for each item in order, at most `most` at a time. Rejects with the first failure. */
export async function eachOf<T>(items: Iterable<T>, most: number, action: (item: T) => Promise<void>): Promise<void> {
  const queue = items[Symbol.iterator]();
  const worker = async () => {
    for (let next = queue.next(); !next.done; next = queue.next()) await action(next.value);
  };
  await Promise.all(Array.from({ length: most }, worker));
}
