import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import type { Head } from './head.js';

/** What came of reading a body. */
export type BodyRead = Uint8Array | 'too_large' | 'unavailable' | 'aborted';

/**
 * A body that is too large is read to its end and thrown away, up to this, because many clients only look for an
 * answer once they have sent everything; past it the connection is closed.
 */
const DISCARD_BYTES_MAX = 16 * 1_048_576;
/**
 * Of uploads read or worked on at one time, as announced: bounds a node's memory to twice as much, since a file is
 * copied out of its form. Two films, or some fifty photographs.
 */
export const UPLOADS_BYTES_MAX = 256 * 1_048_576;

/** What is left for bodies larger than usual ones. */
export class UploadRoom {
  #left: number;

  constructor(bytes = UPLOADS_BYTES_MAX) {
    this.#left = bytes;
  }

  /** The bytes taken, or undefined when there is no room. */
  take(bytes: number): number | undefined {
    if (bytes > this.#left) return undefined;
    this.#left -= bytes;
    return bytes;
  }

  give(bytes: number): void {
    this.#left += bytes;
  }
}

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
  /** Memory for a large body of known length. */
  #whole: Buffer | undefined;
  readonly #room: UploadRoom | undefined;
  #taken = 0;

  /** For a request that `hasBody`. `room`: for a body larger than usual, which has to wait for none. */
  constructor(response: HttpResponse, { contentLength }: Head, bytesMax: number, room?: UploadRoom) {
    this.#room = room;
    const announced = contentLength === undefined ? 0 : Number(contentLength);
    this.done = new Promise((settle) => {
      this.#settle = settle;
    });
    if (announced > Math.max(DISCARD_BYTES_MAX, bytesMax)) {
      this.unread = true;
      this.#settle('too_large');
      return;
    }
    if (announced > bytesMax) this.discard();
    else if (room !== undefined) this.#reserve(room, contentLength === undefined ? bytesMax : announced);
    this.unread = true;
    response.onData((chunk, last) => this.#take(chunk, last, bytesMax));
  }

  /** What comes is counted, not kept: the answer is settled already. */
  discard(): void {
    this.#keeping = false;
    this.#chunks = [];
    this.#whole = undefined;
    this.#room?.give(this.#taken);
    this.#taken = 0;
  }

  abort(): void {
    this.discard();
    this.#settle('aborted');
  }

  #take(chunk: ArrayBuffer, last: boolean, bytesMax: number): void {
    this.#bytes += chunk.byteLength;
    if (this.#bytes > bytesMax) this.discard();
    if (this.#bytes > Math.max(DISCARD_BYTES_MAX, bytesMax)) this.#settle('too_large');
    if (this.#keeping) this.#keep(chunk);
    if (!last) return;
    this.unread = false;
    this.#settle(this.#keeping ? this.#joined() : 'too_large');
    this.#chunks = [];
  }

  #reserve(room: UploadRoom, bytes: number): void {
    const taken = room.take(bytes);
    if (taken === undefined) {
      this.discard();
      this.#settle('unavailable');
      return;
    }
    this.#taken = taken;
  }

  #keep(chunk: ArrayBuffer): void {
    const bytes = new Uint8Array(chunk);
    if (this.#taken === 0) {
      this.#chunks.push(bytes.slice());
      return;
    }
    // Reserved as announced; a body without a length grows in here as it comes.
    const from = this.#bytes - bytes.length;
    this.#whole ??= Buffer.allocUnsafeSlow(this.#taken);
    this.#whole.set(bytes, from);
  }

  #joined(): Uint8Array {
    if (this.#whole !== undefined) return this.#whole.subarray(0, this.#bytes);
    if (this.#chunks.length === 1 && this.#chunks[0] !== undefined) return this.#chunks[0];
    return Buffer.concat(this.#chunks, this.#bytes);
  }
}
