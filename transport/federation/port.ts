import type { KeyObject } from 'node:crypto';
import type { JsonObject } from './bounded-json.js';
import type { SignatureScheme } from './signed-request.js';

/** Signs requests of one owner. Cheap to pass; the key is read when it is needed. */
export interface Signer {
  /** Address of the public key: the actor's id with `#main-key`. */
  readonly keyId: string;
  /** Returns the private key (RSA). @throws Unavailable */
  privateKey(): Promise<KeyObject>;
}

/** Remembers the signature scheme that each host accepts. A host is that of a URL, with its port. */
export interface SchemeMemory {
  schemeOf(host: string): SignatureScheme | undefined;
  /** Called when a host has refused one scheme and accepted the other, or has itself signed by RFC 9421. */
  remember(host: string, scheme: SignatureScheme): void;
}

/**
 * Outcome of a fetch. `missing`: 404; `gone`: 410; `refused`: any other 4xx, 401 and 403 after both signature schemes.
 * `unusable`: repeating is useless, because of the media type, size, content, redirects or address. `failed`: 5xx, 429,
 * no answer, or too many requests of this node at once; the caller may repeat it later.
 */
export type FetchOutcome =
  | {
      readonly kind: 'object';
      /** Address after redirects, without a fragment. */
      readonly url: string;
      readonly value: JsonObject;
    }
  | { readonly kind: 'gone' }
  | { readonly kind: 'missing' }
  | { readonly kind: 'refused'; readonly status: number }
  | { readonly kind: 'unusable'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string };

/**
 * Outcome of a delivery. `gone`: 404 or 410. `refused`: repeating is useless; without a status nothing was sent, since
 * the address may not be used or its domain is suspended. `later`: it may be repeated. Its reason `local` means that
 * nothing was sent: the signer's key cannot be read, or too many requests wait here.
 */
export interface DeliveryOutcome {
  readonly kind: 'delivered' | 'gone' | 'refused' | 'later';
  readonly status?: number;
  /** Pause that the host asks for with Retry-After, at most a day. */
  readonly afterMs?: number;
  readonly reason?: 'busy' | 'failed' | 'unreachable' | 'timeout' | 'blocked' | 'local';
  /** The scheme that the host accepted. */
  readonly scheme?: SignatureScheme;
}

/** Requests to other servers. No method throws; time, sizes and concurrency are bounded. */
export interface FederationClient {
  /** Fetches an ActivityStreams object, signed by the instance actor. */
  object(url: string): Promise<FetchOutcome>;
  /** Fetches a JRD (WebFinger, host-meta); unsigned. */
  jrd(url: string): Promise<FetchOutcome>;
  /** Sends an activity to an inbox; a host that refuses one signature scheme gets the other once. */
  deliver(
    inbox: string,
    body: Uint8Array,
    signer: Signer,
    headers?: Readonly<Record<string, string>>,
  ): Promise<DeliveryOutcome>;
  close(): Promise<void>;
}
