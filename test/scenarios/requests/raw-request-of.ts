import type { AnyRoute } from '../../../gateway/http/route.js';
import type { RawRequest } from '../../kit/network/raw-request.js';
import { pathOf } from './every-route.js';
import type { Fitting } from './fitting-request.js';

const JSON_TYPE = 'application/json';

/** A fitting request, maybe with a fault in it. */
export interface Sent extends Fitting {
  /** The raw body, instead of `body` as JSON. One byte a character. */
  readonly raw?: string | Buffer;
  readonly type?: string;
}

/** Returns the bytes of a request to the route. */
export function rawRequestOf(route: AnyRoute, sent: Sent): RawRequest {
  const { id = '', rest, query, headers, body, token, form } = sent;
  const isForm = form !== undefined && sent.raw === undefined && sent.type === undefined;
  const { raw = isForm ? form.bytes : undefined, type = isForm ? form.type : JSON_TYPE } = sent;
  const path = pathOf(route, id, rest) + (query === undefined ? '' : `?${query}`);
  const text = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  return {
    method: route.method,
    path,
    headers: {
      ...headers,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(text === undefined ? {} : { 'content-type': type }),
    },
    body: typeof text === 'string' ? Buffer.from(text, 'latin1') : text,
  };
}
