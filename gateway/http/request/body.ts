import uws from 'uWebSockets.js';
import type { Uploaded } from '../route.js';
import { assignValue, checkedText, emptyForm, FORM_VALUES_MAX, parseUrlEncoded, Unparsable } from './form.js';

/** Largest JSON or form body. A post of 500 characters with all its fields stays far below. */
export const BODY_BYTES_MAX = 1_048_576;

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });
/** Escapes that could stand for NUL or a lone surrogate. The parsed value is searched only if the text has one. */
const doubtfulEscape = /\\u(?:0000|d[89a-f])/i;

/**
 * Parses the body into an object: JSON, urlencoded or multipart by its content type. Without a content type the body is
 * a form unless it looks like JSON. An empty body is an empty object.
 * @throws Unparsable
 */
export function parseBody(bytes: Uint8Array, contentType: string): object {
  if (bytes.length === 0) return {};
  const type = (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
  if (type === 'multipart/form-data') return parseMultipart(bytes, contentType);
  const text = decodeUtf8(bytes);
  if (type === 'application/json' || type.endsWith('+json')) return parseJson(text);
  if (type === 'application/x-www-form-urlencoded') return parseUrlEncoded(text);
  if (type === '' || type === 'text/plain')
    return text.trimStart().startsWith('{') ? parseJson(text) : parseUrlEncoded(text);
  throw new Unparsable('Unsupported content type');
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    throw new Unparsable('Malformed UTF-8');
  }
}

function parseJson(text: string): object {
  if (text.trim() === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Unparsable('Malformed JSON');
  }
  if (LONG_INTEGER.test(text)) value = JSON.parse(withQuotedIntegers(text));
  // Some clients send `null` for an empty body.
  if (value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw new Unparsable('The body must be a JSON object');
  }
  if (doubtfulEscape.test(text)) checkTexts(value);
  return value;
}

/** A number that may be too large for JavaScript to represent exactly, or text that looks like one. */
const LONG_INTEGER = /(?:^|[[:,\s-])[0-9]{16}/;

/**
 * Returns valid JSON in which integers past 2^53 are strings. Ids have 64 bits, some clients write them as numbers, and
 * `JSON.parse` rounds them.
 */
function withQuotedIntegers(text: string): string {
  const tokens = /"|-?[0-9][0-9.eE+-]*/g;
  let quoted = '';
  let copied = 0;
  for (let found = tokens.exec(text); found !== null; found = tokens.exec(text)) {
    const [token] = found;
    if (token === '"') {
      tokens.lastIndex = afterString(text, found.index);
    } else if (/^-?[0-9]{16,}$/.test(token) && !Number.isSafeInteger(Number(token))) {
      quoted += `${text.slice(copied, found.index)}"${token}"`;
      copied = tokens.lastIndex;
    }
  }
  return quoted + text.slice(copied);
}

/** Returns the position behind the closing quotation mark of a string. */
function afterString(text: string, opening: number): number {
  let closing = opening;
  let backslashes: number;
  do {
    closing = text.indexOf('"', closing + 1);
    backslashes = 0;
    while (text[closing - 1 - backslashes] === '\\') backslashes++;
  } while (backslashes % 2 === 1);
  return closing + 1;
}

/** Checks all texts of a value without recursion, because the client chooses the nesting. */
function checkTexts(root: object): void {
  const open: unknown[] = [root];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value === 'string') checkedText(value);
    else if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) {
        checkedText(key);
        if (inner !== undefined) open.push(inner);
      }
    }
  }
}

function parseMultipart(bytes: Uint8Array, contentType: string): object {
  const boundary = boundaryOf(contentType);
  // uWebSockets accepts a boundary only without quotes and without another parameter.
  const parts = uws.getParts(bytes, `multipart/form-data; boundary=${boundary}`);
  if (boundary === '' || parts === undefined || (parts.length === 0 && !endsAsMultipart(bytes, boundary))) {
    throw new Unparsable('Malformed multipart body');
  }
  if (parts.length > FORM_VALUES_MAX) throw new Unparsable('Too many parameters');
  const form = emptyForm();
  for (const part of parts) {
    const data = new Uint8Array(part.data);
    const name = checkedText(part.name);
    if (part.filename === undefined) {
      assignValue(form, name, checkedText(decodeUtf8(data)));
    } else {
      // The file is copied: the part is a view of the whole body, which it would keep in memory.
      const file: Uploaded = { bytes: data.slice(), filename: checkedText(part.filename), contentType: part.type };
      assignValue(form, name, file);
    }
  }
  return form;
}

/** Returns the boundary of a multipart content type, or '' if there is none. */
function boundaryOf(contentType: string): string {
  const given = /;\s*boundary=(?:"([^"]*)"|([^;\s]*))/i.exec(contentType);
  return given?.[1] ?? given?.[2] ?? '';
}

/**
 * Returns true if the body ends with the announced boundary. Tells a form without fields from a body with another
 * boundary: uWebSockets finds no parts in both.
 */
const endsAsMultipart = (bytes: Uint8Array, boundary: string) => Buffer.from(bytes).includes(`--${boundary}--`);
