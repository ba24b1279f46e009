import type { HttpRequest } from 'uWebSockets.js';

/** Some times what any of our routes takes; cursors and OAuth redirects are the longest. */
const URL_CHARS_MAX = 8_192;

/** All header names and values together: an `id[]=` page's address, a cookie and a long token fit many times. */
const HEADERS_CHARS_MAX = 16_384;

/**
 * A request without its body, copied out of uWebSockets' buffers. The headers that most requests are judged by are
 * fields; all of them as one object are made for those who ask.
 */
export class Head {
  /** Upper case. */
  readonly method: string;
  /** As received, but for repeated and trailing slashes and the suffix that may name the form of an API's answer. */
  readonly path: string;
  /** After the `?`; empty without one. */
  readonly query: string;
  /** Set when the request must be refused with 400. */
  readonly malformed: string | undefined;
  /**
   * Two readers could disagree about the end of the request or its receiver (RFC 9112 §6.3, §11.2). The connection must
   * be closed after the refusal, so that nothing behind the head is read as another request.
   */
  readonly misframed: boolean;
  readonly authorization: string | undefined;
  readonly contentType: string | undefined;
  readonly contentLength: string | undefined;
  readonly transferEncoding: string | undefined;
  /** Names and values in turn, as received. */
  readonly #given: string[];
  #headers: Readonly<Record<string, string>> | undefined;

  /** `method` as received, where it was read already. */
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
      // Of these, two would mean that two readers could see two requests.
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
          if (value !== '' && value.toLowerCase() !== 'identity') malformed = 'Compressed bodies are not taken';
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
    const url = request.getUrl();
    const query = request.getQuery() ?? '';
    if (url[0] !== '/') malformed = 'The request must name a path';
    else if (url.length + query.length > URL_CHARS_MAX) malformed = 'The address is too long';
    else if (chars > HEADERS_CHARS_MAX) malformed = 'The headers are too long';
    if (transferEncoding !== undefined) {
      if (contentLength !== undefined) malformed = 'Both a length and a transfer encoding were given';
      else if (!isChunked(transferEncoding)) malformed = 'The only transfer encoding that is supported is chunked';
      misframed ||= contentLength !== undefined || !isChunked(transferEncoding);
    }
    this.method = method.toUpperCase();
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

  /** Lower-case names; what came more than once is joined. */
  get headers(): Readonly<Record<string, string>> {
    this.#headers ??= joined(this.#given);
    return this.#headers;
  }
}

/** As `Head.misframed`, for a request whose head is not needed otherwise. */
export function isMisframed(request: HttpRequest): boolean {
  const hasBody = request.getHeader('content-length') !== '' || request.getHeader('transfer-encoding') !== '';
  return hasBody && new Head(request).misframed;
}

/**
 * Clients put the server's address and a path together with a slash too many, and what stands before Mastodon takes it
 * away. Its paths may say that they want JSON, which is all that there is.
 */
function pathOf(url: string): string {
  const path = url.includes('//') ? url.replaceAll(/\/{2,}/g, '/') : url;
  if (path.length > 1 && path.endsWith('/')) return path.slice(0, -1);
  return path.endsWith('.json') && /^\/api\/v\d/.test(path) ? path.slice(0, -5) : path;
}

/** RFC 9112 §6.1: the last coding must be chunked; no other coding is supported. */
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
