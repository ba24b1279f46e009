import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import type { Head } from './head.js';

/** Result of reading a body. */
export type BodyRead = Uint8Array | 'too_large' | NoRoom | 'aborted';
/** Reason why an upload gets no room: all room is in use, or the account has used its share. */
type NoRoom = 'unavailable' | 'over_share';

/**
 * A body that is too large is read to its end and discarded, up to this size, because many clients look for an answer
 * only after they have sent everything. Past it the server answers before the end (`linger`).
 */
const DISCARD_BYTES_MAX = 16 * 1_048_576;
/**
 * Announced bytes of all uploads that are read or processed at one time. Bounds a node's memory to twice as much,
 * because a file is copied out of its form. It fits two films, or some fifty photographs.
 */
export const UPLOADS_BYTES_MAX = 256 * 1_048_576;

/**
 * Largest share of the room for the uploads of one account: a film and some photographs. The rest is for other
 * accounts.
 */
export const UPLOADS_OF_ACCOUNT_BYTES_MAX = UPLOADS_BYTES_MAX / 2;
/** Step in which a body without an announced length reserves room as it grows. */
const GROWTH_BYTES = 4 * 1_048_576;

/** Memory for bodies that are larger than usual, shared fairly between accounts. */
export class UploadRoom {
  #left: number;
  readonly #share: number;
  readonly #ofAccount = new Map<string, number>();

  constructor(bytes = UPLOADS_BYTES_MAX, share = UPLOADS_OF_ACCOUNT_BYTES_MAX) {
    this.#left = bytes;
    this.#share = share;
  }

  /**
   * Reserves room, for an account once it is known. Returns the reason if there is none, undefined if the room is
   * reserved.
   */
  take(bytes: number, account?: string): NoRoom | undefined {
    if (bytes > this.#left) return 'unavailable';
    if (account !== undefined && !this.assign(bytes, account)) return 'over_share';
    this.#left -= bytes;
    return undefined;
  }

  /** Counts reserved room towards the share of an account. Returns false if the share is used up. */
  assign(bytes: number, account: string): boolean {
    const held = this.#ofAccount.get(account) ?? 0;
    if (held + bytes > this.#share) return false;
    this.#ofAccount.set(account, held + bytes);
    return true;
  }

  /** Releases reserved room. `account` is the one whose share it counted towards, if any. */
  give(bytes: number, account?: string): void {
    this.#left += bytes;
    if (account === undefined) return;
    const held = (this.#ofAccount.get(account) ?? 0) - bytes;
    if (held > 0) this.#ofAccount.set(account, held);
    else this.#ofAccount.delete(account);
  }
}

/** Returns true if a request has a body. */
export function hasBody({ contentLength, transferEncoding }: Head): boolean {
  return transferEncoding !== undefined || (contentLength !== undefined && Number(contentLength) !== 0);
}

/** Returns true if a body that nobody reads could keep the connection busy for long. */
export function mayBeLong(request: HttpRequest): boolean {
  return (
    request.getHeader('transfer-encoding') !== '' || Number(request.getHeader('content-length')) > DISCARD_BYTES_MAX
  );
}

/**
 * Collects the body of one request, never more than `bytesMax` of it. Must be created within uWebSockets' request
 * handler.
 */
export class BodyReader {
  readonly done: Promise<BodyRead>;
  /** True while parts of the body may still arrive: the connection must not be used for another request. */
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

  /**
   * Reads a request for which `hasBody` is true. `room` is for bodies that are larger than usual; a usual body waits
   * for no room.
   */
  constructor(response: HttpResponse, { contentLength }: Head, bytesMax: number, room?: UploadRoom) {
    this.#room = room;
    this.#announced = contentLength === undefined ? undefined : Number(contentLength);
    const announced = this.#announced ?? 0;
    this.done = new Promise((settle) => {
      this.#settle = settle;
    });
    if (announced > Math.max(DISCARD_BYTES_MAX, bytesMax)) {
      this.unread = true;
      response.onData((_chunk, last) => {
        if (last) this.unread = false;
      });
      this.#settle('too_large');
      return;
    }
    if (announced > bytesMax) this.discard();
    else if (announced > 0) this.#reserve(announced);
    this.unread = true;
    response.onData((chunk, last) => this.#take(chunk, last, bytesMax));
  }

  /** Discards the body. Further bytes are counted but not stored, because the answer is already decided. */
  discard(): void {
    this.#keeping = false;
    this.#chunks = [];
    this.#whole = undefined;
    this.#room?.give(this.#taken, this.#account);
    this.#taken = 0;
  }

  /** Counts the upload towards the account's share. Returns false, and discards the body, if the share is used up. */
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
