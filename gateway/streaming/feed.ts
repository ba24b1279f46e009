import type { Clock, Timer } from '../../actors/domain/time.js';
import type { Bus, Subscription } from '../../transport/bus.js';

/** How often a subscription that the bus refused is tried again. */
const RETRY_MS = 500;

/** One topic, followed for as long as somebody needs it; a bus that is down is tried until it is back. */
export class Feed {
  /** Resolves when messages come, or the feed is closed. */
  readonly ready: Promise<void>;
  live = false;
  readonly #bus: Bus;
  readonly #clock: Clock;
  readonly #subject: string;
  readonly #heard: (payload: Uint8Array) => void;
  #settle: () => void = () => {};
  #subscription: Subscription | undefined;
  #retry: Timer | undefined;
  #closed = false;

  /** What `heard` throws (a message that cannot be read) goes to `onError`, and the feed goes on. */
  constructor(
    bus: Bus,
    clock: Clock,
    subject: string,
    heard: (payload: Uint8Array) => void,
    onError: (error: unknown) => void,
  ) {
    this.#bus = bus;
    this.#clock = clock;
    this.#subject = subject;
    this.#heard = (payload) => {
      try {
        heard(payload);
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
        if (!this.#closed) this.#heard(payload);
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
      // Only the closing of a feed that nobody needs any more can fail here.
      .catch(() => this.#settle());
  }
}
