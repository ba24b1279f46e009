import { compareWords, type IdWords, idOf, wordsOf } from './id-words.js';
import type { Floor, RingBounds, Rings } from './rings.js';

/** Part of a list that is kept in a ring: ids, unfiltered, in the direction of reading. */
export interface HomeIds {
  readonly ids: readonly string[];
  /**
   * Where it goes on: `ring` (ask again), `store` (merge from `floor` on down, or from the start when reading
   * upwards), `end`, or `none`: there is no ring (yet), all of it is to be merged.
   */
  readonly rest: 'ring' | 'store' | 'end' | 'none';
  /** All ids of the ring that are not below it have been looked at. */
  readonly floor: string | undefined;
}

export interface HomeBounds {
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly upwards: boolean;
  readonly limit: number;
}

export const NO_RING: HomeIds = { ids: [], rest: 'none', floor: undefined };

/** What a ring with this floor answers. `read` gives its ids within the bounds, none below the floor. */
export function ringPart(
  floor: Floor,
  { before, after, upwards, limit }: HomeBounds,
  read: (bounds: RingBounds, floorId: string) => readonly string[],
): HomeIds {
  const afterWords = after === undefined ? undefined : wordsOf(after);
  const isOpen = floor.high !== 0 || floor.low !== 0;
  const reachesStore = isOpen && (afterWords === undefined || isBelow(afterWords, floor));
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

/** Puts ids (newest first) into a ring; unless they are `complete`, something older may lie below the last. */
export function fillRing(rings: Rings, ring: number, ids: readonly string[], complete: boolean): void {
  const all = ids.map(wordsOf).reverse();
  for (const { high, low } of all) rings.insert(ring, high, low);
  const oldest = all[0];
  if (!complete && oldest !== undefined && isBelow(rings.floor(ring), oldest)) rings.setFloor(ring, oldest);
}

export function isBelow(a: IdWords, b: IdWords): boolean {
  return compareWords(a.high, a.low, b.high, b.low) < 0;
}
