import type { HttpResponse } from 'uWebSockets.js';
import { CORS_HEADERS } from '../../http/request/headers.js';
import type { CloseReason, StreamSocket } from '../connection.js';
import type { StreamEvent } from '../stream-event.js';
import type { StreamKind } from '../stream-kinds.js';
import { CATCH_UP_BUFFERED_BYTES_MAX, SOCKET_BUFFERED_BYTES_MAX, Waiting } from './web-socket.js';

/** Time in ms after which a disconnected client reconnects: by then another node has taken over. */
const RECONNECT_MS = 1_000;
const SENT_AWAY: readonly CloseReason[] = ['restart', 'deaf', 'behind'];

/**
 * A comment that follows each event. uWebSockets ends a chunk (RFC 9112 §7.1) only when the next one begins, and some
 * clients process a chunk's last byte only with its end, so an event would wait for the next one. The comment may wait
 * instead.
 */
export const CHUNK_END = ':\n';

/** Response to an SSE request, open until either side ends it (HTML standard §9.2). Events wait until it begins. */
export class EventSourceStream implements StreamSocket {
  readonly #response: HttpResponse;
  readonly #waiting = new Waiting();
  #open = true;
  /** Events before the head of the response; undefined once it has begun. */
  #early: (Uint8Array | string)[] | undefined = [];
  #waitingBytes = 0;

  constructor(response: HttpResponse) {
    this.#response = response;
  }

  /** True once the head of the response has been written. */
  get hasBegun(): boolean {
    return this.#early === undefined;
  }

  /** Begins the response, unless the stream is closed. `isPrivate`: scripts of other origins may not read it. */
  start(requestId: string, isPrivate: boolean): void {
    if (!this.#open) return;
    this.#response.onWritable(() => {
      this.#drain();
      return true;
    });
    this.#response.cork(() => {
      this.#response.writeStatus('200 OK');
      this.#response.writeHeader('content-type', 'text/event-stream');
      this.#response.writeHeader('cache-control', 'private, no-store');
      this.#response.writeHeader('x-accel-buffering', 'no');
      this.#response.writeHeader('connection', 'close');
      this.#response.writeHeader('x-request-id', requestId);
      if (!isPrivate) for (const [name, value] of CORS_HEADERS) this.#response.writeHeader(name, value);
    });
    const early = this.#early ?? [];
    this.#early = undefined;
    this.#waitingBytes = 0;
    this.#write(':)\n\n', ...early);
    if (this.#waitingBytes === 0) this.#waiting.end();
  }

  send(event: StreamEvent, _kind: StreamKind, at?: () => Buffer): void {
    this.#write(
      event.sse(),
      event.id === undefined || at === undefined ? '\n' : `id: ${at().toString('latin1')}\n\n`,
      CHUNK_END,
    );
  }

  heartbeat(): void {
    this.#write(':thump\n\n');
  }

  drained(): Promise<void> | undefined {
    return this.#open && this.#waitingBytes > CATCH_UP_BUFFERED_BYTES_MAX ? this.#waiting.until() : undefined;
  }

  close(reason: CloseReason): void {
    if (!this.#open) return;
    this.#open = false;
    this.#waiting.end();
    // The owner of the connection answers a request whose response has not begun.
    if (!this.hasBegun) this.#early = [];
    else if (reason === 'slow') this.#response.close();
    // uWebSockets' own closing flag would write its header into the middle of the body, so it is not used.
    else this.#response.cork(() => this.#response.end(SENT_AWAY.includes(reason) ? `retry: ${RECONNECT_MS}\n\n` : ''));
    this.onClosed();
  }

  /** Records that the client disconnected: the response must not be used any more. */
  gone(): void {
    this.#open = false;
    this.#waiting.end();
    this.onClosed();
  }

  /** Set by the owner of the connection. */
  onClosed: () => void = () => {};

  /**
   * Flushes buffered bytes. uWebSockets sends them only with the next write, and returns from each write if all bytes
   * have been sent.
   */
  #drain(): void {
    if (!this.#open) return;
    this.#response.cork(() => {
      if (this.#response.write(CHUNK_END)) this.#waitingBytes = 0;
    });
    if (this.#waitingBytes === 0) this.#waiting.end();
  }

  #write(...texts: (Uint8Array | string)[]): void {
    if (!this.#open) return;
    let flowing = this.#early === undefined;
    if (this.#early !== undefined) this.#early.push(...texts);
    else {
      this.#response.cork(() => {
        for (const text of texts) if (this.#open) flowing = this.#response.write(text);
      });
    }
    const bytes = texts.reduce((sum, { length }) => sum + length, 0);
    this.#waitingBytes = flowing ? 0 : this.#waitingBytes + bytes;
    if (this.#waitingBytes > SOCKET_BUFFERED_BYTES_MAX) this.close('slow');
  }
}
