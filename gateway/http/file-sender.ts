import type { HttpResponse } from 'uWebSockets.js';
import type { GatewayLogger } from './dispatcher.js';
import type { Exchange } from './exchange.js';
import { respondHead } from './responder.js';
import type { Answer, Streamed } from './route.js';

/** Files sent at a time. Each takes some pieces of its file in memory, at most some MB. */
export const SENT_AT_ONCE_MAX = 256;

/** Sends bodies that are read while they are sent, no faster than the client accepts them. */
export class FileSender {
  #open = 0;
  readonly #drained = new AbortController();
  readonly #logger: GatewayLogger;

  constructor(logger: GatewayLogger) {
    this.#logger = logger;
  }

  /** Number of files that are being sent now. */
  get open(): number {
    return this.#open;
  }

  /** Ends bodies that would not end by themselves. */
  drain(): void {
    this.#drained.abort();
  }

  get full(): boolean {
    return this.#open >= SENT_AT_ONCE_MAX;
  }

  /** Never rejects. After a failure in the middle of a body it can only close the connection. */
  async send(exchange: Exchange, answer: Answer, body: Streamed, closing: boolean): Promise<void> {
    const { response, id } = exchange;
    this.#open += 1;
    try {
      let begun = false;
      for await (const piece of body.read(this.#drained.signal)) {
        if (exchange.aborted) return;
        const head = begun ? undefined : () => respondHead(response, answer, id, closing);
        begun = true;
        if (await sendPiece(exchange, response, piece, body.size, head)) return;
      }
      if (body.size !== undefined) throw new Error('a file ended before its size');
      // An empty body has no piece that the head went with.
      if (!exchange.aborted)
        response.cork(() => {
          if (!begun) respondHead(response, answer, id, closing);
          response.end();
        });
    } catch (err) {
      this.#logger.warn({ id, err }, 'failed to send a file');
      if (!exchange.aborted) response.close();
    } finally {
      this.#open -= 1;
    }
  }
}

/** Resolves with true if the body is complete or the client has disconnected. */
function sendPiece(
  exchange: Exchange,
  response: HttpResponse,
  piece: Uint8Array,
  size: number | undefined,
  head: (() => void) | undefined,
): Promise<boolean> {
  return new Promise((resolve) => {
    exchange.onGone = () => resolve(true);
    response.cork(() => {
      head?.();
      if (size === undefined) {
        // The library keeps what the client does not accept yet.
        if (response.write(piece)) {
          resolve(false);
          return;
        }
        response.onWritable(() => {
          resolve(false);
          return true;
        });
        return;
      }
      const from = response.getWriteOffset();
      const [isTaken, isDone] = response.tryEnd(piece, size);
      if (isDone || isTaken) {
        resolve(isDone);
        return;
      }
      response.onWritable((offset) => {
        const [isTakenNow, isDoneNow] = response.tryEnd(piece.subarray(offset - from), size);
        if (isDoneNow || isTakenNow) resolve(isDoneNow);
        return isTakenNow;
      });
    });
  });
}
