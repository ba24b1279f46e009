/** JSON of values that nobody changes, made once for as long as they are in memory. */
export class KeptJson<T extends object> {
  readonly #kept = new WeakMap<T, Uint8Array>();
  readonly #render: (value: T) => object;

  constructor(render: (value: T) => object) {
    this.#render = render;
  }

  of(value: T): Uint8Array {
    let bytes = this.#kept.get(value);
    if (bytes === undefined) {
      bytes = Buffer.from(JSON.stringify(this.#render(value)));
      this.#kept.set(value, bytes);
    }
    return bytes;
  }
}
