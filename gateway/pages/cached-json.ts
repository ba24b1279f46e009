/** JSON of immutable values, rendered once while the value is in memory. */
export class CachedJson<T extends object> {
  readonly #fragments = new WeakMap<T, Uint8Array>();
  readonly #render: (value: T) => object;
  readonly #isOpen: boolean;
  readonly #behind: string;

  /**
   * `open` leaves out the closing brace, so that further fields can follow; `behind` is the constant beginning of
   * these.
   */
  constructor(render: (value: T) => object, how: 'whole' | 'open' = 'whole', behind = '') {
    this.#render = render;
    this.#isOpen = how === 'open';
    this.#behind = behind;
  }

  of(value: T): Uint8Array {
    let bytes = this.#fragments.get(value);
    if (bytes === undefined) {
      const text = JSON.stringify(this.#render(value));
      bytes = Buffer.from(this.#isOpen ? text.slice(0, -1) + this.#behind : text);
      this.#fragments.set(value, bytes);
    }
    return bytes;
  }
}
