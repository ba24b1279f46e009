/** Maximum number of changed numbers that are published one by one; a row with more is invalidated as a whole. */
const NUMBERS_MAX = 6;

interface NumberField {
  readonly name: string;
  readonly number: number;
}

/**
 * Returns the fields that differ if all of them are numbers in both rows; undefined otherwise. Objects are compared by
 * identity.
 */
export function changedNumbers(before: object, after: object): NumberField[] | undefined {
  const changed: NumberField[] = [];
  const [old, now] = [before as Record<string, unknown>, after as Record<string, unknown>];
  for (const name in now) {
    const number = now[name];
    if (isSame(old[name], number)) continue;
    if (typeof number !== 'number' || typeof old[name] !== 'number' || changed.length === NUMBERS_MAX) return undefined;
    changed.push({ name, number });
  }
  for (const name in old) if (now[name] === undefined && old[name] !== undefined) return undefined;
  return changed;
}

function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
  return a.every((item, index) => item === b[index]);
}
