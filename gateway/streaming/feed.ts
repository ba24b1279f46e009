import type { Clock, Timer } from '../../actors/domain/time.js';
import type { Bus, Subscription } from '../../transport/bus.js';

/** Interval of attempts to subscribe after the bus refused. */
const RETRY_MS = 500;

/** Subscription to one topic. It is retried while the bus is unreachable. */
export class Feed {
  /** Resolves when messages arrive, or the feed is closed. */
  readonly ready: Promise<void>;
  live = false;
  readonly #bus: Bus;
  readonly #clock: Clock;
  readonly #subject: string;
  readonly #onMessage: (payload: Uint8Array) => void;
  #settle: () => void = () => {};
  #subscription: Subscription | undefined;
  #retry: Timer | undefined;
  #closed = false;

  /** Exceptions of `onMessage` (a message that cannot be decoded) go to `onError`, and the feed continues. */
  constructor(
    bus: Bus,
    clock: Clock,
    subject: string,
    onMessage: (payload: Uint8Array) => void,
    onError: (error: unknown) => void,
  ) {
    this.#bus = bus;
    this.#clock = clock;
    this.#subject = subject;
    this.#onMessage = (payload) => {
      try {
        onMessage(payload);
      } catch (error) {
        onError(error);
      }
    };
    this.ready = new Promise((settle) => {
      this.#settle = settle;
    });
    this.#subscribe();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.live = false;
    this.#retry?.cancel();
    this.#settle();
    await this.#subscription?.close();
  }

  #subscribe(): void {
    this.#bus
      .subscribe(this.#subject, (payload) => {
        if (!this.#closed) this.#onMessage(payload);
      })
      .then(
        async (subscription) => {
          if (this.#closed) return subscription.close();
          this.#subscription = subscription;
          this.live = true;
          this.#settle();
        },
        () => {
          if (!this.#closed) this.#retry = this.#clock.after(RETRY_MS, () => this.#subscribe());
        },
      )
      // Only closing an unused feed can fail here.
      .catch(() => this.#settle());
  }
}
