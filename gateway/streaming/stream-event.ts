import type { StreamKind } from './stream-kinds.js';

/** One event in its final bytes: encoded once, however many sockets get it. */
export class StreamEvent {
  readonly event: string;
  /** The status or notification that it tells of; absent for what leaves no position to resume from (delete). */
  readonly id: string | undefined;
  /** It shows a poll, its own or that of what it reblogs: voters see it otherwise. */
  readonly hasPoll: boolean;
  readonly #payload: string | undefined;
  readonly #variants = new Map<string, StreamEvent>();
  readonly #frames = new Map<string, Uint8Array>();
  #sse: Uint8Array | undefined;

  /** `payload`: JSON text, a bare id for delete, or nothing. */
  constructor(event: string, payload: string | undefined, id: string | undefined, hasPoll = false) {
    this.event = event;
    this.hasPoll = hasPoll;
    this.#payload = payload;
    this.id = id;
  }

  /**
   * The same for some viewers: the entity with further fields, and those of what it reblogs. Viewers with the same
   * fields share one event: most have marked nothing.
   */
  with(fields: object, reblogged?: object): StreamEvent {
    const name = JSON.stringify([fields, reblogged]);
    let variant = this.#variants.get(name);
    if (variant === undefined) {
      const { reblog, ...entity } = JSON.parse(this.#payload ?? '{}') as { readonly reblog?: object | null };
      const inner = reblog === undefined ? {} : { reblog: reblog && { ...reblog, ...reblogged } };
      variant = this.of({ ...entity, ...inner, ...fields });
      this.#variants.set(name, variant);
    }
    return variant;
  }

  /** The same of one viewer: another entity. */
  of(entity: object): StreamEvent {
    return new StreamEvent(this.event, JSON.stringify(entity), this.id, this.hasPoll);
  }

  /**
   * The WebSocket text message for a subscription of that kind. `at` is the position of this subscription: everything
   * before it is encoded once for all sockets.
   */
  frame({ name, labels }: Pick<StreamKind, 'name' | 'labels'>, at?: string): Uint8Array {
    let frame = this.#frames.get(name);
    if (frame === undefined) {
      frame = Buffer.from(JSON.stringify({ stream: labels, event: this.event, payload: this.#payload }));
      this.#frames.set(name, frame);
    }
    if (at === undefined) return frame;
    return Buffer.concat([frame.subarray(0, -1), Buffer.from(`,"event_id":"${at}"}`)]);
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
