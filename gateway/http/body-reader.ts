import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import type { Head } from './head.js';

/** What came of reading a body. */
export type BodyRead = Uint8Array | 'too_large' | 'aborted';

/**
 * A body that is too large is read to its end and thrown away, up to this, because many clients only look for an
 * answer once they have sent everything; past it the connection is closed.
 */
const DISCARD_BYTES_MAX = 16 * 1_048_576;

/** Whether a request has a body at all. */
export function hasBody({ contentLength, transferEncoding }: Head): boolean {
  return transferEncoding !== undefined || (contentLength !== undefined && Number(contentLength) !== 0);
}

/** Whether a body that nobody reads could keep the connection busy for long. */
export function mayBeLong(request: HttpRequest): boolean {
  return (
    request.getHeader('transfer-encoding') !== '' || Number(request.getHeader('content-length')) > DISCARD_BYTES_MAX
  );
}

/** Collects one request's body, never more than `bytesMax` of it. Must be made within uWebSockets' request handler. */
export class BodyReader {
  readonly done: Promise<BodyRead>;
  /** True while parts of the body may still come: the connection must not be used for another request. */
  unread = false;
  #settle: (read: BodyRead) => void = () => {};
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #keeping = true;

  /** For a request that `hasBody`. */
  constructor(response: HttpResponse, { contentLength }: Head, bytesMax: number) {
    const announced = contentLength === undefined ? 0 : Number(contentLength);
    this.done = new Promise((settle) => {
      this.#settle = settle;
    });
    if (announced > DISCARD_BYTES_MAX) {
      this.unread = true;
      this.#settle('too_large');
      return;
    }
    if (announced > bytesMax) this.discard();
    this.unread = true;
    response.onData((chunk, last) => this.#take(chunk, last, bytesMax));
  }

  /** What comes is counted, not kept: the answer is settled already. */
  discard(): void {
    this.#keeping = false;
    this.#chunks = [];
  }

  abort(): void {
    this.discard();
    this.#settle('aborted');
  }

  #take(chunk: ArrayBuffer, last: boolean, bytesMax: number): void {
    this.#bytes += chunk.byteLength;
    if (this.#bytes > bytesMax) this.discard();
    if (this.#bytes > DISCARD_BYTES_MAX) this.#settle('too_large');
    if (this.#keeping) this.#chunks.push(new Uint8Array(chunk).slice());
    if (!last) return;
    this.unread = false;
    this.#settle(this.#keeping ? this.#whole() : 'too_large');
    this.#chunks = [];
  }

  #whole(): Uint8Array {
    if (this.#chunks.length === 1 && this.#chunks[0] !== undefined) return this.#chunks[0];
    return Buffer.concat(this.#chunks, this.#bytes);
  }
}
