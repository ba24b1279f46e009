import type { Caller } from './authenticator.js';
import type { BodyRead } from './body-reader.js';
import type { ClientAddress } from './client-address.js';
import type { Head } from './head.js';
import type { Repeated } from './idempotency.js';
import type { Bearer, Request } from './route.js';
import type { Services } from './services.js';

/** One request on its way through the dispatcher. */
export interface Arrival {
  readonly id: string;
  readonly head: Head;
  /** Any method but GET and HEAD. */
  readonly writes: boolean;
  /** The connection's other end, remembered once asked for: empty if the client has gone before. A system call. */
  connected(): string;
  /** Absent: the request has none. */
  readonly body: { readonly done: Promise<BodyRead>; discard(): void; assignTo(account: string): boolean } | undefined;
}

/** Path and query, parsed and valid. */
export interface Address {
  readonly params: unknown;
  readonly query: unknown;
}

/** What a handler sees of a request; the parts that few ask for are made when they do. */
export class Incoming implements Request<never, never, never> {
  readonly services: Services;
  readonly viewer: string | undefined;
  readonly bearer: Bearer | undefined;
  readonly params: never;
  readonly query: never;
  readonly body: never;
  readonly #clientAddress: ClientAddress;
  readonly #arrival: Arrival;
  #repeated: Repeated | undefined;

  constructor(
    services: Services,
    clientAddress: ClientAddress,
    caller: Caller,
    address: Address,
    body: unknown,
    arrival: Arrival,
  ) {
    this.services = services;
    this.viewer = caller.viewer;
    this.bearer = caller.bearer;
    this.params = address.params as never;
    this.query = address.query as never;
    this.body = body as never;
    this.#clientAddress = clientAddress;
    this.#arrival = arrival;
  }

  get id(): string {
    return this.#arrival.id;
  }

  get headers(): Readonly<Record<string, string>> {
    return this.#arrival.head.headers;
  }

  get url(): string {
    const { path, query } = this.#arrival.head;
    return query === '' ? path : `${path}?${query}`;
  }

  get once(): string | undefined {
    return this.#repeated?.once;
  }

  get newId(): string | undefined {
    return this.#repeated?.newId;
  }

  /** What it has in common with the requests that it may repeat. */
  repeats(repeated: Repeated): void {
    this.#repeated = repeated;
  }

  get remoteAddress(): string {
    return this.#clientAddress(this.#arrival.connected(), this.headers['x-forwarded-for']);
  }
}
