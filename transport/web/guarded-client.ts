import { type LookupAddress, type LookupAllOptions, lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { Agent } from 'undici';
import type { AddressGuard } from '../address-guard.js';

/** A fetched page. */
export interface Fetched {
  /** The address after redirects. */
  readonly url: string;
  /** Lower case, with its parameters. */
  readonly type: string;
  readonly bytes: Uint8Array;
}

export interface GuardOptions {
  readonly guard: AddressGuard;
  readonly userAgent: string;
  /** Resolves names. Default: the system's resolver. */
  readonly resolve?: Resolve;
  /** Maximum number of concurrent connections to a server; further requests wait. Default: CONNECTIONS_MAX. */
  readonly connectionsMax?: number;
  /** Time for which an idle connection is kept, unless the server says otherwise. Default: undici's 4 s. */
  readonly keptMs?: number;
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
export type PostFailure = 'blocked' | 'timeout' | 'unreachable';

/** Signature of `dns.lookup` with all addresses. */
type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

/** Timeout of one request including its redirects. */
const PATIENCE_MS = 8_000;
const REDIRECTS_MAX = 3;
/** Maximum number of concurrent connections of one node to a server that serves pages. */
const CONNECTIONS_MAX = 16;
/** A longer body of an answer to a post ends its connection. */
const ANSWER_BYTES_MAX = 16_384;

/** Thrown by a look-up that finds only addresses that may not be reached. */
class AddressBlocked extends Error {
  constructor() {
    super('this address may not be reached');
  }
}

/** An HTTP client for the public web: it checks the address of every connection, at each redirect. */
export class GuardedClient {
  #agent: Promise<Agent> | undefined;
  readonly #guard: AddressGuard;
  readonly #userAgent: string;
  readonly #resolve: Resolve;
  readonly #options: GuardOptions;
  readonly #timeoutMs: number;

  constructor(options: GuardOptions) {
    this.#guard = options.guard;
    this.#userAgent = options.userAgent;
    this.#resolve = options.resolve ?? systemLookup;
    this.#options = options;
    this.#timeoutMs = options.timeoutMs ?? PATIENCE_MS;
  }

  /** Fetches a page; undefined for any failure. `accept`: prefixes of accepted content types. */
  async get(url: string, accept: readonly string[], bytesMax: number): Promise<Fetched | undefined> {
    const signal = AbortSignal.timeout(this.#timeoutMs);
    try {
      let at = new URL(url);
      for (let hop = 0; hop <= REDIRECTS_MAX; hop++) {
        const found = await this.#once(at, accept, bytesMax, signal);
        if (!(found instanceof URL)) return found;
        at = found;
      }
      return undefined;
    } catch {
      // Remote servers fail in every possible way; no failure is worth a log line.
      return undefined;
    }
  }

  /** Sends a body; follows no redirect and reads the answer's body only to reuse the connection. Never throws. */
  async post({ url, headers, body }: Post): Promise<PostAnswer | PostFailure> {
    if (!this.#mayAsk(url)) return 'blocked';
    const signal = AbortSignal.timeout(this.#timeoutMs);
    try {
      const { request } = await import('undici');
      const own = { ...headers, 'user-agent': this.#userAgent };
      const answer = await request(url, {
        ...{ method: 'POST', dispatcher: await this.#open(), headers: own, body, signal },
      });
      // The status counts, even when the rest of the answer fails.
      await answer.body.dump({ limit: ANSWER_BYTES_MAX, signal }).catch(() => undefined);
      const retryAfter = answer.headers['retry-after'];
      return { status: answer.statusCode, retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined };
    } catch (error) {
      if (error instanceof AddressBlocked) return 'blocked';
      return isTimeout(error) ? 'timeout' : 'unreachable';
    }
  }

  async close(): Promise<void> {
    await (await this.#agent)?.destroy();
  }

  /** Returns false for other schemes, user names, and IP addresses that may not be reached: they need no look-up. */
  #mayAsk(url: URL): boolean {
    if (!/^https?:$/.test(url.protocol) || url.username + url.password !== '') return false;
    const host = url.hostname.replace(/^\[|\]$/g, '');
    return isIP(host) === 0 || this.#guard.mayReach(host);
  }

  /** Sends one request. Returns the target of a redirect, or the page. */
  async #once(
    url: URL,
    accept: readonly string[],
    bytesMax: number,
    signal: AbortSignal,
  ): Promise<Fetched | URL | undefined> {
    if (!this.#mayAsk(url)) return undefined;
    const { request } = await import('undici');
    const dispatcher = await this.#open();
    const headers = { accept: accept.join(', '), 'user-agent': this.#userAgent };
    const { statusCode, headers: told, body } = await request(url, { dispatcher, headers, signal });
    // Destroying an unread body emits an error on the stream; errors while reading surface through the iteration.
    body.on('error', () => undefined);
    const location = told.location;
    if (statusCode >= 300 && statusCode < 400 && typeof location === 'string') {
      body.destroy();
      return new URL(location, url);
    }
    const type = String(told['content-type'] ?? '').toLowerCase();
    if (statusCode !== 200 || !accept.some((one) => type.startsWith(one))) {
      body.destroy();
      return undefined;
    }
    const pieces: Buffer[] = [];
    let bytes = 0;
    for await (const piece of body as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > bytesMax) {
        body.destroy();
        return undefined;
      }
      pieces.push(piece);
    }
    return { url: url.href, type, bytes: Buffer.concat(pieces) };
  }

  #open(): Promise<Agent> {
    const { connectionsMax = CONNECTIONS_MAX, keptMs } = this.#options;
    this.#agent ??= import('undici').then(
      ({ Agent: Made }) =>
        new Made({
          connect: { lookup: this.#lookup, timeout: this.#timeoutMs },
          connections: connectionsMax,
          pipelining: 1,
          maxHeaderSize: 16_384,
          ...(keptMs === undefined ? {} : { keepAliveTimeout: keptMs }),
        }),
    );
    return this.#agent;
  }

  /**
   * Checks the resolved addresses within the lookup of the connection itself: a second lookup could return other
   * addresses.
   */
  readonly #lookup: LookupFunction = (hostname, options, callback) => {
    this.#resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) {
        callback(error, '', 0);
        return;
      }
      const open = addresses.filter(({ address }) => this.#guard.mayReach(address));
      const [first] = open;
      if (first === undefined) callback(new AddressBlocked(), '', 0);
      else if (options.all === true) callback(null, open);
      else callback(null, first.address, first.family);
    });
  };
}

/** Returns true for the end of the request's time, or of undici's own. */
function isTimeout(error: unknown): boolean {
  const { name, code } = error as { name?: string; code?: string };
  return name === 'TimeoutError' || (code?.startsWith('UND_ERR_') === true && code.endsWith('_TIMEOUT'));
}
