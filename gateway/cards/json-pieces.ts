/** Room for a page of forty long statuses; it grows with the longest page, up to what one answer may be. */
const SCRATCH_BYTES = 256 * 1_024;

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
  #bytes = new Uint8Array(SCRATCH_BYTES);

  /** Good until the next call: whoever sends it copies it first. */
  join(json: JsonPieces): Uint8Array {
    const { length, pieces } = json;
    if (length > this.#bytes.length) this.#bytes = new Uint8Array(length * 2);
    let at = 0;
    for (const piece of pieces) {
      // Commas and brackets: a call costs more than they do.
      if (piece.length === 1) this.#bytes[at] = piece[0] as number;
      else this.#bytes.set(piece, at);
      at += piece.length;
    }
    return this.#bytes.subarray(0, at);
  }
}
