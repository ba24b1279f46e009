import type { Clock } from '../../actors/domain/time.js';
import { Cache, type Caches } from '../../store/cache/cache.js';

/** Time for which nobody waits again for a host that did not answer. */
export const SLOW_MS = 60_000;
/** Hosts that are remembered, some 100 bytes each. */
const SLOW_HOSTS_MAX = 10_000;

/** Hosts that lately did not answer while an author waited. */
export class SlowHosts {
  readonly #untilMs: Cache<number>;

  constructor(
    private readonly clock: Pick<Clock, 'monotonicMs'>,
    caches?: Caches,
  ) {
    this.#untilMs = new Cache('slow_hosts', SLOW_HOSTS_MAX, caches);
  }

  has(host: string): boolean {
    return (this.#untilMs.get(host) ?? 0) > this.clock.monotonicMs();
  }

  add(host: string): void {
    this.#untilMs.set(host, this.clock.monotonicMs() + SLOW_MS);
  }
}
