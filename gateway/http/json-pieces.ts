/** Room for a page of forty long statuses; it grows with the longest page, up to what one answer may be. */
const SCRATCH_BYTES = 256 * 1_024;

/** A power of two, so that finding a place is no division. */
const VIEWS_MAX = 256;

const encoder = new TextEncoder();

/** JSON as pieces of UTF-8 that are put together when it is sent: most of them are kept, and stand in other answers too. */
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

/** Memory that one answer after the other is put together in. */
export class Scratch {
  #bytes: Uint8Array = new Uint8Array(SCRATCH_BYTES);
  /** Views of the latest lengths, of which there are few: to make one costs as much as to copy a short answer. */
  #views: (Uint8Array | undefined)[] = Array.from({ length: VIEWS_MAX }, () => undefined);

  /** Good until the next call: whoever sends it copies it first. */
  join(json: JsonPieces): Uint8Array {
    let bytes: Uint8Array = this.#bytes;
    let at = 0;
    for (const piece of json.pieces) {
      const { length } = piece;
      if (at + length > bytes.length) bytes = this.#longer(json, at);
      // Commas and brackets: a call costs more than they do.
      if (length === 1) bytes[at] = piece[0] as number;
      else bytes.set(piece, at);
      at += length;
    }
    return this.#view(at);
  }

  /**
   * Returns the text in UTF-8, valid until the next call. uWebSockets must not be handed a string: on Node 24 it sends one that
   * has Latin-1 letters only in Latin-1.
   */
  encode(text: string): Uint8Array {
    // A UTF-16 unit takes at most three bytes in UTF-8.
    if (text.length * 3 > this.#bytes.length) return encoder.encode(text);
    return this.#view(encoder.encodeInto(text, this.#bytes).written);
  }

  /** Room for all of it; so far it stands in what there was. */
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
