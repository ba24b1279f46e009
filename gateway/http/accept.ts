/** Media types that request a document, and those that request a page. */
const DOCUMENTS = ['application/activity+json', 'application/ld+json', 'application/json'];
const PAGES = ['text/html', 'application/xhtml+xml'];

/**
 * Returns true if a client prefers a document to a page: it names a type of documents and no type of pages with a
 * higher weight (RFC 9110 §12.5.1), or it has no preference.
 */
export function prefersDocument(accept: string | undefined): boolean {
  const [documents, pages] = [weightOf(accept ?? '', DOCUMENTS), weightOf(accept ?? '', PAGES)];
  return documents === 0 && pages === 0 ? !/text\//.test(accept ?? '') : documents >= pages;
}

/** Returns the highest weight that the header gives to one of the types, 0 if it names none of them. */
function weightOf(accept: string, types: readonly string[]): number {
  let highest = 0;
  for (const range of accept.toLowerCase().split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    if (!types.includes(type)) continue;
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    const value = weight === undefined ? 1 : Number(weight.slice(2));
    if (value > highest) highest = value;
  }
  return highest;
}
