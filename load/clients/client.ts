import { Agent, type Dispatcher, Pool } from 'undici';
import { pinnedLookup, type Target } from './target-guard.js';

/** Maximum size of an answer: a page of 40 long posts takes some 300 KiB. */
const ANSWER_BYTES_MAX = 8 * 1_048_576;
const CONNECT_MS_MAX = 10_000;
/** Maximum pause that a Retry-After header of the server causes. */
const RETRY_AFTER_MS_MAX = 60_000;

export interface Answer {
  readonly status: number;
  /** Milliseconds of Retry-After; undefined without the header. */
  readonly retryAfterMs: number | undefined;
  readonly text: string;
}

export interface Ask {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly token?: string;
  /** Sent as JSON. */
  readonly body?: object;
  readonly idempotencyKey?: string;
  /** Body and headers of a request that another server signs; `body` and `token` are absent then. */
  readonly signed?: { readonly headers: Readonly<Record<string, string>>; readonly body: string };
}

/** There was no answer; the message is one word with the reason. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/**
 * HTTP client for the server under load; uses all its nodes in turn. Redirects count as answers: they are not followed.
 */
export class Client {
  readonly #pools: readonly Pool[];
  #next = 0;
  readonly #timeoutMs: number;

  /** @param connections maximum over all nodes together */
  constructor(targets: readonly Target[], connections: number, timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
    this.#pools = targets.map(
      (target) =>
        new Pool(target.origin, {
          connections: Math.ceil(connections / targets.length),
          pipelining: 1,
          // `timeoutMs` bounds the whole request; a second, coarse timeout would only cost time.
          headersTimeout: 0,
          bodyTimeout: 0,
          maxResponseSize: ANSWER_BYTES_MAX,
          connect: { lookup: pinnedLookup(target), timeout: CONNECT_MS_MAX },
        }),
    );
  }

  /** Sends a request. @throws NoAnswer */
  async ask({ method, path, token, body, idempotencyKey, signed }: Ask): Promise<Answer> {
    const headers: Record<string, string> = { accept: 'application/json', ...signed?.headers };
    if (token !== undefined) headers.authorization = `Bearer ${token}`;
    if (body !== undefined) headers['content-type'] = 'application/json';
    if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey;
    const options: Dispatcher.RequestOptions = { method, path, headers, signal: AbortSignal.timeout(this.#timeoutMs) };
    if (body !== undefined) options.body = JSON.stringify(body);
    if (signed !== undefined) options.body = signed.body;
    try {
      const pool = this.#pools[this.#next++ % this.#pools.length] as Pool;
      const answer = await pool.request(options);
      const text = await answer.body.text();
      return { status: answer.statusCode, retryAfterMs: retryAfterMsOf(answer.headers['retry-after']), text };
    } catch (error) {
      throw new NoAnswer(whyNot(error as Error & { code?: string }), { cause: error });
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#pools.map((pool) => pool.destroy()));
  }
}

/** Returns an agent for WebSockets, each of which has a connection of its own. */
export function streamAgent(target: Target): Agent {
  return new Agent({ connect: { lookup: pinnedLookup(target), timeout: CONNECT_MS_MAX } });
}

function whyNot({ name, code }: Error & { code?: string }): string {
  if (name === 'TimeoutError' || code === 'UND_ERR_CONNECT_TIMEOUT') return 'timeout';
  if (code === 'UND_ERR_SOCKET') return 'closed';
  return code ?? name;
}

/** Parses a Retry-After header, in seconds or as a date. */
export function retryAfterMsOf(header: string | string[] | undefined): number | undefined {
  if (typeof header !== 'string') return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.min(RETRY_AFTER_MS_MAX, Math.max(0, ms));
}
