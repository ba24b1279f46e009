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
}

/** Signature of `dns.lookup` with all addresses. */
type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

/** Timeout of one request including its redirects. */
const PATIENCE_MS = 8_000;
const REDIRECTS_MAX = 3;
/** Maximum number of concurrent connections of one node to a server; further requests wait. */
const CONNECTIONS_MAX = 16;
const ADDRESS_BLOCKED = 'this address may not be reached';

/** An HTTP client for the public web: it checks the address of every connection, at each redirect. */
export class GuardedClient {
  #agent: Promise<Agent> | undefined;
  readonly #guard: AddressGuard;
  readonly #userAgent: string;
  readonly #resolve: Resolve;

  constructor({ guard, userAgent, resolve = systemLookup }: GuardOptions) {
    this.#guard = guard;
    this.#userAgent = userAgent;
    this.#resolve = resolve;
  }

  /** Fetches a page; undefined for any failure. `accept`: prefixes of accepted content types. */
  async get(url: string, accept: readonly string[], bytesMax: number): Promise<Fetched | undefined> {
    const signal = AbortSignal.timeout(PATIENCE_MS);
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

  async close(): Promise<void> {
    await (await this.#agent)?.destroy();
  }

  /** Sends one request. Returns the target of a redirect, or the page. */
  async #once(
    url: URL,
    accept: readonly string[],
    bytesMax: number,
    signal: AbortSignal,
  ): Promise<Fetched | URL | undefined> {
    if (!/^https?:$/.test(url.protocol) || url.username + url.password !== '') return undefined;
    const host = url.hostname.replace(/^\[|\]$/g, '');
    // Connections to IP addresses involve no lookup.
    if (isIP(host) !== 0 && !this.#guard.mayReach(host)) return undefined;
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
    this.#agent ??= import('undici').then(
      ({ Agent: Made }) =>
        new Made({
          connect: { lookup: this.#lookup, timeout: PATIENCE_MS },
          connections: CONNECTIONS_MAX,
          pipelining: 1,
          maxHeaderSize: 16_384,
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
      if (first === undefined) callback(new Error(ADDRESS_BLOCKED), '', 0);
      else if (options.all === true) callback(null, open);
      else callback(null, first.address, first.family);
    });
  };
}
