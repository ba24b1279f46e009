import { compareWords, type IdWords, idOf, wordsOf } from './id-words.js';
import { type Floor, isNoFloor, type RingBounds, type Rings } from './rings.js';

/** A page of a list that a ring caches: ids, unfiltered, in the direction of reading. */
export interface HomeIds {
  readonly ids: readonly string[];
  /**
   * Source of the next page: `ring` (read again), `store` (merge from `floor` downwards, or from the start when reading
   * upwards), `end`, or `none`: there is no ring yet, so everything is merged from the store.
   */
  readonly rest: 'ring' | 'store' | 'end' | 'none';
  /** Lower end of the ring: it contains every id from this one upwards. Undefined without a ring. */
  readonly floor: string | undefined;
}

export interface HomeBounds {
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly upwards: boolean;
  readonly limit: number;
}

export const NO_RING: HomeIds = { ids: [], rest: 'none', floor: undefined };
/** The page of a ring that contains every id of its list: none. */
export const EMPTY_RING: HomeIds = { ids: [], rest: 'end', floor: idOf(0, 0) };

/** Returns a page of a ring with this floor. `read` returns its ids within the bounds, none below the floor. */
export function ringPart(
  floor: Floor,
  { before, after, upwards, limit }: HomeBounds,
  read: (bounds: RingBounds, floorId: string) => readonly string[],
): HomeIds {
  const afterWords = after === undefined ? undefined : wordsOf(after);
  const reachesStore = !isNoFloor(floor) && (afterWords === undefined || isBelow(afterWords, floor));
  if (upwards && reachesStore) return { ids: [], rest: 'store', floor: undefined };
  const bounds = {
    ...(before === undefined ? {} : { before: wordsOf(before) }),
    ...(afterWords === undefined ? {} : { after: afterWords }),
    upwards,
    limit,
  };
  const floorId = idOf(floor.high, floor.low);
  const ids = read(bounds, floorId);
  if (ids.length === limit) return { ids, rest: 'ring', floor: floorId };
  return { ids, rest: reachesStore ? 'store' : 'end', floor: floorId };
}

/** Puts ids (newest first) into a ring. Unless they are `complete`, older ones may exist below the last. */
export function fillRing(rings: Rings, ring: number, ids: readonly string[], complete: boolean): void {
  const all = ids.map(wordsOf).reverse();
  for (const { high, low } of all) rings.insert(ring, high, low);
  const oldest = all[0];
  if (!complete && oldest !== undefined && isBelow(rings.floor(ring), oldest)) rings.setFloor(ring, oldest);
}

export function isBelow(a: IdWords, b: IdWords): boolean {
  return compareWords(a.high, a.low, b.high, b.low) < 0;
}
