import type { Clock, Timer } from '../../../actors/domain/time.js';
import { codec } from '../../../proto/codec.js';
import { type Bus, RATES_TOPIC, type Subscription } from '../../../transport/bus.js';
import type { AnyRoute } from '../route.js';
import { addressKey } from './client-address.js';
import type { RateClass, RateRule, RateRules } from './rate-rules.js';

/** Remaining allowance of a caller after a request. */
export interface Standing {
  readonly refused: boolean;
  readonly retryAfterSeconds: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Counts of one window of one class. */
interface Window {
  readonly number: number;
  /** Counts of all nodes, as far as this node has received them. */
  readonly counts: Map<string, number>;
  /** Counts of this node that are not published yet. */
  readonly untold: Map<string, number>;
}

export interface RateLimitsOptions {
  readonly bus: Bus;
  readonly clock: Clock;
  /** Name that is unique to this node. */
  readonly node: string;
  /** Returns the current rules; they may change at run time. */
  readonly rules: () => RateRules | 'off';
}

/** Keys counted in one window. Past it no new key is counted, so that nobody fills the memory by changing addresses. */
const KEYS_MAX = 100_000;
/** Longest time until other nodes receive the counts of this node. */
const TELL_MS = 500;
/** Counts in one message: some 60 bytes each. */
const TOLD_MAX = 5_000;

const message = codec('murmuration.node.RateCounts');

/**
 * Returns true if requests to the path count: the API, and the pages and endpoints with which people and clients sign
 * in.
 */
export function isLimited(path: string): boolean {
  return /^\/(api|auth|oauth)\//.test(path);
}

/** Returns the class in which a route counts besides the general one. */
export function rateClassOf({ method, path }: Pick<AnyRoute, 'method' | 'path'>): RateClass | undefined {
  if (method === 'POST' && /^\/api\/v[12]\/media$/.test(path)) return 'media';
  if (method === 'POST' && path === '/api/v1/accounts') return 'sign_up';
  if (method === 'POST' && path.startsWith('/auth/')) return 'sign_in';
  if (method === 'DELETE' && path === '/api/v1/statuses/:id') return 'deletes';
  return method === 'POST' && path === '/api/v1/statuses/:id/unreblog' ? 'deletes' : undefined;
}

/**
 * Counts the requests of each token and each address, in windows that begin at the same moment on all nodes. Nodes
 * publish their counts twice a second, so a limit holds for the cluster, except for requests that reach several nodes
 * at once.
 */
export class RateLimits {
  readonly #options: RateLimitsOptions;
  readonly #windows = new Map<RateClass, Window>();
  #telling: Timer | undefined;
  #subscription: Promise<Subscription> | undefined;

  constructor(options: RateLimitsOptions) {
    this.#options = options;
    this.#subscription = options.bus.subscribe(RATES_TOPIC, (payload) => this.#onCounts(payload));
    this.#subscription.catch(() => undefined);
  }

  /**
   * Counts a request. Without `tokenHash` nobody is signed in, and `address` is called. Returns undefined if there are
   * no limits.
   */
  take(
    route: Pick<AnyRoute, 'method' | 'path'>,
    tokenHash: string | undefined,
    address: () => string,
  ): Standing | undefined {
    const rules = this.#options.rules();
    if (rules === 'off') return undefined;
    const special = rateClassOf(route);
    const general: RateClass = tokenHash === undefined ? 'address' : 'token';
    const who =
      special === 'sign_up' || special === 'sign_in' || tokenHash === undefined ? addressKey(address()) : tokenHash;
    const all = this.#count(general, tokenHash ?? who, rules[general]);
    const own = special === undefined ? undefined : this.#count(special, who, rules[special]);
    return own !== undefined && own.remaining <= all.remaining ? this.#standing(own) : this.#standing(all);
  }

  async close(): Promise<void> {
    this.#telling?.cancel();
    await (await this.#subscription?.catch(() => undefined))?.close();
  }

  #count(name: RateClass, who: string, rule: RateRule) {
    const window = this.#window(name, rule.seconds);
    const known = window.counts.get(who);
    const count = (known ?? 0) + 1;
    if (known !== undefined || window.counts.size < KEYS_MAX) {
      // The counts of a caller past the limit do not grow, so they need not be published.
      if (count <= rule.limit + 1) {
        window.counts.set(who, count);
        window.untold.set(who, (window.untold.get(who) ?? 0) + 1);
        this.#tellLater();
      }
    }
    const resetMs = (window.number + 1) * rule.seconds * 1_000;
    return { limit: rule.limit, remaining: rule.limit - count, resetMs };
  }

  #window(name: RateClass, seconds: number): Window {
    const number = Math.floor(this.#options.clock.nowMs() / (seconds * 1_000));
    const known = this.#windows.get(name);
    if (known?.number === number) return known;
    const fresh = { number, counts: new Map<string, number>(), untold: new Map<string, number>() };
    this.#windows.set(name, fresh);
    return fresh;
  }

  #tellLater(): void {
    this.#telling ??= this.#options.clock.after(TELL_MS, () => {
      this.#telling = undefined;
      for (const [name, window] of this.#windows) this.#tell(name, window);
    });
  }

  #tell(name: RateClass, window: Window): void {
    const counts = [...window.untold].slice(0, TOLD_MAX).map(([who, count]) => ({ who, count }));
    if (counts.length === 0) return;
    for (const { who } of counts) window.untold.delete(who);
    const { bus, node } = this.#options;
    bus.publish(RATES_TOPIC, message.encode({ node, name, window: window.number, counts }));
    if (window.untold.size > 0) this.#tellLater();
  }

  #onCounts(payload: Uint8Array): void {
    const { node, name, window: number, counts } = message.decode(payload);
    const rules = this.#options.rules();
    if (rules === 'off' || node === this.#options.node || !Object.hasOwn(rules, name)) return;
    const window = this.#window(name as RateClass, rules[name as RateClass].seconds);
    if (window.number !== number) return;
    for (const { who, count } of counts) {
      const known = window.counts.get(who);
      if (known !== undefined || window.counts.size < KEYS_MAX) window.counts.set(who, (known ?? 0) + count);
    }
  }

  #standing({ limit, remaining, resetMs }: { limit: number; remaining: number; resetMs: number }): Standing {
    const headers = {
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(Math.max(0, remaining)),
      'x-ratelimit-reset': new Date(resetMs).toISOString(),
    };
    const retryAfterSeconds = Math.max(1, Math.ceil((resetMs - this.#options.clock.nowMs()) / 1_000));
    return { refused: remaining < 0, retryAfterSeconds, headers };
  }
}
