import { type LookupAddress, type LookupAllOptions, lookup as systemLookup } from 'node:dns';
import type { Clock } from '../../actors/domain/time.js';
import { Cache, type Caches } from '../../store/cache/cache.js';

/** Signature of `dns.lookup` with all addresses. */
export type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

/** Time for which addresses are used. `getaddrinfo` does not tell the time that the name's owner states. */
const FOUND_MS = 60_000;
/** Age up to which addresses serve while a look-up does not answer, or fails. Source: RFC 8767 §5, one to three days. */
const STALE_MS_MAX = 86_400_000;
/** Time that a look-up gets before older addresses serve. RFC 8767 proposes 1.8 s for people who wait for pages. */
const STALE_AFTER_MS = 500;
/**
 * Look-ups under way, some 1 KB each. Those of names whose servers never answer hold half of libuv's threads for seconds,
 * and all others wait behind them. Further names count as failed at once.
 */
export const LOOK_UPS_MAX = 1_000;
/** Time for which a name counts as dead: each look-up of one takes a thread of libuv's pool for seconds. */
const MISSING_MS = 600_000;
/** The same for errors that may be those of our own resolver. */
const FAILED_MS = 30_000;
/** Cached names, some 300 bytes each. */
const NAMES_MAX = 10_000;

interface Answer {
  readonly error: Error | null;
  readonly addresses: LookupAddress[];
  /** Time of the look-up that has found the addresses. */
  readonly foundMs: number;
  readonly untilMs: number;
}

/** Look-ups of names, cached. Concurrent look-ups of a name share one. It decides nothing about addresses. */
export class NameCache {
  readonly #clock: Pick<Clock, 'monotonicMs' | 'after'>;
  readonly #resolve: Resolve;
  readonly #answers: Cache<Answer>;
  readonly #waiting = new Map<string, ((answer: Answer) => void)[]>();

  constructor(
    clock: Pick<Clock, 'monotonicMs' | 'after'>,
    caches: Caches | undefined,
    resolve: Resolve = systemLookup,
  ) {
    this.#clock = clock;
    this.#resolve = resolve;
    this.#answers = new Cache('names', NAMES_MAX, caches);
  }

  readonly resolve: Resolve = (hostname, options, callback) => {
    const key = `${hostname.toLowerCase()} ${options.family ?? 0} ${options.hints ?? 0}`;
    const known = this.#answers.get(key);
    const nowMs = this.#clock.monotonicMs();
    if (known !== undefined && known.untilMs > nowMs) {
      callback(known.error, known.addresses);
      return;
    }
    const stale = known?.error === null && known.foundMs >= nowMs - STALE_MS_MAX ? known : undefined;
    let isAnswered = false;
    const finish = (answer: Answer) => {
      if (isAnswered) return;
      isAnswered = true;
      timer?.cancel();
      callback(answer.error, answer.addresses);
    };
    const timer = stale && this.#clock.after(STALE_AFTER_MS, () => finish(stale));
    const others = this.#waiting.get(key);
    if (others !== undefined) others.push(finish);
    else if (this.#waiting.size >= LOOK_UPS_MAX)
      finish(stale ?? { error: tooMany(), addresses: [], foundMs: nowMs, untilMs: nowMs });
    else {
      this.#waiting.set(key, [finish]);
      this.#resolve(hostname, options, this.#found(key, stale));
    }
  };

  /** Returns the end of a look-up. Older addresses outlive a failure, but not the answer that there is no such name. */
  #found(key: string, stale: Answer | undefined): Parameters<Resolve>[2] {
    return (error, addresses) => {
      const nowMs = this.#clock.monotonicMs();
      const isLasting = error !== null && !isMissing(error) && stale !== undefined;
      const found = isLasting ? stale : { error, addresses, foundMs: nowMs };
      const answer = { ...found, untilMs: nowMs + lifetimeMs(error) };
      this.#answers.set(key, answer);
      const waiting = this.#waiting.get(key) ?? [];
      this.#waiting.delete(key);
      for (const one of waiting) one(answer);
    };
  }
}

const tooMany = (): Error => Object.assign(new Error('too many names are looked up'), { code: 'EAI_AGAIN' });

const isMissing = (error: Error | null): boolean =>
  /^(?:ENOTFOUND|ENODATA)$/.test((error as { code?: string } | null)?.code ?? '');

function lifetimeMs(error: Error | null): number {
  if (error === null) return FOUND_MS;
  return isMissing(error) ? MISSING_MS : FAILED_MS;
}
