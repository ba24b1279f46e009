import type { Random } from '../../domain/time.js';

/**
 * Returns the delay (ms) before the next attempt: it doubles from `firstMs` to `mostMs`, and up to half of it is
 * random.
 */
export function backoffMs(attempt: number, firstMs: number, mostMs: number, random: Random): number {
  const full = Math.min(mostMs, firstMs * 2 ** Math.min(attempt, 20));
  return full * (0.5 + random.fraction() / 2);
}
