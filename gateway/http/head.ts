import type { HttpRequest } from 'uWebSockets.js';

/** A request without its body, copied out of uWebSockets' buffers. */
export interface Head {
  /** Upper case. */
  readonly method: string;
  /** As received, one trailing slash dropped. */
  readonly path: string;
  /** After the `?`; empty without one. */
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Set when the request must be refused with 400. */
  readonly malformed: string | undefined;
}

/** Headers of which two would mean that two readers could see two requests. */
const SINGLE_HEADERS = new Set(['host', 'content-length', 'authorization', 'content-type', 'transfer-encoding']);
/** Some times what any of our routes takes; cursors and OAuth redirects are the longest. */
const URL_CHARS_MAX = 8_192;

export function readHead(request: HttpRequest): Head {
  const headers: Record<string, string> = Object.create(null);
  let malformed: string | undefined;
  request.forEach((name, value) => {
    const present = headers[name];
    if (present === undefined) headers[name] = value;
    else if (SINGLE_HEADERS.has(name)) malformed = `More than one ${name} header`;
    else headers[name] = name === 'cookie' ? `${present}; ${value}` : `${present}, ${value}`;
  });
  const url = request.getUrl();
  const query = request.getQuery() ?? '';
  if (url[0] !== '/') malformed = 'The request must name a path';
  else if (url.length + query.length > URL_CHARS_MAX) malformed = 'The address is too long';
  else if (headers['content-length'] !== undefined && headers['transfer-encoding'] !== undefined) {
    malformed = 'Both a length and a transfer encoding were given';
  }
  const path = url.length > 1 && url.endsWith('/') ? url.slice(0, -1) : url;
  return { method: request.getCaseSensitiveMethod().toUpperCase(), path, query, headers, malformed };
}
