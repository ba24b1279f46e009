import type { ApiAnswer } from './api-call.js';
import { JsonPieces } from './json-pieces.js';
import { type Answer, JsonText } from './route.js';

/** Reads an answer as an application would. */
export function readAnswer<T>({ status, headers, body }: Answer): ApiAnswer<T> {
  const pieces = body instanceof JsonPieces ? body : undefined;
  const text = pieces?.toString() ?? (body instanceof JsonText ? Buffer.from(body.text).toString() : undefined);
  const value = text === undefined ? body : JSON.parse(text);
  return { status, body: value as T, link: headers?.link ?? headers?.Link, pieces };
}
