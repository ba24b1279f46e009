import type { HttpRequest } from 'uWebSockets.js';

/**
 * Longest path and query: several times the longest that a route accepts. Cursors and OAuth redirects are the longest.
 */
const URL_CHARS_MAX = 8_192;

/** All header names and values together: the address of an `id[]=` page, a cookie and a long token fit many times. */
const HEADERS_CHARS_MAX = 16_384;

/**
 * A request without its body, copied out of uWebSockets' buffers. The headers that most requests need are fields. The
 * object of all headers is created on demand.
 */
export class Head {
  /** Upper case. */
  readonly method: string;
  /**
   * Path as received, without repeated and trailing slashes and without the suffix that names the format of an API
   * answer.
   */
  readonly path: string;
  /** Text after the `?`; empty without one. */
  readonly query: string;
  /** Path as received: signatures cover it. */
  readonly rawPath: string;
  /** Text of the 400 with which the request must be refused; undefined if the head is well formed. */
  readonly malformed: string | undefined;
  /**
   * True if two readers could disagree about the end of the request or its receiver (RFC 9112 §6.3, §11.2). The
   * connection must be closed after the refusal, so that no bytes behind the head are read as another request.
   */
  readonly misframed: boolean;
  readonly authorization: string | undefined;
  readonly contentType: string | undefined;
  readonly contentLength: string | undefined;
  readonly transferEncoding: string | undefined;
  /** Alternating names and values, as received. */
  readonly #given: string[];
  #headers: Readonly<Record<string, string>> | undefined;

  /** `method` is the method as received, if it was read already. */
  constructor(request: HttpRequest, method = request.getCaseSensitiveMethod()) {
    let authorization: string | undefined;
    let contentType: string | undefined;
    let contentLength: string | undefined;
    let transferEncoding: string | undefined;
    let host: string | undefined;
    let malformed: string | undefined;
    let misframed = false;
    const given: string[] = [];
    let chars = 0;
    request.forEach((name, value) => {
      given.push(name, value);
      chars += name.length + value.length;
      // Two headers of one of these names would let two readers see two different requests.
      switch (name) {
        case 'authorization':
          if (authorization !== undefined) malformed = moreThanOne(name);
          authorization = value;
          break;
        case 'content-type':
          if (contentType !== undefined) malformed = moreThanOne(name);
          contentType = value;
          break;
        case 'content-length':
          if (contentLength !== undefined) {
            malformed = moreThanOne(name);
            misframed = true;
          }
          contentLength = value;
          break;
        case 'transfer-encoding':
          if (transferEncoding !== undefined) {
            malformed = moreThanOne(name);
            misframed = true;
          }
          transferEncoding = value;
          break;
        case 'content-encoding':
          if (value !== '' && value.toLowerCase() !== 'identity') malformed = 'Compressed bodies are not supported';
          break;
        case 'host':
          if (host !== undefined) {
            malformed = moreThanOne(name);
            misframed = true;
          }
          host = value;
          break;
      }
    });
    const [url, query] = [request.getUrl(), request.getQuery() ?? ''];
    malformed = badSize(url, query, chars) ?? malformed;
    if (transferEncoding !== undefined) {
      if (contentLength !== undefined) malformed = 'Both a length and a transfer encoding were given';
      else if (!isChunked(transferEncoding)) malformed = 'The only supported transfer encoding is chunked';
      misframed ||= contentLength !== undefined || !isChunked(transferEncoding);
    }
    this.method = method.toUpperCase();
    this.rawPath = url;
    this.path = pathOf(url);
    this.query = query;
    this.malformed = malformed;
    this.misframed = misframed;
    this.authorization = authorization;
    this.contentType = contentType;
    this.contentLength = contentLength;
    this.transferEncoding = transferEncoding;
    this.#given = given;
  }

  /** Returns the first header of a name, without an object for all of them. @param name in lower case */
  first(name: string): string | undefined {
    const given = this.#given;
    for (let at = 0; at < given.length; at += 2) if (given[at] === name) return given[at + 1];
    return undefined;
  }

  /** Headers by lower-case name; repeated headers are joined. */
  get headers(): Readonly<Record<string, string>> {
    this.#headers ??= joined(this.#given);
    return this.#headers;
  }
}

/** `headerChars`: length of all names and values of headers. */
function badSize(url: string, query: string, headerChars: number): string | undefined {
  if (url[0] !== '/') return 'The request must name a path';
  if (url.length + query.length > URL_CHARS_MAX) return 'The address is too long';
  return headerChars > HEADERS_CHARS_MAX ? 'The headers are too long' : undefined;
}

/** Returns `Head.misframed` for a request whose head is not needed otherwise. */
export function isMisframed(request: HttpRequest): boolean {
  const hasBody = request.getHeader('content-length') !== '' || request.getHeader('transfer-encoding') !== '';
  return hasBody && new Head(request).misframed;
}

/** Suffix that names the format of an answer of the API. Source: Mastodon, whose only format it is. */
export const JSON_SUFFIX = '.json';

/** Returns true for addresses to which the suffix may be added. */
export const hasFormat = (path: string): boolean => /^\/api\/v\d/.test(path);

/**
 * Normalizes a path. Some clients join the server's address and a path with one slash too many, and the proxy in front
 * of Mastodon removes it. Paths of the API may end in the format's suffix.
 */
function pathOf(url: string): string {
  const path = url.includes('//') ? url.replaceAll(/\/{2,}/g, '/') : url;
  if (path.length > 1 && path.endsWith('/')) return path.slice(0, -1);
  return path.endsWith(JSON_SUFFIX) && hasFormat(path) ? path.slice(0, -JSON_SUFFIX.length) : path;
}

/** Returns true for the one supported coding. RFC 9112 §6.1: the last coding must be chunked. */
const isChunked = (transferEncoding: string) => transferEncoding.toLowerCase() === 'chunked';

const moreThanOne = (name: string) => `More than one ${name} header`;

function joined(given: readonly string[]): Readonly<Record<string, string>> {
  const headers: Record<string, string> = Object.create(null);
  for (let index = 0; index < given.length; index += 2) {
    const [name = '', value = ''] = [given[index], given[index + 1]];
    const present = headers[name];
    if (present === undefined) headers[name] = value;
    else headers[name] = name === 'cookie' ? `${present}; ${value}` : `${present}, ${value}`;
  }
  return headers;
}
