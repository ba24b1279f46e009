/**
 * Returns the next rows of a table that is divided into eras, oldest first: those of the first era that has any after
 * `after`.
 */
export async function eraPages<R>(
  [first, last]: readonly [number, number],
  after: string,
  limit: number,
  read: (era: number, after: string, limit: number) => Promise<readonly R[]>,
): Promise<readonly R[]> {
  for (let era = first; era <= last; era++) {
    const rows = await read(era, after === '' ? '0' : after, limit);
    if (rows.length > 0) return rows;
  }
  return [];
}
