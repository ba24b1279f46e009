import { until } from './until.js';

const DAY_MS = 86_400_000;

/** For tests of what is counted by day: resolves once today lasts for so long still, which it nearly always does. */
export async function sameDayFor(ms: number): Promise<void> {
  await until('a day that lasts', () => DAY_MS - (Date.now() % DAY_MS) > ms, ms + 1_000);
}
