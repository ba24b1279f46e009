import type { Call, Load } from '../http-load.js';

/** Returns the load with the requests of each round made before it, so that signing takes no time from the server. */
export function signedAhead(load: Load & { readonly warmUp: number }): Load {
  let first = Number.POSITIVE_INFINITY;
  let ready: Call[] = [];
  return {
    ...load,
    before: async (round) => {
      await load.before?.(round);
      first = load.warmUp + round * load.count;
      ready = Array.from({ length: load.count }, (_, index) => load.call(first + index));
    },
    call: (index) => ready[index - first] ?? load.call(index),
  };
}
