import type { StreamKind } from './stream-kinds.js';

/** One event in its final bytes: encoded once, however many sockets get it. */
export class StreamEvent {
  readonly event: string;
  /** The position that a client names to resume; absent for what leaves none (delete). */
  readonly id: string | undefined;
  readonly #payload: string | undefined;
  readonly #frames = new Map<string, Uint8Array>();
  #sse: Uint8Array | undefined;

  /** `payload`: JSON text, a bare id for delete, or nothing. */
  constructor(event: string, payload: string | undefined, id: string | undefined) {
    this.event = event;
    this.#payload = payload;
    this.id = id;
  }

  /** The same of one viewer: an entity with more of it, given as JSON of an object. */
  with(more: string): StreamEvent {
    const payload = this.#payload === undefined ? more : `${this.#payload.slice(0, -1)},${more.slice(1)}`;
    return new StreamEvent(this.event, payload, this.id);
  }

  /** The same of one viewer: another entity. */
  of(entity: object): StreamEvent {
    return new StreamEvent(this.event, JSON.stringify(entity), this.id);
  }

  /** The WebSocket text message for a subscription of that kind. */
  frame({ name, labels }: Pick<StreamKind, 'name' | 'labels'>): Uint8Array {
    let frame = this.#frames.get(name);
    if (frame === undefined) {
      const id = this.id === undefined ? {} : { id: this.id };
      frame = Buffer.from(JSON.stringify({ stream: labels, event: this.event, payload: this.#payload, ...id }));
      this.#frames.set(name, frame);
    }
    return frame;
  }

  /**
   * The server-sent event (HTML standard §9.2), but for its id and the empty line at its end. The payload has no line
   * breaks: JSON escapes them. Without data there would be no event.
   */
  sse(): Uint8Array {
    this.#sse ??= Buffer.from(`event: ${this.event}\ndata: ${this.#payload ?? '{}'}\n`);
    return this.#sse;
  }
}
