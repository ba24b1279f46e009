import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';

export interface Outcome {
  /** 0: the connection broke. */
  readonly status: number;
  readonly retryAfter: boolean;
  /** On performance.now()'s clock. */
  readonly sentMs: number;
  readonly tookMs: number;
}

/** Maximum number of sockets: more at once mean a server that does not answer at all. */
const SOCKETS_MAX = 8_000;
/** Interval at which due requests are sent. */
const TICK_MS = 2;

/** One connection; sends the next request after the whole answer to the previous one. A cheap client. */
class Line {
  readonly #socket: Socket;
  #text = '';
  #sentMs = 0;
  #settle: (outcome: Outcome) => void = () => {};

  constructor(port: number) {
    this.#socket = connect(port, '127.0.0.1');
    this.#socket.setNoDelay(true).setEncoding('latin1');
    this.#socket.on('data', (text: string) => this.#take(text));
    const broken = () => this.#finish(0);
    this.#socket.on('error', broken).on('close', broken);
  }

  /** True once no request can be sent any more: a server closes connections that are idle for a while. */
  get isClosed(): boolean {
    return this.#socket.destroyed;
  }

  send(request: string): Promise<Outcome> {
    this.#sentMs = performance.now();
    this.#socket.write(request);
    return new Promise((settle) => {
      this.#settle = settle;
    });
  }

  end(): void {
    this.#socket.destroy();
  }

  #take(text: string): void {
    this.#text += text;
    const end = this.#text.indexOf('\r\n\r\n');
    const length = /\r\ncontent-length: ([0-9]+)/i.exec(this.#text)?.[1];
    if (end < 0 || length === undefined || this.#text.length < end + 4 + Number(length)) return;
    this.#finish(Number(this.#text.slice('HTTP/1.1 '.length, 'HTTP/1.1 '.length + 3)));
  }

  #finish(status: number): void {
    const retryAfter = /\r\nretry-after: [1-9]/i.test(this.#text);
    this.#text = '';
    this.#settle({ status, retryAfter, sentMs: this.#sentMs, tookMs: performance.now() - this.#sentMs });
  }
}

/**
 * Returns answers per second with the expected status, with so many requests in flight. Another status is an error,
 * unless it is `refused`, which does not count.
 */
export async function closedLoop(
  port: number,
  inFlight: number,
  count: number,
  next: () => string,
  { expected = 200, refused }: { readonly expected?: number; readonly refused?: number } = {},
): Promise<number> {
  const startedMs = performance.now();
  let left = count;
  let good = 0;
  const worker = async () => {
    const line = new Line(port);
    while (left-- > 0) {
      const { status } = await line.send(next());
      if (status !== refused) assert.equal(status, expected);
      if (status === expected) good++;
    }
    line.end();
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  return (good / (performance.now() - startedMs)) * 1_000;
}

/** Sends requests at a fixed rate for some time, whatever their outcome; opens connections as needed. */
export async function openLoop(
  port: number,
  perSecond: number,
  seconds: number,
  next: () => string,
): Promise<Outcome[]> {
  const free: Line[] = [];
  const sent: Promise<Outcome>[] = [];
  let lines = 0;
  const one = async (): Promise<Outcome> => {
    let line = free.pop();
    while (line?.isClosed === true) {
      lines--;
      line = free.pop();
    }
    if (line === undefined) {
      assert.ok(++lines <= SOCKETS_MAX, 'answers do not come');
      line = new Line(port);
    }
    const outcome = await line.send(next());
    free.push(line);
    return outcome;
  };
  const startedMs = performance.now();
  for (;;) {
    const elapsedMs = performance.now() - startedMs;
    if (elapsedMs > seconds * 1_000) break;
    while (sent.length < (elapsedMs / 1_000) * perSecond) sent.push(one());
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
  const outcomes = await Promise.all(sent);
  for (const line of free) line.end();
  return outcomes;
}

/** Returns the text of an HTTP/1.1 request with the bearer token, and JSON if it has a body. */
export function requestText(method: string, path: string, token: string, body?: object): string {
  const json = body === undefined ? '' : JSON.stringify(body);
  const more =
    body === undefined ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(json)}`];
  return [`${method} ${path} HTTP/1.1`, 'Host: a', `Authorization: Bearer ${token}`, ...more, '', json].join('\r\n');
}

/** Returns the text of a signed HTTP/1.1 request; its headers contain that of the host. */
export function signedText(
  path: string,
  { headers, body }: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`POST ${path} HTTP/1.1`, ...lines, `content-length: ${Buffer.byteLength(body)}`, '', body].join('\r\n');
}
