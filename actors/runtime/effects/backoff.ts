import type { Random } from '../../domain/time.js';

/** How long to wait before another try: doubles from `firstMs` to `mostMs`, of which up to half is left to chance. */
export function backoffMs(attempt: number, firstMs: number, mostMs: number, random: Random): number {
  const full = Math.min(mostMs, firstMs * 2 ** Math.min(attempt, 20));
  return full * (0.5 + random.fraction() / 2);
}
