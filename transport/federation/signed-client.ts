import type { Clock } from '../../actors/domain/time.js';
import type { AddressGuard } from '../address-guard.js';
import { type Answer, GuardedConnections, type Request } from '../web/guarded-connections.js';
import type { Resolve } from '../web/name-cache.js';
import { JSON_BYTES_MAX } from './bounded-json.js';
import { FederationFigures } from './figures.js';
import { type GateBounds, HostGate } from './host-gate.js';
import { ACTIVITY_TYPE, isJrdType, isObjectType, JRD_ACCEPT, OBJECT_ACCEPT } from './media-types.js';
import { deliveryOutcome, fetchOutcome, type SendFailure } from './outcomes.js';
import type { DeliveryOutcome, FederationClient, FetchOutcome, SchemeMemory, Signer } from './port.js';
import { signatureHeaders } from './signatures/signing.js';
import type { SignatureScheme } from './signed-request.js';

export interface SignedClientOptions {
  readonly guard: AddressGuard;
  readonly userAgent: string;
  readonly clock: Pick<Clock, 'nowMs' | 'wallMs'>;
  /** Signs fetches. */
  readonly instance: Signer;
  readonly schemes: SchemeMemory;
  /** Returns true for hosts (with port) of suspended servers, to which nothing is sent. */
  readonly isSuspended: (host: string) => boolean;
  /** Resolves names. Default: the system's resolver. */
  readonly resolve?: Resolve | undefined;
  /** Timeouts of a fetch and of a delivery, with redirects and both schemes. Default: FETCH_MS, DELIVERY_MS. */
  readonly fetchMs?: number;
  readonly deliveryMs?: number;
}

/** Answers of servers that people want to read come within seconds. Source: the design of page fetches, 8 s. */
const FETCH_MS = 8_000;
/** Inboxes of large servers are slower than documents. Source: Mastodon, 10 s. */
const DELIVERY_MS = 10_000;
const REDIRECTS_MAX = 3;
/**
 * Fetches run on behalf of people, deliveries in the background: neither takes the sockets of the other. Deliveries have
 * fewer places where they begin (actors/federation/delivery/places.ts); most of these only wait for slow answers.
 */
const FETCHES: GateBounds = { hostMax: 4, max: 64, hostWaitingMax: 100, waitingMax: 1_000 };
const DELIVERIES: GateBounds = { hostMax: 4, max: 1_280, hostWaitingMax: 16, waitingMax: 1_000 };
/** Connections to a host: a fetch waits while four deliveries are slow, as the host is slow then. */
const SOCKETS_MAX = 4;
/** Longest answer to a delivery that is received so that its connection can be used again. */
const ANSWER_BYTES_MAX = 65_536;
/** Other servers close idle connections after 5 to 75 s. */
const KEPT_MS = 30_000;

/** The part of a request that does not depend on its address. */
interface Wanted extends Pick<Request, 'bytesMax' | 'reads'> {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly signer: Signer | undefined;
}

/** An answer, with the scheme by which its request was signed. */
interface Answered {
  readonly answer: Answer | SendFailure;
  readonly scheme?: SignatureScheme;
}

/** Requests to other servers, signed, guarded and bounded. */
export class SignedClient implements FederationClient {
  readonly figures = new FederationFigures();
  readonly #options: SignedClientOptions;
  readonly #connections: GuardedConnections;
  readonly #fetches = new HostGate(FETCHES);
  readonly #deliveries = new HostGate(DELIVERIES);

  constructor(options: SignedClientOptions) {
    this.#options = options;
    const { guard, userAgent, resolve } = options;
    this.#connections = new GuardedConnections({
      ...{ guard, userAgent, resolve, connectionsMax: SOCKETS_MAX, keptMs: KEPT_MS, timeoutMs: DELIVERY_MS },
    });
  }

  object(url: string): Promise<FetchOutcome> {
    const { instance } = this.#options;
    return this.#fetch(url, { accept: OBJECT_ACCEPT, isType: isObjectType, signer: instance });
  }

  jrd(url: string): Promise<FetchOutcome> {
    return this.#fetch(url, { accept: JRD_ACCEPT, isType: isJrdType, signer: undefined });
  }

  async deliver(
    inbox: string,
    body: Uint8Array,
    signer: Signer,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<DeliveryOutcome> {
    const outcome = await this.#deliver(inbox, body, signer, headers);
    this.figures.deliveries[outcome.kind] += 1;
    return outcome;
  }

  close(): Promise<void> {
    return this.#connections.close();
  }

  async #fetch(
    text: string,
    wanted: { accept: string; isType: (text: string | undefined) => boolean; signer: Signer | undefined },
  ): Promise<FetchOutcome> {
    const { accept, isType, signer } = wanted;
    const signal = AbortSignal.timeout(this.#options.fetchMs ?? FETCH_MS);
    const request: Wanted = {
      ...{ method: 'GET', headers: { accept }, signer, bytesMax: JSON_BYTES_MAX },
      reads: ({ status, headers }) => status === 200 && isType(headers['content-type']),
    };
    const { url, answer } = await this.#follow(text, request, signal);
    const outcome = fetchOutcome(answer, url);
    this.figures.fetches[outcome.kind] += 1;
    return outcome;
  }

  /** Sends a GET and follows its redirects. Each address is checked and signed anew. */
  async #follow(
    text: string,
    request: Wanted,
    signal: AbortSignal,
  ): Promise<{ readonly url: string; readonly answer: Answer | SendFailure | 'redirects' }> {
    let url = this.#permitted(text);
    for (let hop = 0; url !== undefined; hop++) {
      const { answer } = await this.#knock(url, request, this.#fetches, signal);
      const next = typeof answer === 'string' ? undefined : redirectOf(answer, FETCH_REDIRECTS);
      if (next === undefined) return { url: url.href, answer };
      if (hop === REDIRECTS_MAX) return { url: url.href, answer: 'redirects' };
      url = this.#permitted(next, url);
    }
    return { url: text, answer: 'blocked' };
  }

  async #deliver(
    inbox: string,
    body: Uint8Array,
    signer: Signer,
    headers: Readonly<Record<string, string>>,
  ): Promise<DeliveryOutcome> {
    // The time begins when there is a key: one that is still being made is no slowness of the host.
    await signer.privateKey().catch(() => undefined);
    const signal = AbortSignal.timeout(this.#options.deliveryMs ?? DELIVERY_MS);
    const request: Wanted = {
      ...{ method: 'POST', headers: { ...headers, 'content-type': ACTIVITY_TYPE }, body, signer },
      ...{ bytesMax: 0, reads: () => false },
    };
    const url = this.#permitted(inbox);
    if (url === undefined) return { kind: 'refused' };
    let answered = await this.#knock(url, request, this.#deliveries, signal);
    const moved = typeof answered.answer === 'string' ? undefined : redirectOf(answered.answer, POST_REDIRECTS);
    const next = moved === undefined ? undefined : this.#permitted(moved, url);
    if (next?.origin === url.origin) answered = await this.#knock(next, request, this.#deliveries, signal);
    return deliveryOutcome(answered.answer, answered.scheme, this.#options.clock.wallMs());
  }

  /** Returns an address without its fragment; undefined if requests to it are not permitted. */
  #permitted(text: string, base?: URL): URL | undefined {
    if (!URL.canParse(text, base?.href)) return undefined;
    const url = new URL(text, base);
    url.hash = '';
    return this.#options.guard.maySend(url) && !this.#options.isSuspended(url.host) ? url : undefined;
  }

  /** Sends a request. A host that refuses one signature scheme gets the other once; the accepted one is remembered. */
  async #knock(url: URL, request: Wanted, gate: HostGate, signal: AbortSignal): Promise<Answered> {
    if (request.signer === undefined) return { answer: await this.#ask(url, request, {}, gate, signal) };
    const { schemes } = this.#options;
    const scheme = schemes.schemeOf(url.host) ?? 'cavage';
    const answer = await this.#sign(url, request, scheme, gate, signal);
    if (!isRefusal(answer)) return { answer, scheme };
    const other = scheme === 'cavage' ? 'rfc9421' : 'cavage';
    const second = await this.#sign(url, request, other, gate, signal);
    if (isRefusal(second)) return { answer: second };
    // Errors of the host or of the network say nothing about the scheme.
    if (typeof second !== 'string' && second.status < 500 && second.status !== 429) schemes.remember(url.host, other);
    return { answer: second, scheme: other };
  }

  async #sign(
    url: URL,
    request: Wanted,
    scheme: SignatureScheme,
    gate: HostGate,
    signal: AbortSignal,
  ): Promise<Answer | SendFailure> {
    const { method, body, signer } = request;
    if (signer === undefined) return 'no-key';
    let signature: Readonly<Record<string, string>>;
    try {
      signature = await signatureHeaders(scheme, { method, url, body }, signer, this.#options.clock.nowMs());
    } catch {
      // The store that contains the key logs its own failures.
      return 'no-key';
    }
    return this.#ask(url, request, signature, gate, signal);
  }

  async #ask(
    url: URL,
    { method, headers, body, bytesMax, reads }: Wanted,
    signature: Readonly<Record<string, string>>,
    gate: HostGate,
    signal: AbortSignal,
  ): Promise<Answer | SendFailure> {
    const leave = await gate.enter(url.host, signal);
    if (leave === undefined) return 'busy';
    try {
      return await this.#connections.send({
        ...{ method, url, body, signal, bytesMax, reads, skippedBytesMax: ANSWER_BYTES_MAX },
        headers: { ...headers, ...signature },
      });
    } finally {
      leave();
    }
  }
}

const FETCH_REDIRECTS = [301, 302, 303, 307, 308];
/** Only these keep the method (RFC 9110 §15.4). */
const POST_REDIRECTS = [307, 308];

const redirectOf = ({ status, headers }: Answer, statuses: readonly number[]) =>
  statuses.includes(status) ? headers.location : undefined;

const isRefusal = (answer: Answer | SendFailure) =>
  typeof answer !== 'string' && (answer.status === 401 || answer.status === 403);
