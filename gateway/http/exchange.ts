import type { HttpResponse } from 'uWebSockets.js';
import type { Work } from './limits/admission.js';
import type { BodyReader } from './request/body-reader.js';
import type { Head } from './request/head.js';
import type { Arrival } from './request/incoming.js';
import { requestId } from './responder.js';

/** One request with its response, from arrival to answer. */
export class Exchange implements Arrival {
  /** The client has disconnected: the response must not be used. */
  aborted = false;
  /** uWebSockets takes no more calls on the response. */
  answered = false;
  body: BodyReader | undefined;
  /** Called when the client disconnects. */
  onGone: (() => void) | undefined;
  /** True for any method but GET and HEAD. */
  readonly writes: boolean;
  /** Queue of the request. */
  readonly work: Work;
  readonly #idPrefix: string;
  #address: ArrayBuffer | undefined;

  /** Must be created within uWebSockets' request handler. */
  constructor(
    readonly response: HttpResponse,
    readonly head: Head,
    idPrefix: string,
    readonly number: number,
    /** Monotonic time. */
    readonly startedMs: number,
  ) {
    this.#idPrefix = idPrefix;
    this.work = workOf(head.method, head.rawPath);
    this.writes = this.work === 'writes' || this.work === 'inbox';
  }

  get id(): string {
    return requestId(this.#idPrefix, this.number);
  }

  /** Returns the address of the peer, or '' if the client disconnected before the first call. */
  connected(): string {
    if (this.#address === undefined && !this.aborted && !this.answered) {
      this.#address = this.response.getRemoteAddressAsText();
    }
    return this.#address === undefined ? '' : Buffer.from(this.#address).toString('latin1');
  }

  /** Registers for disconnection. uWebSockets demands this if the answer comes asynchronously. */
  watch(): void {
    this.response.onAborted(() => {
      this.aborted = true;
      this.body?.abort();
      this.onGone?.();
    });
  }
}

/** Returns the queue of a request. Only other servers send requests to inboxes. */
export function workOf(method: string, path: string): Work {
  if (method === 'GET' || method === 'HEAD') return path.startsWith('/media_proxy/') ? 'proxied' : 'reads';
  return method === 'POST' && path.endsWith('/inbox') ? 'inbox' : 'writes';
}
