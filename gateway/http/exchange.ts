import type { HttpResponse } from 'uWebSockets.js';
import type { BodyReader } from './body-reader.js';
import type { Head } from './head.js';
import type { Arrival } from './incoming.js';
import { requestId } from './responder.js';

/** One request with its response, from arrival to answer. */
export class Exchange implements Arrival {
  /** The client has gone: the response must not be touched. */
  aborted = false;
  /** uWebSockets takes no more calls on the response. */
  answered = false;
  body: BodyReader | undefined;
  /** Called when the client goes. */
  onGone: (() => void) | undefined;
  /** Any method but GET and HEAD. */
  readonly writes: boolean;
  readonly #idPrefix: string;
  #address: ArrayBuffer | undefined;

  /** Must be made within uWebSockets' request handler. */
  constructor(
    readonly response: HttpResponse,
    readonly head: Head,
    idPrefix: string,
    readonly number: number,
    /** Monotonic. */
    readonly startedMs: number,
  ) {
    this.#idPrefix = idPrefix;
    this.writes = head.method !== 'GET' && head.method !== 'HEAD';
  }

  get id(): string {
    return requestId(this.#idPrefix, this.number);
  }

  /** Empty when the client has gone before anybody asked. */
  connected(): string {
    if (this.#address === undefined && !this.aborted && !this.answered) {
      this.#address = this.response.getRemoteAddressAsText();
    }
    return this.#address === undefined ? '' : Buffer.from(this.#address).toString('latin1');
  }

  /** For an answer that comes later: uWebSockets then demands to tell of clients that go. */
  watch(): void {
    this.response.onAborted(() => {
      this.aborted = true;
      this.body?.abort();
      this.onGone?.();
    });
  }
}
