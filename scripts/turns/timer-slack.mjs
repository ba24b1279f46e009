// Lets the timers of this process, and of everything that it starts, fire late and together.
import { writeFileSync } from 'node:fs';

/**
 * Maximum delay of a timer. Linux allows 50 us. An idle worker thread of Cassandra looks for requests after each sleep of
 * 10 us, for 10 ms after its last one: with 50 us these are 150 thread switches for a request to three nodes, and with
 * 1 ms a quarter. Timers of Node have a precision of 1 ms.
 */
const SLACK_NS = 1_000_000;

/** Sets the slack of this thread, which the kernel copies to its later children. Source: proc(5), timerslack_ns. */
export function slackenTimers() {
  try {
    writeFileSync('/proc/self/timerslack_ns', String(SLACK_NS));
  } catch (error) {
    // Only Linux has this file: elsewhere the tests take longer.
    if (error.code !== 'ENOENT') throw error;
  }
}
