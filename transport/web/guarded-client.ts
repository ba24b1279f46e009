import { type ConnectionOptions, GuardedConnections, type RequestFailure } from './guarded-connections.js';

/** A fetched page. */
export interface Fetched {
  /** The address after redirects. */
  readonly url: string;
  /** Lower case, with its parameters. */
  readonly type: string;
  readonly bytes: Uint8Array;
}

export interface GuardOptions extends Omit<ConnectionOptions, 'connectionsMax' | 'timeoutMs'> {
  /** Maximum number of concurrent connections to a server; further requests wait. Default: CONNECTIONS_MAX. */
  readonly connectionsMax?: number;
  /** Timeout of one request including its redirects. Default: PATIENCE_MS. */
  readonly timeoutMs?: number;
}

/** A request with a body. */
export interface Post {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** The answer to a post, without its body. */
export interface PostAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
}

/** The reason why a post got no answer. */
export type PostFailure = RequestFailure;

/** Timeout of one request including its redirects. */
const PATIENCE_MS = 8_000;
const REDIRECTS_MAX = 3;
/** Maximum number of concurrent connections of one node to a server that serves pages. */
const CONNECTIONS_MAX = 16;
/** A longer body of an answer to a post ends its connection. */
const ANSWER_BYTES_MAX = 16_384;

/** A client for pages of the public web and for posts to push services. */
export class GuardedClient {
  readonly #connections: GuardedConnections;
  readonly #timeoutMs: number;

  constructor({ connectionsMax = CONNECTIONS_MAX, timeoutMs = PATIENCE_MS, ...options }: GuardOptions) {
    this.#connections = new GuardedConnections({ ...options, connectionsMax, timeoutMs });
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Fetches a page; undefined for any failure. `accept`: prefixes of accepted content types. `permits`: judges each
   * address, also of a redirect, besides the guard.
   */
  async get(
    url: string,
    accept: readonly string[],
    bytesMax: number,
    permits: (url: URL) => boolean = () => true,
  ): Promise<Fetched | undefined> {
    const signal = AbortSignal.timeout(this.#timeoutMs);
    let at = URL.canParse(url) ? new URL(url) : undefined;
    for (let hop = 0; at !== undefined && permits(at) && hop <= REDIRECTS_MAX; hop++) {
      const found = await this.#once(at, accept, bytesMax, signal);
      if (!(found instanceof URL)) return found;
      at = found;
    }
    return undefined;
  }

  /** Sends a body; follows no redirect and reads the answer's body only to reuse the connection. Never throws. */
  async post({ url, headers, body }: Post): Promise<PostAnswer | PostFailure> {
    const signal = AbortSignal.timeout(this.#timeoutMs);
    const reading = { bytesMax: 0, reads: () => false, skippedBytesMax: ANSWER_BYTES_MAX };
    const answer = await this.#connections.send({ method: 'POST', url, headers, body, signal, ...reading });
    if (typeof answer === 'string') return answer;
    return { status: answer.status, retryAfter: answer.headers['retry-after'] };
  }

  close(): Promise<void> {
    return this.#connections.close();
  }

  /** Sends one request. Returns the target of a redirect, or the page. */
  async #once(
    url: URL,
    accept: readonly string[],
    bytesMax: number,
    signal: AbortSignal,
  ): Promise<Fetched | URL | undefined> {
    const answer = await this.#connections.send({
      ...{ method: 'GET', url, headers: { accept: accept.join(', ') }, signal, bytesMax, skippedBytesMax: 0 },
      reads: ({ status, headers }) => status === 200 && accept.some((one) => typeOf(headers).startsWith(one)),
    });
    // Remote servers fail in every possible way; no failure is worth a log line.
    if (typeof answer === 'string') return undefined;
    const { status, headers, body } = answer;
    const { location } = headers;
    if (status >= 300 && status < 400 && location !== undefined) {
      return URL.canParse(location, url.href) ? new URL(location, url) : undefined;
    }
    return body instanceof Uint8Array ? { url: url.href, type: typeOf(headers), bytes: body } : undefined;
  }
}

const typeOf = (headers: Readonly<Record<string, string | undefined>>) => (headers['content-type'] ?? '').toLowerCase();
