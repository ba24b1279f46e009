import { Cache, type Caches } from '../../../store/cache/cache.js';
import type { Clock } from '../../domain/time.js';
import type { Missing } from './port.js';

/** Failures that are remembered, some 200 bytes each. Made-up names evict each other. */
const FAILURES_MAX = 10_000;
/** Time for which a failure is remembered. */
const FAILURE_MS = 600_000;

/** Failed fetches by address, so that they are not repeated at once. */
export class Failures {
  readonly #known: Cache<{ readonly missing: Missing; readonly untilMs: number }>;

  constructor(
    name: string,
    private readonly clock: Pick<Clock, 'monotonicMs'>,
    caches?: Caches,
    private readonly rememberedMs = FAILURE_MS,
  ) {
    this.#known = new Cache(name, FAILURES_MAX, caches);
  }

  /** Returns the failure of an address, if it is recent. */
  of(address: string): Missing | undefined {
    const known = this.#known.get(address);
    return known !== undefined && known.untilMs > this.clock.monotonicMs() ? known.missing : undefined;
  }

  add(address: string, missing: Missing): void {
    this.#known.set(address, { missing, untilMs: this.clock.monotonicMs() + this.rememberedMs });
  }
}
