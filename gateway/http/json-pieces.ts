/**
 * Initial size: room for a page of forty long statuses. It grows with the longest page, up to the size of the longest
 * answer.
 */
const SCRATCH_BYTES = 256 * 1_024;

/** A power of two, so that the index needs no division. */
const VIEWS_MAX = 256;

const encoder = new TextEncoder();

/** JSON as pieces of UTF-8 that are joined when it is sent. Most pieces are cached and shared with other answers. */
export class JsonPieces {
  constructor(readonly pieces: readonly Uint8Array[]) {}

  get length(): number {
    let length = 0;
    for (const piece of this.pieces) length += piece.length;
    return length;
  }

  toString(): string {
    return Buffer.concat(this.pieces).toString();
  }
}

/** Buffer in which one answer after the other is joined. */
export class Scratch {
  #bytes: Uint8Array = new Uint8Array(SCRATCH_BYTES);
  /** Cached views by length. There are few lengths, and creating a view costs as much as copying a short answer. */
  #views: (Uint8Array | undefined)[] = Array.from({ length: VIEWS_MAX }, () => undefined);

  /** Returns the joined bytes, valid until the next call: the sender copies them first. */
  join(json: JsonPieces): Uint8Array {
    let bytes: Uint8Array = this.#bytes;
    let at = 0;
    for (const piece of json.pieces) {
      const { length } = piece;
      if (at + length > bytes.length) bytes = this.#longer(json, at);
      // Commas and brackets: a call of `set` costs more than an assignment.
      if (length === 1) bytes[at] = piece[0] as number;
      else bytes.set(piece, at);
      at += length;
    }
    return this.#view(at);
  }

  /**
   * Returns the text in UTF-8, valid until the next call. uWebSockets must not get a string: on Node 24 it sends a
   * string that has Latin-1 letters only in Latin-1.
   */
  encode(text: string): Uint8Array {
    // A UTF-16 unit takes at most three bytes in UTF-8.
    if (text.length * 3 > this.#bytes.length) return encoder.encode(text);
    return this.#view(encoder.encodeInto(text, this.#bytes).written);
  }

  /** Returns a buffer with room for all pieces, with the bytes written so far. */
  #longer({ length }: JsonPieces, done: number): Uint8Array {
    const longer = new Uint8Array(length * 2);
    longer.set(this.#bytes.subarray(0, done));
    this.#bytes = longer;
    this.#views.fill(undefined);
    return longer;
  }

  #view(length: number): Uint8Array {
    let view = this.#views[length % VIEWS_MAX];
    if (view?.length !== length) {
      view = this.#bytes.subarray(0, length);
      this.#views[length % VIEWS_MAX] = view;
    }
    return view;
  }
}
