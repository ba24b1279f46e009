import { ID_DIGITS, storedId } from '../../actors/domain/ids.js';

/** Number above all ids. */
const TOP = 10n ** BigInt(ID_DIGITS);

/**
 * Returns the roundest bound from which reading can continue without missing a row. It lies between the last row
 * examined and the one before, and equals neither. It reveals little more about them than that a row exists.
 * @param last row at which reading stopped; it is read again
 * @param earlier bound from which reading came; undefined means none
 * @param taken ids between the two, none of which it may equal
 * @returns undefined if the ids are consecutive
 */
export function roundBound(
  last: string,
  earlier: string | undefined,
  upwards: boolean,
  taken: readonly string[],
): string | undefined {
  const at = BigInt(last);
  const from = BigInt(earlier ?? (upwards ? -1n : TOP));
  for (let digits = ID_DIGITS - 1; digits >= 0; digits--) {
    const step = 10n ** BigInt(digits);
    const bound = upwards ? ((at - 1n) / step) * step : (at / step + 1n) * step;
    if (upwards ? bound <= from || bound >= at : bound >= from) continue;
    const id = storedId(bound.toString());
    if (!taken.includes(id)) return id;
  }
  return undefined;
}

/** Returns true if there is a free number between two ids with `others` ids in between. */
export function hasRoom(a: string, b: string, others: number): boolean {
  const apart = BigInt(a) - BigInt(b);
  return (apart < 0n ? -apart : apart) > others;
}
