/** Bounds of a page, both exclusive. `upwards`: the `limit` entries next above `after`, instead of the newest. */
export interface EdgeBounds {
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  readonly upwards: boolean;
  readonly limit: number;
}

/** Longest page in a reply of an actor: some 60 KB. */
export const EDGE_PAGE_MAX = 1_000;

/**
 * Returns a page of edges, newest first. The edges are in the order of their ids, oldest first. `more` is false when
 * certainly nothing older exists.
 */
export function edgePage<E extends { readonly edgeId: string }>(
  edges: readonly E[],
  { before, after, upwards, limit }: EdgeBounds,
): { readonly edges: E[]; readonly more: boolean } {
  const count = Math.min(limit, EDGE_PAGE_MAX);
  const isInside = ({ edgeId }: E) =>
    (before === undefined || edgeId < before) && (after === undefined || edgeId > after);
  const inside = before === undefined && after === undefined ? edges : edges.filter(isInside);
  const page = upwards ? inside.slice(0, count) : inside.slice(Math.max(0, inside.length - count));
  return { edges: page.reverse(), more: upwards || inside.length > page.length };
}
