import { ID_DIGITS, storedId } from '../../actors/domain/ids.js';

/** Above all ids. */
const TOP = 10n ** BigInt(ID_DIGITS);

/**
 * The roundest number beyond which nothing is left out when reading goes on from it: between the row looked at last and
 * the one before, neither of which it is. It says of them little more than that there was something.
 * @param last at which reading stopped: it is read again
 * @param earlier beyond it, where reading came from; undefined: anywhere
 * @param taken ids between the two, none of which it is either
 * @returns undefined where ids follow one another without a gap
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

/** Whether any number between these two ids is none of so many others that are there. */
export function hasRoom(a: string, b: string, others: number): boolean {
  const apart = BigInt(a) - BigInt(b);
  return (apart < 0n ? -apart : apart) > others;
}
