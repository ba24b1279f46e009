import type { Clock } from '../../../actors/domain/time.js';
import { type Answer, Streamed } from '../../http/route.js';
import { CHUNK_END } from '../../streaming/endpoints/event-source.js';

export const EVENT_STREAM = 'text/event-stream';
const HEADERS = { 'content-type': EVENT_STREAM, 'cache-control': 'private, no-store', 'x-accel-buffering': 'no' };

/**
 * Answers with server-sent events (HTML standard §9.2) whose data are HTML as JSON text. `next` renders the next one; the
 * stream ends when it returns undefined or fails, and when the node drains. Browsers then ask again.
 */
export const eventStream = (
  clock: Pick<Clock, 'after'>,
  everyMs: number,
  next: () => Promise<string | undefined>,
): Answer => ({
  status: 200,
  headers: HEADERS,
  body: new Streamed(undefined, async function* (drained) {
    while (!drained.aborted) {
      const html = await next();
      if (html === undefined) return;
      yield Buffer.from(`data: ${JSON.stringify(html)}\n\n`);
      yield Buffer.from(CHUNK_END);
      await pause(clock, everyMs, drained);
    }
  }),
});

/** Resolves after a time, or when the signal comes. */
function pause(clock: Pick<Clock, 'after'>, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      timer.cancel();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = clock.after(signal.aborted ? 0 : ms, done);
    signal.addEventListener('abort', done);
  });
}
