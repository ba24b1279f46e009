/** True when nodes with these numbers of shards own all `shards` of a cluster, none two more than another. */
export function areEven(counts: readonly number[], shards: number): boolean {
  return Math.max(...counts) - Math.min(...counts) <= 1 && counts.reduce((sum, count) => sum + count, 0) === shards;
}
