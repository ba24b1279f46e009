/** How often a state is looked at. */
const PROBE_MS = 20;

/**
 * Waits for a state: resolves to the probe's first value that is neither undefined nor false.
 * @throws after `timeoutMs`, naming what did not come; whatever the probe throws is passed on
 */
export async function until<T>(
  description: string,
  probe: () => T | false | undefined | Promise<T | false | undefined>,
  timeoutMs: number,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const value = await probe();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${description}`);
    await new Promise((resolve) => setTimeout(resolve, PROBE_MS));
  }
}
