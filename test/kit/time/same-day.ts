import { until } from './until.js';

const DAY_MS = 86_400_000;

/** Resolves when the current day lasts for this long, for tests of daily counts; nearly always at once. */
export async function sameDayFor(ms: number): Promise<void> {
  await until('a day that lasts', () => DAY_MS - (Date.now() % DAY_MS) > ms, ms + 1_000);
}
