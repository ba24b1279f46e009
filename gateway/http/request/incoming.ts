import type { ApiAnswer, ApiCall, ApiPerson } from '../api-call.js';
import type { Caller } from '../authenticator.js';
import type { Repeated } from '../idempotency.js';
import type { ClientAddress } from '../limits/client-address.js';
import type { Bearer, Request } from '../route.js';
import type { Services } from '../services.js';
import type { BodyRead } from './body-reader.js';
import type { Head } from './head.js';
import type { RefusedForm } from './refused-form.js';

/** Cause of calls of the API: a request, or work of the server for a person. */
export interface Origin {
  readonly id: string;
  readonly head: Pick<Head, 'headers' | 'path' | 'rawPath' | 'query'>;
  /**
   * Returns the address of the peer, cached after the first call, which is a system call. Empty if the client
   * disconnected before it.
   */
  connected(): string;
}

/** One request on its way through the dispatcher. */
export interface Arrival extends Origin {
  readonly head: Head;
  /** True for any method but GET and HEAD. */
  readonly writes: boolean;
  /** Absent: the request has no body. */
  readonly body: { readonly done: Promise<BodyRead>; discard(): void; assignTo(account: string): boolean } | undefined;
}

/** Parsed and valid path and query. */
export interface Address {
  readonly params: unknown;
  readonly query: unknown;
}

/** A handler's view of a request. Properties that few handlers read are computed on demand. */
export class Incoming implements Request<never, never, never> {
  readonly services: Services;
  readonly viewer: string | undefined;
  readonly bearer: Bearer | undefined;
  readonly params: never;
  readonly query: never;
  readonly body: never;
  readonly api: Request<never, never, never>['api'];
  readonly refused: RefusedForm | undefined;
  readonly #clientAddress: ClientAddress;
  readonly #arrival: Origin;
  #repeated: Repeated | undefined;

  constructor(
    services: Services,
    clientAddress: ClientAddress,
    caller: Caller,
    address: Address,
    body: unknown,
    arrival: Origin,
    api: (arrival: Origin, person: ApiPerson | undefined, call: ApiCall) => Promise<ApiAnswer>,
    refused?: RefusedForm,
  ) {
    this.refused = refused;
    this.services = services;
    this.api = <T>(person: ApiPerson | undefined, call: ApiCall) => api(arrival, person, call) as Promise<ApiAnswer<T>>;
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

  get target(): string {
    const { rawPath, query } = this.#arrival.head;
    return query === '' ? rawPath : `${rawPath}?${query}`;
  }

  get once(): string | undefined {
    return this.#repeated?.idempotent;
  }

  get newId(): string | undefined {
    return this.#repeated?.newId;
  }

  /** Sets the properties that the request shares with its repeats. */
  repeats(repeated: Repeated): void {
    this.#repeated = repeated;
  }

  get remoteAddress(): string {
    return this.#clientAddress(this.#arrival.connected(), this.headers['x-forwarded-for']);
  }
}
