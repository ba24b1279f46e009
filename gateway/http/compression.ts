import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { JsonPieces } from './json-pieces.js';
import { type Answer, JsonText, Streamed } from './route.js';

/** Bodies up to this size fit into one or two packets anyway. */
const COMPRESSED_BYTES_MIN = 1_024;
/** Longest body that is compressed: compressing 1 MB takes some 5 ms of the event loop. */
const COMPRESSED_BYTES_MAX = 1_048_576;
const TEXTS = /^(?:text\/|image\/svg|application\/(?:json|[\w.-]+\+(?:json|xml)|xml|javascript|manifest))/;
const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * The lowest useful effort: for a page of 20 statuses (38 KB) some 45 µs with Brotli and 65 µs with gzip; higher levels take
 * twice the time and save a tenth. Windows of 8 KB suffice, because repeated texts are near each other.
 */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
const GZIP = { level: 1, memLevel: 7, windowBits: 13 };

type Encoding = 'br' | 'gzip';

/** Returns the encoding to use; undefined if the client accepts none of them (RFC 9110 §12.5.3). */
export function encodingOf(acceptEncoding: string | undefined): Encoding | undefined {
  if (acceptEncoding === undefined) return undefined;
  const accepted = acceptEncoding
    .toLowerCase()
    .split(',')
    .map((one) => one.trim())
    .filter((one) => !/;\s*q=0(?:\.0*)?$/.test(one))
    .map((one) => one.split(';', 1)[0]);
  if (accepted.includes('br')) return 'br';
  return accepted.includes('gzip') ? 'gzip' : undefined;
}

/** Compressed forms of answers that are sent more than once: pages that stay the same objects while they are valid. */
const known = new WeakMap<Answer, Partial<Record<Encoding, Answer>>>();

/** Works as `compress`, and compresses an answer with an ETag only once. */
export function compressed(answer: Answer, encoding: Encoding): Answer {
  if (answer.headers?.etag === undefined) return compress(answer, encoding);
  let forms = known.get(answer);
  if (forms === undefined) {
    forms = {};
    known.set(answer, forms);
  }
  forms[encoding] ??= compress(answer, encoding);
  return forms[encoding];
}

/**
 * Returns the answer with a compressed body, or the same answer if its body is short, no text, or of a kind that must not be
 * compressed. Pages that nobody may store contain secrets (CSRF) beside text that others may choose, so their length must
 * tell nothing (BREACH).
 */
function compress(answer: Answer, encoding: Encoding): Answer {
  const { headers, body } = answer;
  const type = headers?.['content-type'] ?? JSON_TYPE;
  if (body === undefined || body instanceof Streamed || !TEXTS.test(type)) return answer;
  if (headers?.['content-encoding'] !== undefined || answer.status === 304) return answer;
  if (type.startsWith('text/html') && headers?.['cache-control'] === 'no-store') return answer;
  const bytes = bytesOf(body, headers?.['content-type'] !== undefined);
  if (bytes.length < COMPRESSED_BYTES_MIN || bytes.length > COMPRESSED_BYTES_MAX) return answer;
  const vary = headers?.vary === undefined ? 'Accept-Encoding' : `${headers.vary}, Accept-Encoding`;
  return {
    ...answer,
    headers: { ...headers, 'content-type': type, 'content-encoding': encoding, vary },
    body: encoding === 'br' ? brotliCompressSync(bytes, BROTLI) : gzipSync(bytes, GZIP),
  };
}

/** Returns the body as bytes. `isTyped`: the answer has a type of its own, so a text is not sent as JSON. */
export function bytesOf(body: unknown, isTyped: boolean): Uint8Array {
  if (body instanceof JsonPieces) return Buffer.concat(body.pieces);
  if (body instanceof JsonText) return typeof body.text === 'string' ? Buffer.from(body.text) : body.text;
  if (isTyped && body instanceof Uint8Array) return body;
  return Buffer.from(isTyped && typeof body === 'string' ? body : JSON.stringify(body));
}
