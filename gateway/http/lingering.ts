import type { HttpResponse } from 'uWebSockets.js';
import type { Clock } from '../../actors/domain/time.js';

/** Time for which a refused upload is read after its answer: a round trip and the delay of a slow client. */
export const LINGER_MS = 10_000;
/** Bytes that are read after the answer: most of a film. A client that sends more does not look for an answer. */
export const LINGER_BYTES_MAX = 64 * 1_048_576;

/**
 * Reads and discards the rest of a request, then closes the connection: at the request's end, or at one of the bounds.
 * The answer must have been sent by `respondAhead`. A connection that is closed while bytes are unread is reset (RFC
 * 9112 §9.6), and the client may lose the answer.
 */
export function linger(response: HttpResponse, clock: Pick<Clock, 'after'>): void {
  let leftBytes = LINGER_BYTES_MAX;
  let isOpen = true;
  const close = () => {
    if (isOpen) response.close();
  };
  const timer = clock.after(LINGER_MS, close);
  response.onAborted(() => {
    isOpen = false;
    timer.cancel();
  });
  response.onData((chunk, isLast) => {
    leftBytes -= chunk.byteLength;
    // The close is deferred: an answer that was written within the same call of uWebSockets is not sent yet.
    if (isLast || leftBytes < 0) setImmediate(close);
  });
}
