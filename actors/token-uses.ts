import { Cache, type Caches } from '../store/cache/cache.js';
import { put, type Tables } from '../store/port.js';
import { tokenUses } from '../store/sign-in-tables.js';
import { Unavailable } from './domain/problem.js';
import type { Clock } from './domain/time.js';

/** Shortest time between two writes about one token: people look for a session that is unused for days. */
export const USE_NOTED_MS = 3_600_000;
/** Tokens whose last note a node remembers. A forgotten one costs a read. */
const NOTED_MAX = 100_000;

/**
 * Records when tokens were last used. Each node looks at a row at most once an hour, and writes it only if no other node
 * has done so within the hour. A failed write is lost: the next hour's makes up for it.
 */
export class TokenUses {
  /** Monotonic time of the last look, by hash. */
  readonly #noted: Cache<number>;

  constructor(
    private readonly tables: Pick<Tables, 'get' | 'write'>,
    private readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>,
    caches?: Caches,
  ) {
    this.#noted = new Cache('noted_token_uses', NOTED_MAX, caches);
  }

  note(hash: string): void {
    const nowMs = this.clock.monotonicMs();
    const noted = this.#noted.get(hash);
    if (noted !== undefined && nowMs - noted < USE_NOTED_MS) return;
    this.#noted.set(hash, nowMs);
    this.#write(hash).catch((error: unknown) => {
      if (!(error instanceof Unavailable)) throw error;
    });
  }

  async #write(hash: string): Promise<void> {
    const nowMs = this.clock.nowMs();
    const known = await this.tables.get(tokenUses, { hash });
    if (known !== undefined && nowMs - known.atMs < USE_NOTED_MS) return;
    await this.tables.write([put(tokenUses, { hash }, { atMs: nowMs })]);
  }
}
