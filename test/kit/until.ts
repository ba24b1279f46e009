/** How often a state is looked at. */
const PROBE_MS = 20;

/**
 * Waits for a state: resolves to the probe's first value that is neither undefined nor false.
 * @param timeoutMs of a process that gets to run: of each look at most twice PROBE_MS count, so that neither a machine
 * that is busy elsewhere nor answers that it makes slow end the waiting
 * @throws after that, naming what did not come; whatever the probe throws is passed on
 */
export async function until<T>(
  description: string,
  probe: () => T | false | undefined | Promise<T | false | undefined>,
  timeoutMs: number,
): Promise<T> {
  let waitedMs = 0;
  for (;;) {
    const lookedMs = performance.now();
    const value = await probe();
    if (value !== undefined && value !== false) return value;
    if (waitedMs > timeoutMs) throw new Error(`not within ${timeoutMs} ms: ${description}`);
    await new Promise((resolve) => setTimeout(resolve, PROBE_MS));
    waitedMs += Math.min(performance.now() - lookedMs, 2 * PROBE_MS);
  }
}
