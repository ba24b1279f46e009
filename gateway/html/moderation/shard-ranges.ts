/** Returns ascending shards as ranges: `0–340, 682`. */
export function shardRanges(shards: readonly number[]): string {
  const ranges: { first: number; last: number }[] = [];
  for (const shard of shards) {
    const range = ranges.at(-1);
    if (range?.last === shard - 1) range.last = shard;
    else ranges.push({ first: shard, last: shard });
  }
  return ranges.map(({ first, last }) => (first === last ? `${first}` : `${first}–${last}`)).join(', ');
}
