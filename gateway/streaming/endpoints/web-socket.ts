import type { WebSocket } from 'uWebSockets.js';
import type { CloseReason, Connection, StreamSocket } from '../connection.js';
import type { Since } from '../position.js';
import type { StreamEvent } from '../stream-event.js';
import type { StreamKind } from '../stream-kinds.js';

/** Data of a WebSocket from its upgrade on. */
export interface SocketData {
  readonly viewer: string;
  readonly tokenHash: string;
  readonly scopes: readonly string[];
  /** Stream named in the address. */
  readonly first: StreamKind | undefined;
  readonly since: Since | undefined;
  /** Address of the client. */
  readonly address: string;
  /** Set when the socket opens. */
  connection: Connection | undefined;
  /** Number of messages in the current span. */
  readonly messages: MessageCount;
}

/** Messages that one connection may send in MESSAGES_SPAN_MS: all its streams opened and closed, twice over. */
export const MESSAGES_MAX = 240;
export const MESSAGES_SPAN_MS = 10_000;

/** Counts a connection's messages: each is parsed, and may read the store. */
export class MessageCount {
  #count = 0;
  #spanEndsMs = Number.NEGATIVE_INFINITY;

  /** Counts a message. Returns false if it exceeds the limit. `nowMs` is monotonic. */
  admits(nowMs: number): boolean {
    if (nowMs >= this.#spanEndsMs) {
      this.#spanEndsMs = nowMs + MESSAGES_SPAN_MS;
      this.#count = 0;
    }
    this.#count += 1;
    return this.#count <= MESSAGES_MAX;
  }
}

/** Bytes that may wait for one reader: a few hundred events. */
export const SOCKET_BUFFERED_BYTES_MAX = 1_048_576;

/** Bytes with which a catch-up waits for its reader: the rest is room for live events. */
export const CATCH_UP_BUFFERED_BYTES_MAX = 262_144;

/** Catch-ups that wait for one reader. */
export class Waiting {
  #drained: Promise<void> | undefined;
  #resolve: () => void = () => {};

  until(): Promise<void> {
    this.#drained ??= new Promise((resolve) => {
      this.#resolve = resolve;
    });
    return this.#drained;
  }

  end(): void {
    this.#drained = undefined;
    this.#resolve();
  }
}

/** Close codes of RFC 6455 §7.4.1 and its registry; 1012 and 1013 tell clients to reconnect. */
const CLOSE_CODES: Record<CloseReason, readonly [number, string]> = {
  revoked: [1008, 'token revoked'],
  blocked: [1008, 'address blocked'],
  flood: [1008, 'too many messages'],
  slow: [1013, 'too slow'],
  behind: [1013, 'too far behind'],
  deaf: [1013, 'bus unreachable'],
  restart: [1012, 'service restart'],
};

export class WebSocketStream implements StreamSocket {
  readonly #socket: WebSocket<SocketData>;
  readonly #waiting = new Waiting();
  #open = true;

  constructor(socket: WebSocket<SocketData>) {
    this.#socket = socket;
  }

  send(event: StreamEvent, kind: StreamKind, at?: () => Buffer): void {
    this.#write(event.frame(kind, event.id === undefined ? undefined : at?.()));
  }

  refuse(error: string, status: number): void {
    this.#write(Buffer.from(JSON.stringify({ error, status })));
  }

  /** Does nothing: uWebSockets sends pings itself. */
  heartbeat(): void {}

  drained(): Promise<void> | undefined {
    return this.#open && this.#isFull ? this.#waiting.until() : undefined;
  }

  /** Called when the reader has taken bytes. */
  flowed(): void {
    if (this.#open && !this.#isFull) this.#waiting.end();
  }

  get #isFull(): boolean {
    return this.#socket.getBufferedAmount() > CATCH_UP_BUFFERED_BYTES_MAX;
  }

  close(reason: CloseReason): void {
    if (!this.#open) return;
    this.#open = false;
    this.#waiting.end();
    const [code, text] = CLOSE_CODES[reason];
    // A reader that is too slow would not read the close frame either.
    if (reason === 'slow') this.#socket.close();
    else this.#socket.end(code, text);
  }

  /** Records that the socket is closed; it must not be used any more. */
  gone(): void {
    this.#open = false;
    this.#waiting.end();
  }

  #write(message: Uint8Array): void {
    if (!this.#open) return;
    if (this.#socket.getBufferedAmount() + message.length > SOCKET_BUFFERED_BYTES_MAX) this.close('slow');
    else this.#socket.send(message, false);
  }
}
