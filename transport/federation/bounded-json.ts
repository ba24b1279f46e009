import { type Problem, problem } from '../../actors/domain/problem.js';

export type JsonObject = Readonly<Record<string, unknown>>;

/** Largest document. Source: Mastodon, 1 MB. Parsing it takes some 10 ms of the event loop. */
export const JSON_BYTES_MAX = 1_048_576;
/** Objects and arrays within each other. Honest documents have fewer than ten. */
const DEPTH_MAX = 32;
/** Values and names of members. A collection page of a large server has some 1,000. */
const VALUES_MAX = 10_000;

/**
 * Keywords of JSON-LD that give a document another meaning than its compact terms, and the name that changes an
 * object's prototype when it is assigned.
 */
const REFUSED_KEYS = new Set(['@graph', '@included', '@reverse', '@id', '@type', '__proto__']);

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_OBJECT, OPEN_ARRAY, CLOSE_OBJECT, CLOSE_ARRAY] = [0x7b, 0x5b, 0x7d, 0x5d];

/**
 * Parses a foreign document: one JSON object in UTF-8 within the limits. Numbers are finite, texts well-formed, the
 * last of equal keys counts. Contexts are not interpreted. Never throws.
 */
export function parseObject(bytes: Uint8Array): JsonObject | Problem {
  if (bytes.length > JSON_BYTES_MAX) return problem('too_large', 'The document is too large');
  const excess = excessOf(bytes);
  if (excess !== undefined) return problem('bad_request', excess);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return problem('bad_request', 'The document is not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return problem('bad_request', 'The document is not a JSON object');
  }
  const fault = cleaned(value as Record<string, unknown>, false);
  return fault === undefined ? (value as JsonObject) : problem('bad_request', fault);
}

/** Counts nesting and values before anything is allocated for them. Separators in strings do not count. */
function excessOf(bytes: Uint8Array): string | undefined {
  let [depth, values] = [0, 1];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = endOfString(bytes, at);
      continue;
    }
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      depth += 1;
      if (depth > DEPTH_MAX) return 'The document is nested too deeply';
      values += 1;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth -= 1;
    else if (byte === COMMA || byte === COLON) values += 1;
    else continue;
    if (values > VALUES_MAX) return 'The document has too many values';
  }
  return undefined;
}

/** Returns the position of the quote that ends a string, or the last position. */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let at = start + 1; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === BACKSLASH) at += 1;
    else if (byte === QUOTE) return at;
  }
  return bytes.length;
}

/**
 * Makes the texts of a value well-formed, in place. Returns what makes the value unusable. Contexts define terms by the
 * refused keywords.
 */
function cleaned(value: Record<string, unknown>, isContext: boolean): string | undefined {
  for (const [key, child] of Object.entries(value)) {
    if (!isContext && REFUSED_KEYS.has(key)) return `The document has the key ${key}`;
    if (typeof child === 'number' && !Number.isFinite(child)) return 'The document has a number without bounds';
    if (typeof child === 'string') {
      // A text of another encoding than UTF-16 has no lone surrogates.
      if (!child.isWellFormed()) value[key] = child.toWellFormed();
    } else if (typeof child === 'object' && child !== null) {
      const fault = cleaned(child as Record<string, unknown>, isContext || key === '@context');
      if (fault !== undefined) return fault;
    }
  }
  return undefined;
}
