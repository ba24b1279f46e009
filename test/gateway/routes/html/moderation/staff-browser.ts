import type { Visited, Visitor } from '../../../../kit/network/visitor.js';

/** Sends a file by the import form of the list at `path`; without a text, none. */
export async function sendFile(
  visitor: Visitor,
  path: string,
  text: string | undefined,
  more: Readonly<Record<string, string>> = {},
): Promise<Visited> {
  await visitor.get(path);
  const file = text === undefined ? {} : { file: new Blob([text], { type: 'text/csv' }) };
  return visitor.submit(`${path}/import`, { ...more, ...file });
}
