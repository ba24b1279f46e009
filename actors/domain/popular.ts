/** Lowest level of popularity: a status reaches level n with 2^n favourites and reblogs, so counting begins at 4. */
export const POPULAR_LEVEL_MIN = 2;
/** Highest level of popularity, above the capacity of a conversation. */
export const POPULAR_LEVEL_MAX = 19;

/**
 * Returns the level that a status has just reached with this number of favourites and reblogs; undefined between two
 * levels.
 */
export function popularLevel(marks: number): number | undefined {
  if (marks < 2 ** POPULAR_LEVEL_MIN || (marks & (marks - 1)) !== 0) return undefined;
  return 31 - Math.clz32(marks);
}
