import { isProblem, type Problem, problem } from '../../../actors/domain/problem.js';
import { parseUrlEncoded, Unparsable } from '../../http/request/form.js';
import type { Head } from '../../http/request/head.js';
import { type StreamKind, type StreamNames, streamAt, streamNamed } from '../stream-kinds.js';
import { PAGE_STREAM_PATH } from './page-sessions.js';

// Requests and messages of clients, as the streaming endpoints read them.

export const STREAMING_PATH = '/api/v1/streaming';
/** Names read from a stream's any, all or none. */
const NAMES_READ_MAX = 20;

export const UNKNOWN_STREAM = problem('bad_request', 'Unknown stream type');

/** Returns the stream that the path names. The bare path takes the parameter `stream`, as WebSockets do. */
export function sseKind(head: Head): StreamKind | Problem {
  if (isPages(head)) return streamNamed('user') ?? UNKNOWN_STREAM;
  const path = head.path.slice(STREAMING_PATH.length);
  const named = path === '' || path === '/' ? namedIn(head) : undefined;
  if (isProblem(named)) return named;
  if (named !== undefined) return streamNamed(named) ?? UNKNOWN_STREAM;
  return streamAt(path) ?? problem('not_found', 'There is no such stream');
}

/** Returns true for the stream of the built-in client's pages. */
export const isPages = ({ path }: Head): boolean => path === PAGE_STREAM_PATH;

export function namedIn(head: Head): string | undefined | Problem {
  try {
    return textOf(parseUrlEncoded(head.query).stream);
  } catch (error) {
    if (error instanceof Unparsable) return problem('bad_request', error.message);
    throw error;
  }
}

/** A message that subscribes a stream of a WebSocket, or unsubscribes it. */
export interface Message {
  readonly type: 'subscribe' | 'unsubscribe';
  readonly stream: string;
  readonly names: StreamNames;
  readonly since: string | undefined;
}

export function parseMessage(bytes: ArrayBuffer): Message | undefined {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString());
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { type, stream, since } = value as Readonly<Record<string, unknown>>;
  if ((type !== 'subscribe' && type !== 'unsubscribe') || typeof stream !== 'string') return undefined;
  const names = namesOf(value as Readonly<Record<string, unknown>>);
  if (since === undefined || since === null) return { type, stream, names, since: undefined };
  // Only these types convert to text without calling code of the client: `{"toString":1}` would throw.
  return typeof since === 'string' || typeof since === 'number'
    ? { type, stream, names, since: `${since}` }
    : undefined;
}

/** Reads the names of a list or hashtags. A list may be named by a number. Other types that are no text are ignored. */
export function namesOf({
  list,
  tag,
  any,
  all,
  none,
  only_media: media,
}: Readonly<Record<string, unknown>>): StreamNames {
  const texts = (value: unknown) =>
    (Array.isArray(value) ? value.slice(0, NAMES_READ_MAX) : [value]).flatMap((one) => textOf(one) ?? []);
  return {
    list: typeof list === 'number' ? String(list) : textOf(list),
    tag: textOf(tag),
    any: texts(any),
    all: texts(all),
    none: texts(none),
    media: media === true || /^(?:true|1|on)$/i.test(textOf(media) ?? ''),
  };
}

export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
