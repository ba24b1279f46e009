import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import type { Head } from './head.js';

/** What came of reading a body. */
export type BodyRead = Uint8Array | 'too_large' | NoRoom | 'aborted';
/** Why an upload gets no room: all of it is taken, or the account has its share. */
type NoRoom = 'unavailable' | 'over_share';

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

/** The most that uploads of one account may have of it: a film and some photographs. The rest is for others. */
export const UPLOADS_OF_ACCOUNT_BYTES_MAX = UPLOADS_BYTES_MAX / 2;
/** Room that a body without a length takes at a time as it grows. */
const GROWTH_BYTES = 4 * 1_048_576;

/** Memory for bodies that are larger than usual ones, shared fairly between accounts. */
export class UploadRoom {
  #left: number;
  readonly #share: number;
  readonly #ofAccount = new Map<string, number>();

  constructor(bytes = UPLOADS_BYTES_MAX, share = UPLOADS_OF_ACCOUNT_BYTES_MAX) {
    this.#left = bytes;
    this.#share = share;
  }

  /** Takes room, for an account once it is known; answers why there is none. */
  take(bytes: number, account?: string): NoRoom | undefined {
    if (bytes > this.#left) return 'unavailable';
    if (account !== undefined && !this.assign(bytes, account)) return 'over_share';
    this.#left -= bytes;
    return undefined;
  }

  /** Counts room that was taken towards the share of an account; false if that has none left. */
  assign(bytes: number, account: string): boolean {
    const held = this.#ofAccount.get(account) ?? 0;
    if (held + bytes > this.#share) return false;
    this.#ofAccount.set(account, held + bytes);
    return true;
  }

  /** Gives room back that was taken, and counted if `account` says for whom. */
  give(bytes: number, account?: string): void {
    this.#left += bytes;
    if (account === undefined) return;
    const held = (this.#ofAccount.get(account) ?? 0) - bytes;
    if (held > 0) this.#ofAccount.set(account, held);
    else this.#ofAccount.delete(account);
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
  readonly #announced: number | undefined;
  /** Memory for a large body of known length. */
  #whole: Buffer | undefined;
  readonly #room: UploadRoom | undefined;
  #taken = 0;
  #account: string | undefined;

  /** For a request that `hasBody`. `room`: for a body larger than usual, which has to wait for none. */
  constructor(response: HttpResponse, { contentLength }: Head, bytesMax: number, room?: UploadRoom) {
    this.#room = room;
    this.#announced = contentLength === undefined ? undefined : Number(contentLength);
    const announced = this.#announced ?? 0;
    this.done = new Promise((settle) => {
      this.#settle = settle;
    });
    if (announced > Math.max(DISCARD_BYTES_MAX, bytesMax)) {
      this.unread = true;
      this.#settle('too_large');
      return;
    }
    if (announced > bytesMax) this.discard();
    else if (announced > 0) this.#reserve(announced);
    this.unread = true;
    response.onData((chunk, last) => this.#take(chunk, last, bytesMax));
  }

  /** What comes is counted, not kept: the answer is settled already. */
  discard(): void {
    this.#keeping = false;
    this.#chunks = [];
    this.#whole = undefined;
    this.#room?.give(this.#taken, this.#account);
    this.#taken = 0;
  }

  /** Counts the upload towards the account's share; false if that is used up: nothing is kept then. */
  assignTo(account: string): boolean {
    if (this.#room?.assign(this.#taken, account) === false) {
      this.discard();
      return false;
    }
    this.#account = account;
    return true;
  }

  abort(): void {
    this.discard();
    this.#settle('aborted');
  }

  #take(chunk: ArrayBuffer, last: boolean, bytesMax: number): void {
    this.#bytes += chunk.byteLength;
    if (this.#bytes > bytesMax) this.discard();
    if (this.#bytes > Math.max(DISCARD_BYTES_MAX, bytesMax)) this.#settle('too_large');
    if (this.#keeping && this.#announced === undefined && this.#bytes > this.#taken) this.#reserve(GROWTH_BYTES);
    if (this.#keeping) this.#keep(chunk);
    if (!last) return;
    this.unread = false;
    this.#settle(this.#keeping ? this.#joined() : 'too_large');
    this.#chunks = [];
  }

  #reserve(bytes: number): void {
    if (this.#room === undefined) return;
    const refused = this.#room.take(bytes, this.#account);
    if (refused === undefined) {
      this.#taken += bytes;
      return;
    }
    this.discard();
    this.#settle(refused);
  }

  #keep(chunk: ArrayBuffer): void {
    const bytes = new Uint8Array(chunk);
    if (this.#taken === 0 || this.#announced === undefined) {
      this.#chunks.push(bytes.slice());
      return;
    }
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
