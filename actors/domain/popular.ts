/** A status is noted as popular when so many, by powers of two, have favourited or reblogged it: from 4 on. */
export const POPULAR_LEVEL_MIN = 2;
/** More than a conversation takes. */
export const POPULAR_LEVEL_MAX = 19;

/** The level that a status has just reached with so many marks; undefined while it is between two. */
export function popularLevel(marks: number): number | undefined {
  if (marks < 2 ** POPULAR_LEVEL_MIN || (marks & (marks - 1)) !== 0) return undefined;
  return 31 - Math.clz32(marks);
}
