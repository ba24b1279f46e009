import type { HttpResponse } from 'uWebSockets.js';
import { STATUS_CODES } from 'node:http';
import { JsonPieces, Scratch } from './json-pieces.js';
import { CORS_HEADERS, PAGE_HEADERS } from './request/headers.js';
import { type Answer, JsonText, Streamed } from './route.js';

/** Properties of the response that do not depend on the answer. */
export interface AnswerDelivery {
  readonly id: string;
  /** The request is a HEAD: the answer has the length of the body, but no body. */
  readonly bodiless: boolean;
  /** The connection accepts no further request. */
  readonly closing: boolean;
}

/** Shared buffer. Answers are sent one after the other, and uWebSockets copies each before the next is joined. */
const scratch = new Scratch();
const NO_BYTES = new Uint8Array();

const BODILESS_STATUS = new Set([204, 304]);
const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * uWebSockets silently closes a connection that is idle for 8 to 12 s. A request sent at that moment would get no
 * answer, so clients get a shorter time.
 */
const KEPT_ALIVE_SECONDS = 7;

/** Headers of every answer that does not replace them. */
const JSON_HEADERS: readonly (readonly [string, string])[] = [
  ...CORS_HEADERS,
  ['x-content-type-options', 'nosniff'],
  ['content-type', JSON_TYPE],
  // Answers depend on the token, and shared caches must not mix viewers up.
  ['cache-control', 'private, no-store'],
  ['keep-alive', `timeout=${KEPT_ALIVE_SECONDS}`],
];
const ID_DIGITS = 8;
const ID_BASE = 36;

/** Returns a request id of one server: a prefix of its own and a number of fixed width. */
export function requestId(prefix: string, number: number): string {
  return prefix + number.toString(ID_BASE).padStart(ID_DIGITS, '0');
}

/**
 * Status line, headers and request id of similar answers as bytes. One call into uWebSockets replaces eight; each call
 * costs as much as writing some hundred bytes.
 */
export class ConstantHead {
  readonly #bytes: Uint8Array;

  /** The bytes contain the status and the headers of `answer`; by default 200 and the usual headers. */
  constructor(idPrefix: string, answer: Answer = { status: 200, body: undefined }) {
    const headers = [...headersOf(answer, false), ['x-request-id', requestId(idPrefix, 0)] as const];
    const lines = headers.map(([name, value]) => `${name}: ${checked(name, value)}`);
    this.#bytes = Buffer.from([statusLine(answer.status), ...lines].join('\r\n'), 'latin1');
  }

  /** Returns the bytes for uWebSockets' writeStatus, valid until the next call. */
  of(number: number): Uint8Array {
    const bytes = this.#bytes;
    let rest = number;
    for (let at = bytes.length - 1; at >= bytes.length - ID_DIGITS; at--) {
      const digit = rest % ID_BASE;
      // '0' to '9', then 'a' to 'z', as Number.prototype.toString writes them.
      bytes[at] = digit + (digit < 10 ? 48 : 87);
      rest = (rest - digit) / ID_BASE;
    }
    return bytes;
  }
}

/** Returns true if `respondUsual` may send the answer: 200 with a JSON body and no header that replaces a usual one. */
export function isUsual({ status, headers, cookies, body }: Answer): boolean {
  if (status !== 200 || body === undefined || cookies !== undefined) return false;
  for (const name in headers) if (REPLACEABLE.has(name.toLowerCase())) return false;
  return true;
}

const REPLACEABLE = new Set([...JSON_HEADERS.map(([name]) => name), 'x-request-id']);

/**
 * Works as `respond` does, for an answer whose status and usual headers are in `head`; `headers` are added to them. Not
 * for HEAD. The response must be corked.
 */
export function respondUsual(
  response: HttpResponse,
  { headers, body }: Pick<Answer, 'headers' | 'body'>,
  head: Uint8Array,
  closing: boolean,
): void {
  const encoded = encode(body, false);
  if (headers !== undefined) for (const name in headers) checked(name, headers[name] ?? '');
  response.writeStatus(head);
  if (headers !== undefined) for (const name in headers) response.writeHeader(name.toLowerCase(), headers[name] ?? '');
  response.end(encoded, closing);
}

/** Sends an answer. The response must neither be aborted nor answered. */
export function respond(response: HttpResponse, answer: Answer, delivery: AnswerDelivery): void {
  const isOwn = isRaw(answer.body) || answer.body instanceof Streamed;
  const raw = answer.headers?.['content-type'] !== undefined && isOwn;
  const body = answer.body instanceof Streamed ? NO_BYTES : encode(answer.body, raw);
  const headers = headersOf(answer, raw);
  response.cork(() => {
    response.writeStatus(statusLine(answer.status));
    response.writeHeader('x-request-id', delivery.id);
    for (const [name, value] of headers) response.writeHeader(name, value);
    for (const cookie of answer.cookies ?? []) response.writeHeader('set-cookie', checked('set-cookie', cookie));
    if (!delivery.bodiless && !BODILESS_STATUS.has(answer.status)) {
      response.end(body, delivery.closing);
      return;
    }
    // The length is not passed to endWithoutBody: uWebSockets would then wait for as many bytes and accept no further
    // request.
    if (delivery.closing) response.writeHeader('connection', 'close');
    if (delivery.bodiless) {
      const { body: whole } = answer;
      const size = whole instanceof Streamed ? whole.size : body.length;
      if (size !== undefined) response.writeHeader('content-length', String(size));
    }
    response.endWithoutBody();
  });
}

/** Line end that uWebSockets adds to the bytes of `writeStatus`. */
const LINE_END = '\r\n';

/**
 * Sends an answer while the request's body is still arriving, and leaves the response open: after the end of a response
 * uWebSockets passes on no more of the body. The whole answer is therefore sent as the status line, whose line end
 * counts as the last bytes of the answer's body. Not for answers without a body. The connection accepts no further
 * request.
 */
export function respondAhead(response: HttpResponse, answer: Answer, id: string): void {
  const raw = answer.headers?.['content-type'] !== undefined && isRaw(answer.body);
  const body = encode(answer.body, raw);
  const headers = headersOf(answer, raw);
  headers.delete('keep-alive');
  const lines = [statusLine(answer.status), `x-request-id: ${id}`];
  for (const [name, value] of headers) lines.push(`${name}: ${value}`);
  for (const cookie of answer.cookies ?? []) lines.push(`set-cookie: ${checked('set-cookie', cookie)}`);
  lines.push('connection: close', `content-length: ${body.length + LINE_END.length}`, '', '');
  const bytes = Buffer.concat([Buffer.from(lines.join(LINE_END)), body]);
  response.cork(() => response.writeStatus(bytes));
}

function statusLine(status: number): string {
  return status === 200 ? '200 OK' : `${status} ${STATUS_CODES[status] ?? 'Unknown'}`;
}

/** Sends the status line and all headers; the response must be corked. */
export function respondHead(response: HttpResponse, answer: Answer, id: string, closing: boolean): void {
  response.writeStatus(statusLine(answer.status));
  response.writeHeader('x-request-id', id);
  for (const [name, value] of headersOf(answer, true)) response.writeHeader(name, value);
  if (closing) response.writeHeader('connection', 'close');
}

function isRaw(body: unknown): body is string | Uint8Array {
  return typeof body === 'string' || body instanceof Uint8Array;
}

/** Returns the body's bytes, valid until the next answer is encoded. */
function encode(body: unknown, raw: boolean): Uint8Array {
  if (body === undefined) return NO_BYTES;
  if (body instanceof JsonPieces) return scratch.join(body);
  const content = body instanceof JsonText ? body.text : raw && isRaw(body) ? body : JSON.stringify(body);
  return typeof content === 'string' ? scratch.encode(content) : content;
}

function headersOf(answer: Answer, raw: boolean): Map<string, string> {
  const headers = new Map<string, string>(JSON_HEADERS);
  if (raw) headers.delete('content-type');
  const given = answer.headers ?? {};
  const type = given['content-type'] ?? '';
  // Scripts of other sites have no business with pages and their streams.
  if (/^text\/(?:html|event-stream)/.test(type)) for (const [name] of CORS_HEADERS) headers.delete(name);
  if (type.startsWith('text/html')) {
    for (const [name, value] of PAGE_HEADERS) headers.set(name, value);
  }
  for (const [name, value] of Object.entries(given)) {
    if (value === '') headers.delete(name.toLowerCase());
    else headers.set(name.toLowerCase(), checked(name, value));
  }
  return headers;
}

/** Returns the value. A line break would let it write headers of its own. @throws Error on a line break or NUL */
function checked(name: string, value: string): string {
  // Three searches take a fifth of the time of one regular expression.
  if (value.includes('\n') || value.includes('\r') || value.includes('\0')) {
    throw new Error(`line break in header ${name}`);
  }
  return value;
}
