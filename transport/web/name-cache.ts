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
/** Time for which a name counts as dead: each look-up of one takes a thread of libuv's pool for seconds. */
const MISSING_MS = 600_000;
/** The same for errors that may be those of our own resolver. */
const FAILED_MS = 30_000;
/** Cached names, some 300 bytes each. */
const NAMES_MAX = 10_000;

interface Answer {
  readonly error: Error | null;
  readonly addresses: LookupAddress[];
  readonly untilMs: number;
}

/** Look-ups of names, cached. Concurrent look-ups of a name share one. It decides nothing about addresses. */
export class NameCache {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #resolve: Resolve;
  readonly #answers: Cache<Answer>;
  readonly #waiting = new Map<string, ((answer: Answer) => void)[]>();

  constructor(clock: Pick<Clock, 'monotonicMs'>, caches: Caches | undefined, resolve: Resolve = systemLookup) {
    this.#clock = clock;
    this.#resolve = resolve;
    this.#answers = new Cache('names', NAMES_MAX, caches);
  }

  readonly resolve: Resolve = (hostname, options, callback) => {
    const key = `${hostname.toLowerCase()} ${options.family ?? 0} ${options.hints ?? 0}`;
    const known = this.#answers.get(key);
    if (known !== undefined && known.untilMs > this.#clock.monotonicMs()) {
      callback(known.error, known.addresses);
      return;
    }
    const finish = ({ error, addresses }: Answer) => callback(error, addresses);
    const others = this.#waiting.get(key);
    if (others !== undefined) {
      others.push(finish);
      return;
    }
    this.#waiting.set(key, [finish]);
    this.#resolve(hostname, options, (error, addresses) => {
      const answer = { error, addresses, untilMs: this.#clock.monotonicMs() + lifetimeMs(error) };
      this.#answers.set(key, answer);
      const waiting = this.#waiting.get(key) ?? [];
      this.#waiting.delete(key);
      for (const one of waiting) one(answer);
    });
  };
}

function lifetimeMs(error: Error | null): number {
  if (error === null) return FOUND_MS;
  return /^(?:ENOTFOUND|ENODATA)$/.test((error as { code?: string }).code ?? '') ? MISSING_MS : FAILED_MS;
}
