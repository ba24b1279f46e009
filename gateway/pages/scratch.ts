/** Size from the start: most statuses fit. Grows to the longest one, some 200 KB. */
const SCRATCH_BYTES = 16_384;
/** Maximum bytes of UTF-8 for one unit of UTF-16. */
const UNIT_BYTES_MAX = 3;

/**
 * Memory in which a fragment is composed of texts and bytes, used again for the next one. Only the result is allocated;
 * a buffer for each text would fill Node's pool, whose renewal costs more than the encoding.
 */
export class Scratch {
  #bytes = Buffer.allocUnsafeSlow(SCRATCH_BYTES);
  #length = 0;

  /** Begins the next fragment. */
  clear(): this {
    this.#length = 0;
    return this;
  }

  /** Appends a part, text as UTF-8. Returns the length so far, in bytes. */
  add(part: string | Uint8Array): number {
    const bytes = this.#withRoomFor(typeof part === 'string' ? part.length * UNIT_BYTES_MAX : part.length);
    if (typeof part === 'string') this.#length += bytes.write(part, this.#length);
    else {
      bytes.set(part, this.#length);
      this.#length += part.length;
    }
    return this.#length;
  }

  /** Returns a copy of the fragment. */
  copy(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.#length));
  }

  #withRoomFor(more: number): Buffer {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return this.#bytes;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
    return larger;
  }
}
