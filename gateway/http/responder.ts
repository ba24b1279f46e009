import type { HttpResponse } from 'uWebSockets.js';
import { STATUS_CODES } from 'node:http';
import { CORS_HEADERS, PAGE_HEADERS } from './headers.js';
import { type Answer, JsonText } from './route.js';

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

/**
 * What every JSON answer carries, written by one call into uWebSockets instead of five: each call costs as much as
 * writing some hundred bytes. The values are our own constants, so the line breaks between them are safe.
 */
const [JSON_HEAD_NAME, JSON_HEAD_VALUE] = joined([
  ...CORS_HEADERS,
  ['x-content-type-options', 'nosniff'],
  ['content-type', JSON_TYPE],
  // What is answered depends on the token; shared caches must not mix viewers up.
  ['cache-control', 'private, no-store'],
]);

/** Sends an answer. The response must neither be aborted nor answered. */
export function respond(response: HttpResponse, answer: Answer, delivery: Delivery): void {
  const raw = answer.headers?.['content-type'] !== undefined && isRaw(answer.body);
  const body = encode(answer.body, raw);
  const headers = raw || answer.headers !== undefined ? headersOf(answer, raw) : undefined;
  response.cork(() => {
    response.writeStatus(statusLine(answer.status));
    response.writeHeader('x-request-id', delivery.id);
    if (headers === undefined) response.writeHeader(JSON_HEAD_NAME, JSON_HEAD_VALUE);
    else {
      for (const [name, value] of CORS_HEADERS) response.writeHeader(name, value);
      for (const [name, value] of headers) response.writeHeader(name, value);
    }
    if (BODILESS_STATUS.has(answer.status)) response.endWithoutBody(undefined, delivery.closing);
    else if (delivery.bodiless) response.endWithoutBody(Buffer.byteLength(body), delivery.closing);
    else response.end(body, delivery.closing);
  });
}

function statusLine(status: number): string {
  return status === 200 ? '200 OK' : `${status} ${STATUS_CODES[status] ?? 'Unknown'}`;
}

function joined(headers: readonly (readonly [string, string])[]): [string, string] {
  const text = headers.map(([name, value]) => `${name}: ${value}`).join('\r\n');
  const colon = text.indexOf(': ');
  return [text.slice(0, colon), text.slice(colon + 2)];
}

function isRaw(body: unknown): body is string | Uint8Array {
  return typeof body === 'string' || body instanceof Uint8Array;
}

function encode(body: unknown, raw: boolean): string | Uint8Array {
  if (body instanceof JsonText) return body.text;
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
