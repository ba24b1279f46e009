import { until } from '../kit/time/until.js';

/** Far longer than any of these states takes; the services are separate processes. */
const EVENTUALLY_MS_MAX = 60_000;

/** Polls until the probe holds; fails after EVENTUALLY_MS_MAX. */
export async function eventually(what: string, probe: () => boolean | Promise<boolean>): Promise<void> {
  await until(what, probe, EVENTUALLY_MS_MAX);
}
