/**
 * Processes all items, a bounded number at a time; returns the results in the items' order. Rejects with the first
 * failure and starts no more.
 */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  atATime: number,
  one: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results = new Array<Result>(items.length);
  let next = 0;
  let failed = false;
  const worker = async () => {
    while (next < items.length && !failed) {
      const index = next++;
      try {
        results[index] = await one(items[index] as Item, index);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atATime, items.length) }, worker));
  return results;
}
