import type { StreamKind } from './stream-kinds.js';

/** Variants of one event that viewers share: a few combinations of marks are the common ones. */
const VARIANTS_MAX = 16;

/** Frames up to this size, which are most, are written to the same bytes: sockets copy what they send. */
const SCRATCH_BYTES = 65_536;
const scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);
const POSITION_KEY = Buffer.from(',"event_id":"');
const FRAME_END = Buffer.from('"}');

/** One event, encoded once for all sockets. */
export class StreamEvent {
  readonly event: string;
  /** Id of the status or notification; absent for an event without a position to resume from (delete). */
  readonly id: string | undefined;
  readonly #payload: string | readonly Uint8Array[] | undefined;
  readonly #variants: StreamEvent[] = [];
  readonly #frames = new Map<string, Uint8Array>();
  #text: string | undefined;
  #sse: Uint8Array | undefined;

  /** `payload` is JSON text or its pieces in UTF-8, a bare id for delete, or absent. */
  constructor(event: string, payload: string | readonly Uint8Array[] | undefined, id: string | undefined) {
    this.event = event;
    this.#payload = payload;
    this.id = id;
  }

  /**
   * Returns the variant with these pieces of JSON. Viewers with the same pieces share one event: most have no marks, and
   * pieces are cached.
   */
  of(pieces: readonly Uint8Array[]): StreamEvent {
    if (this.#consistsOf(pieces)) return this;
    for (const variant of this.#variants) if (variant.#consistsOf(pieces)) return variant;
    const made = new StreamEvent(this.event, pieces, this.id);
    if (this.#variants.length < VARIANTS_MAX) this.#variants.push(made);
    return made;
  }

  #consistsOf(pieces: readonly Uint8Array[]): boolean {
    const own = this.#payload;
    if (typeof own !== 'object' || own.length !== pieces.length) return false;
    for (let index = 0; index < own.length; index++) if (own[index] !== pieces[index]) return false;
    return true;
  }

  get #payloadText(): string | undefined {
    if (typeof this.#payload !== 'object') return this.#payload;
    this.#text ??= Buffer.concat(this.#payload).toString();
    return this.#text;
  }

  /**
   * Returns the WebSocket text message for a subscription of that kind. `at` is the position of this subscription in
   * ASCII; the part before it is encoded once for all sockets. The bytes are valid until the next call.
   */
  frame({ name, labels }: Pick<StreamKind, 'name' | 'labels'>, at?: Uint8Array): Uint8Array {
    let frame = this.#frames.get(name);
    if (frame === undefined) {
      frame = Buffer.from(JSON.stringify({ stream: labels, event: this.event, payload: this.#payloadText }));
      this.#frames.set(name, frame);
    }
    if (at === undefined) return frame;
    const parts = [frame.subarray(0, -1), POSITION_KEY, at, FRAME_END];
    const length = frame.length - 1 + POSITION_KEY.length + at.length + FRAME_END.length;
    if (length > SCRATCH_BYTES) return Buffer.concat(parts, length);
    let place = 0;
    for (const part of parts) {
      scratch.set(part, place);
      place += part.length;
    }
    return scratch.subarray(0, length);
  }

  /**
   * Returns the server-sent event (HTML standard §9.2) without its id and the final empty line. The payload has no line
   * breaks, because JSON escapes them. Clients ignore an event without data, so there is always some.
   */
  sse(): Uint8Array {
    this.#sse ??= Buffer.from(`event: ${this.event}\ndata: ${this.#payloadText ?? '{}'}\n`);
    return this.#sse;
  }
}
