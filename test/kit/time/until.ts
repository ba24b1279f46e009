/** Interval of probes. */
const PROBE_MS = 20;

/**
 * Waits for a state: resolves with the probe's first value that is neither undefined nor false.
 * @param timeoutMs by the clock, from the call on, including slow probes: a probe that has not ended by then is
 *   abandoned
 * @throws after the timeout, naming the state; errors of the probe are passed on
 */
export async function until<T>(
  description: string,
  probe: () => T | false | undefined | Promise<T | false | undefined>,
  timeoutMs: number,
): Promise<T> {
  const deadlineMs = performance.now() + timeoutMs;
  for (;;) {
    const value = await beforeThat(deadlineMs, probe());
    if (value !== undefined && value !== false) return value;
    if (performance.now() >= deadlineMs) throw new Error(`not within ${timeoutMs} ms: ${description}`);
    await new Promise((resolve) => setTimeout(resolve, PROBE_MS));
  }
}

/** Resolves with the probe's result, or with undefined at the deadline. */
async function beforeThat<T>(deadlineMs: number, look: T | Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), Math.max(0, deadlineMs - performance.now()));
  });
  try {
    return await Promise.race([look, late]);
  } finally {
    clearTimeout(timer);
  }
}
