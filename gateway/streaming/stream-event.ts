import type { StreamKind } from './stream-kinds.js';

/** One event, encoded once for all sockets. */
export class StreamEvent {
  readonly event: string;
  /** Id of the status or notification; absent for an event without a position to resume from (delete). */
  readonly id: string | undefined;
  /** True if the event shows a poll, its own or that of its original: voters see it differently. */
  readonly hasPoll: boolean;
  readonly #payload: string | undefined;
  readonly #variants = new Map<string, StreamEvent>();
  readonly #frames = new Map<string, Uint8Array>();
  #sse: Uint8Array | undefined;

  /** `payload` is JSON text, a bare id for delete, or absent. */
  constructor(event: string, payload: string | undefined, id: string | undefined, hasPoll = false) {
    this.event = event;
    this.hasPoll = hasPoll;
    this.#payload = payload;
    this.id = id;
  }

  /**
   * Returns a variant for some viewers: the entity with further fields, also for its original. Viewers with the same
   * fields share one event, because most have no marks.
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

  /** Returns a variant for one viewer, with another entity. */
  of(entity: object): StreamEvent {
    return new StreamEvent(this.event, JSON.stringify(entity), this.id, this.hasPoll);
  }

  /**
   * Returns the WebSocket text message for a subscription of that kind. `at` is the position of this subscription; the
   * part before it is encoded once for all sockets.
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
   * Returns the server-sent event (HTML standard §9.2) without its id and the final empty line. The payload has no line
   * breaks, because JSON escapes them. Clients ignore an event without data, so there is always some.
   */
  sse(): Uint8Array {
    this.#sse ??= Buffer.from(`event: ${this.event}\ndata: ${this.#payload ?? '{}'}\n`);
    return this.#sse;
  }
}
