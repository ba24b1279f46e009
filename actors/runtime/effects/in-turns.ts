/** Runs work when its turn comes; resolves with its result. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Returns a function that runs work in the order of its calls, at most `atOnce` at a time. Failed work does not hold up
 * the next.
 */
export function inTurns(atOnce: number): InTurn {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running < atOnce) running++;
    else await new Promise<void>((begin) => void waiting.push(begin));
    try {
      return await work();
    } finally {
      // The turn passes directly to the next, so that none overtakes.
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}
