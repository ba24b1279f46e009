import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { AddressGuard } from '../address-guard.js';
import type { Resolve } from './name-cache.js';
import { ServerConnections } from './server-connections.js';

export interface ConnectionOptions {
  readonly guard: AddressGuard;
  readonly userAgent: string;
  /** Resolves names. Default: the system's resolver. */
  readonly resolve?: Resolve | undefined;
  /** Maximum number of concurrent connections to a server; further requests wait. */
  readonly connectionsMax: number;
  /** Servers to which connections are kept. The one unused for longest is disconnected. Default: SERVERS_MAX. */
  readonly serversMax?: number;
  /** Time for which an idle connection is kept, unless the server says otherwise. Default: undici's 4 s. */
  readonly keptMs?: number | undefined;
  /** Timeout of opening a connection. */
  readonly timeoutMs: number;
}

/** One request, without its redirects. */
export interface Request {
  readonly method: 'GET' | 'POST';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | undefined;
  readonly signal: AbortSignal;
  /** Longest body of an answer that is read. */
  readonly bytesMax: number;
  /** Decides by the head of an answer whether its body is read. */
  reads(answer: Omit<Answer, 'body'>): boolean;
  /** Bytes of an unread body that are received so that the connection can be used again; 0: it is closed. */
  readonly skippedBytesMax: number;
}

export interface Answer {
  readonly status: number;
  /** Lower-case names; the first value of a repeated header. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Undefined: not read. */
  readonly body: Uint8Array | 'too-large' | undefined;
}

/** The reason why a request got no answer. */
export type RequestFailure = 'blocked' | 'timeout' | 'unreachable';

/** Servers to which connections are kept: bounds idle sockets. */
const SERVERS_MAX = 128;

/** Thrown by a look-up that finds only addresses that may not be reached. */
class AddressBlocked extends Error {
  constructor() {
    super('this address may not be reached');
  }
}

/** HTTP connections to the public web. The guard checks the address of every connection. */
export class GuardedConnections {
  readonly #options: ConnectionOptions;
  readonly #resolve: Resolve;
  #undici: Promise<typeof import('undici')> | undefined;
  /** Connections by origin, in the order of their last use. */
  readonly #servers = new Map<string, ServerConnections>();

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#resolve = options.resolve ?? systemLookup;
  }

  /** Sends one request and follows no redirect. Never throws. */
  async send(sent: Request): Promise<Answer | RequestFailure> {
    if (!this.#mayAsk(sent.url)) return 'blocked';
    try {
      return await this.#send(sent);
    } catch (error) {
      if (error instanceof AddressBlocked) return 'blocked';
      return isTimeout(error) ? 'timeout' : 'unreachable';
    }
  }

  async close(): Promise<void> {
    const servers = [...this.#servers.values()];
    this.#servers.clear();
    await Promise.all(servers.map((server) => server.destroy()));
  }

  async #send({ method, url, headers, body, signal, bytesMax, reads, skippedBytesMax }: Request): Promise<Answer> {
    // Loaded with the first request: it would slow every start. The bundle copies the module at each import.
    this.#undici ??= import('undici');
    const { statusCode, ...answer } = await this.#server(await this.#undici, url.origin).request({
      ...{ method, path: url.pathname + url.search, signal },
      ...(body === undefined ? {} : { body }),
      headers: { ...headers, 'user-agent': this.#options.userAgent },
    });
    // Destroying an unread body emits an error on the stream; errors while reading surface through the iteration.
    answer.body.on('error', () => undefined);
    const entries = Object.entries(answer.headers).map(([name, value]) => [name, [value].flat()[0]] as const);
    const head = { status: statusCode, headers: Object.fromEntries(entries) };
    if (!reads(head)) {
      // The head counts, even when the rest of the answer fails.
      if (skippedBytesMax > 0) await answer.body.dump({ limit: skippedBytesMax, signal }).catch(() => undefined);
      else answer.body.destroy();
      return { ...head, body: undefined };
    }
    const pieces: Buffer[] = [];
    let bytes = 0;
    for await (const piece of answer.body as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > bytesMax) {
        answer.body.destroy();
        return { ...head, body: 'too-large' };
      }
      pieces.push(piece);
    }
    return { ...head, body: Buffer.concat(pieces) };
  }

  /** Returns false for other schemes, user names, and IP addresses that may not be reached: they need no look-up. */
  #mayAsk(url: URL): boolean {
    if (!/^https?:$/.test(url.protocol) || url.username + url.password !== '') return false;
    const host = url.hostname.replace(/^\[|\]$/g, '');
    return isIP(host) === 0 || this.#options.guard.mayReach(host);
  }

  /** Returns the connections to a server. The one unused for longest is disconnected when there are too many. */
  #server(undici: typeof import('undici'), origin: string): ServerConnections {
    const { connectionsMax, keptMs, timeoutMs, serversMax = SERVERS_MAX } = this.#options;
    const server =
      this.#servers.get(origin) ??
      new ServerConnections(undici, origin, {
        connect: { lookup: this.#lookup, timeout: timeoutMs },
        connections: connectionsMax,
        pipelining: 1,
        maxHeaderSize: 16_384,
        ...(keptMs === undefined ? {} : { keepAliveTimeout: keptMs }),
      });
    this.#servers.delete(origin);
    if (this.#servers.size >= serversMax) this.#disconnectIdle();
    this.#servers.set(origin, server);
    return server;
  }

  /** Servers in use are no more than the requests in flight, which callers bound. */
  #disconnectIdle(): void {
    for (const [origin, server] of this.#servers) {
      if (!server.isIdle) continue;
      this.#servers.delete(origin);
      void server.destroy().catch(() => undefined);
      return;
    }
  }

  /**
   * Checks the resolved addresses within the lookup of the connection itself: a second lookup could return other
   * addresses.
   */
  readonly #lookup: LookupFunction = (hostname, options, callback) => {
    this.#resolve(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      if (error !== null) {
        callback(error, '', 0);
        return;
      }
      const open = addresses.filter(({ address }) => this.#options.guard.mayReach(address));
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
