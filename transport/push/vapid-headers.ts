import type { Clock } from '../../actors/domain/time.js';
import type { PushMessage } from '../push-sender.js';

/** The keys by which push services identify this instance, base64url. */
export interface VapidKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

/** The headers by which a push service identifies this instance (RFC 8292); the older draft has two. */
export interface Identification {
  readonly authorization: string;
  readonly cryptoKey: string | undefined;
}

export interface VapidSource {
  /** @throws Unavailable when the keys cannot be read */
  keys(): Promise<VapidKeys>;
  /** Returns the operator's address for push services, a `mailto:` or `https:` URL. */
  subject(): Promise<string>;
}

/** `getVapidHeaders` of the library web-push. */
export type Sign = typeof import('web-push').getVapidHeaders;

/** Lifetime of a token. Push services refuse tokens that last longer than 24 hours (RFC 8292 §2). */
const VALID_S = 12 * 3_600;
/** Time for which a token is used. A changed contact appears in the next one. */
const USED_MS = 3_600_000;
/** Cached tokens: one for each push service and encoding. Beyond it the oldest is signed again when needed. */
const TOKENS_MAX = 2_000;

interface Token {
  readonly headers: Promise<Identification>;
  readonly usedUntilMs: number;
}

/** Signed tokens for push services. One serves many messages: a signature costs 2.5 times the encryption of one. */
export class VapidHeaders {
  readonly #tokens = new Map<string, Token>();

  constructor(
    private readonly source: VapidSource,
    private readonly clock: Clock,
  ) {}

  /** Returns the headers for a push service, by its origin. @throws Unavailable when the keys cannot be read */
  for(origin: string, encoding: PushMessage['encoding'], sign: Sign): Promise<Identification> {
    const name = `${encoding} ${origin}`;
    const known = this.#tokens.get(name);
    const nowMs = this.clock.nowMs();
    if (known !== undefined && known.usedUntilMs > nowMs) return known.headers;
    const headers = this.#sign(origin, encoding, sign);
    const token = { headers, usedUntilMs: nowMs + USED_MS };
    this.#tokens.delete(name);
    this.#tokens.set(name, token);
    const [oldest = name] = this.#tokens.keys();
    if (this.#tokens.size > TOKENS_MAX) this.#tokens.delete(oldest);
    headers.catch(() => this.#tokens.get(name) === token && this.#tokens.delete(name));
    return headers;
  }

  async #sign(origin: string, encoding: PushMessage['encoding'], sign: Sign): Promise<Identification> {
    const [{ publicKey, privateKey }, subject] = await Promise.all([this.source.keys(), this.source.subject()]);
    const expiresAtS = Math.floor(this.clock.nowMs() / 1_000) + VALID_S;
    const headers = sign(origin, subject, publicKey, privateKey, encoding, expiresAtS);
    return { authorization: headers.Authorization, cryptoKey: headers['Crypto-Key'] };
  }
}
