import type { Head } from './request/head.js';

/** Media types that request a document, and those that request a page. */
const DOCUMENTS = ['application/activity+json', 'application/ld+json', 'application/json'];
const PAGES = ['text/html', 'application/xhtml+xml'];
/** Ranges of media types that contain JSON. Java writes `*` for everything. */
const JSON_RANGES = ['application/json', 'application/*', '*/*', '*'];

/** Headers of a request by which `opensPage` decides, and the language of pages. */
export const PAGE_VARY = 'Accept, Accept-Language, Authorization, Sec-Fetch-Mode';

/**
 * Returns true if a client prefers a document to a page: it names a type of documents and no type of pages with a
 * higher weight (RFC 9110 §12.5.1), or it has no preference.
 */
export function prefersDocument(accept: string | undefined): boolean {
  const [documents, pages] = [weightOf(accept ?? '', DOCUMENTS), weightOf(accept ?? '', PAGES)];
  return documents === 0 && pages === 0 ? !/text\//.test(accept ?? '') : documents >= pages;
}

/**
 * Returns true if a person opens an address of the API with a browser, in a tab or a frame, and wants a page. `Accept`
 * alone does not tell: Java's HTTP client prefers text/html by default, and expects JSON. Browsers say `Sec-Fetch-Mode:
 * navigate`, or over plain HTTP name application/xhtml+xml, which no library of HTTP does by itself. A client that
 * accepts pages only gets one. A token is sent by programs only.
 */
export function opensPage(head: Pick<Head, 'authorization' | 'first'>): boolean {
  if (head.authorization !== undefined) return false;
  const accept = head.first('accept');
  if (accept === undefined || !/html/i.test(accept) || prefersDocument(accept)) return false;
  if (weightOf(accept, JSON_RANGES) === 0) return true;
  const mode = head.first('sec-fetch-mode');
  return mode === undefined ? /\bapplication\/xhtml\+xml\b/i.test(accept) : mode === 'navigate';
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
