import type { HttpResponse } from 'uWebSockets.js';
import { STATUS_CODES } from 'node:http';
import { CORS_HEADERS, PAGE_HEADERS } from './headers.js';
import type { Answer } from './route.js';

/** How an answer is put on the wire. */
export interface Delivery {
  readonly id: string;
  /** Answer to HEAD: the length is told, the body is not. */
  readonly bodiless: boolean;
  /** The connection takes no further request. */
  readonly closing: boolean;
}

const BODILESS_STATUS = new Set([204, 304]);
const JSON_TYPE = 'application/json; charset=utf-8';

/** Sends an answer. The response must neither be aborted nor answered. */
export function respond(response: HttpResponse, answer: Answer, delivery: Delivery): void {
  const raw = answer.headers?.['content-type'] !== undefined && isRaw(answer.body);
  const body = encode(answer.body, raw);
  const headers = headersOf(answer, raw);
  response.cork(() => {
    response.writeStatus(`${answer.status} ${STATUS_CODES[answer.status] ?? 'Unknown'}`);
    response.writeHeader('x-request-id', delivery.id);
    for (const [name, value] of CORS_HEADERS) response.writeHeader(name, value);
    for (const [name, value] of headers) response.writeHeader(name, value);
    if (BODILESS_STATUS.has(answer.status)) response.endWithoutBody(undefined, delivery.closing);
    else if (delivery.bodiless) response.endWithoutBody(Buffer.byteLength(body), delivery.closing);
    else response.end(body, delivery.closing);
  });
}

function isRaw(body: unknown): body is string | Uint8Array {
  return typeof body === 'string' || body instanceof Uint8Array;
}

function encode(body: unknown, raw: boolean): string | Uint8Array {
  if (raw && isRaw(body)) return body;
  return body === undefined ? '' : JSON.stringify(body);
}

function headersOf(answer: Answer, raw: boolean): Map<string, string> {
  const headers = new Map<string, string>([['x-content-type-options', 'nosniff']]);
  if (!raw) headers.set('content-type', JSON_TYPE);
  // What is answered depends on the token; shared caches must not mix viewers up.
  headers.set('cache-control', 'private, no-store');
  const given = answer.headers ?? {};
  if (given['content-type']?.startsWith('text/html'))
    for (const [name, value] of PAGE_HEADERS) headers.set(name, value);
  for (const [name, value] of Object.entries(given)) headers.set(name.toLowerCase(), checked(name, value));
  return headers;
}

/** A line break would let a value write headers of its own. */
function checked(name: string, value: string): string {
  if (/[\r\n\0]/.test(value)) throw new Error(`line break in header ${name}`);
  return value;
}
