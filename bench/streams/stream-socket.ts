import { connect, type Socket } from 'node:net';

const HEAD_END = '\r\n\r\n';
/** Opcodes and lengths of RFC 6455 §5.2. */
const TEXT = 1;
const PING = 9;
const LENGTH_16 = 126;
const LENGTH_64 = 127;
/** A pong without payload, masked with zeros. */
const PONG = Buffer.from([0x8a, 0x80, 0, 0, 0, 0]);

/** A WebSocket that costs its client little: thousands share a process with the measurement. */
export class StreamSocket {
  /** Resolves when the server has accepted the stream. @throws when it refuses */
  readonly opened: Promise<void>;
  closed = false;
  readonly #socket: Socket;
  readonly #onText: (text: Buffer) => void;
  #rest: Buffer = Buffer.alloc(0);
  #isOpen = false;
  #accept: () => void = () => {};
  #refuse: (error: Error) => void = () => {};

  /** @param onText receives each text message; its bytes are valid during the call */
  constructor(port: number, stream: string, token: string, onText: (text: Buffer) => void) {
    this.#onText = onText;
    this.opened = new Promise((resolve, reject) => {
      this.#accept = resolve;
      this.#refuse = reject;
    });
    const request = [
      `GET /api/v1/streaming?stream=${stream} HTTP/1.1`,
      'Host: localhost',
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      `Authorization: Bearer ${token}`,
    ];
    this.#socket = connect(port, '127.0.0.1', () => this.#socket.write(request.join('\r\n') + HEAD_END));
    this.#socket.setNoDelay(true);
    this.#socket.on('data', (bytes) => this.#take(bytes));
    this.#socket.on('error', (error) => this.#refuse(error));
    this.#socket.on('close', () => {
      this.closed = true;
      this.#refuse(new Error('the stream was closed'));
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(bytes: Buffer): void {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    if (!this.#isOpen && !this.#open()) return;
    for (let size = this.#frame(); size > 0; size = this.#frame()) this.#rest = this.#rest.subarray(size);
  }

  /** Reads the answer to the handshake. Returns false while it is incomplete. */
  #open(): boolean {
    const end = this.#rest.indexOf(HEAD_END);
    if (end < 0) return false;
    const head = this.#rest.toString('latin1', 0, end);
    if (!head.startsWith('HTTP/1.1 101')) {
      this.#refuse(new Error(head.split('\r\n', 1)[0]));
      this.close();
      return false;
    }
    this.#rest = this.#rest.subarray(end + HEAD_END.length);
    this.#isOpen = true;
    this.#accept();
    return true;
  }

  /** Reads one frame. Returns its size; 0 if it is incomplete. */
  #frame(): number {
    const { length } = this.#rest;
    if (length < 2) return 0;
    const short = (this.#rest[1] as number) & 0x7f;
    const head = short === LENGTH_64 ? 10 : short === LENGTH_16 ? 4 : 2;
    if (length < head) return 0;
    let size = short;
    if (short === LENGTH_16) size = this.#rest.readUInt16BE(2);
    else if (short === LENGTH_64) size = Number(this.#rest.readBigUInt64BE(2));
    if (length < head + size) return 0;
    const opcode = (this.#rest[0] as number) & 0x0f;
    if (opcode === TEXT) this.#onText(this.#rest.subarray(head, head + size));
    else if (opcode === PING) this.#socket.write(PONG);
    return head + size;
  }
}
