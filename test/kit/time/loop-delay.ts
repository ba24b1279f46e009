/**
 * Returns the longest delay of a node's event loop since the last call, by the node's own clock, in milliseconds. It
 * includes the 10 ms of the timer that measures it. @param url of the node's metrics
 */
export async function longestDelayMs(url: string): Promise<number> {
  const text = await (await fetch(url)).text();
  return Number(/^nodejs_eventloop_lag_max_seconds (\S+)/m.exec(text)?.[1]) * 1_000;
}
