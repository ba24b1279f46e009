import { type Static, Type } from '@sinclair/typebox';
import { storedId } from '../../actors/domain/ids.js';

const ID_HIGHEST = '9'.repeat(18);
const [DIGIT_0, DIGIT_9] = [48, 57];

/** Schema of a page's size: at most `limitMax`, and the default if the client gives no positive integer. */
export function limitQuery(limitDefault: number, limitMax: number) {
  return Type.Integer({ minimum: 1, maximum: limitMax, default: limitDefault, clamp: true, lenient: true });
}

/** Schema of an id in a query or body. Numbers longer than ids get a 422. */
export const idText = (options: object = {}) => Type.String({ pattern: '^[0-9]{1,18}$', ...options });

/** Returns true if `idText` accepts the text; the text is not decoded. */
export function isIdText(text: string): boolean {
  if (text.length === 0 || text.length > ID_HIGHEST.length) return false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < DIGIT_0 || code > DIGIT_9) return false;
  }
  return true;
}

/**
 * Schema of a page's bound: any number, because some clients request statuses below their largest integer. Anything
 * else (`undefined`, `null`, empty text) counts as absent.
 */
export const boundText = () => Type.String({ pattern: '^[0-9]{1,64}$', lenient: true });

/** Returns the query properties of a paged list; spread them into a larger `Type.Object`. */
export function pageProperties(limitDefault = 20, limitMax = 40) {
  return {
    max_id: Type.Optional(boundText()),
    since_id: Type.Optional(boundText()),
    min_id: Type.Optional(boundText()),
    limit: limitQuery(limitDefault, limitMax),
  };
}

/** Returns the query schema of a paged list without other parameters. */
export function pageQuery(limitDefault = 20, limitMax = 40) {
  return Type.Object(pageProperties(limitDefault, limitMax));
}
export type PageQuery = Static<ReturnType<typeof pageQuery>>;

/**
 * Bounds of a page, both exclusive. `upwards` (min_id) requests the `limit` items next above `after` instead of the
 * newest.
 */
export interface PageBounds {
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly upwards: boolean;
  readonly limit: number;
}

/**
 * Converts a query to bounds. `min_id` wins over `since_id`. Ids are padded to 18 digits, so that they also compare as
 * strings.
 */
export function pageBounds(query: PageQuery): PageBounds {
  const lower = query.min_id ?? query.since_id;
  return {
    before: query.max_id === undefined ? undefined : boundOf(query.max_id),
    after: lower === undefined ? undefined : boundOf(lower),
    upwards: query.min_id !== undefined,
    limit: query.limit,
  };
}

/** Returns a bound in the length of stored ids. A number past all ids becomes the highest id. */
export function boundOf(text: string): string {
  if (text.length <= 18) return storedId(text);
  const digits = text.replace(/^0+/, '');
  return digits.length > 18 ? ID_HIGHEST : storedId(digits);
}

/** Returns an address without its query. */
export function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}

export interface LinkOptions {
  /** Public address of the service, without a trailing slash. */
  readonly baseUrl: string;
  /** Path of the list, without the query. */
  readonly path: string;
  /** Known parameters of the request, repeated in both links; undefined ones are left out. */
  readonly keep?: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;
  readonly limit: number;
  /** Page keys (item ids or internal ids) of the first and the last item shown, in the order shown (newest first). */
  readonly newest: string | undefined;
  readonly oldest: string | undefined;
  /** False if nothing older exists: `next` is left out. Default true. */
  readonly more?: boolean;
}

/** Returns the Link header of a page (RFC 8288); undefined if it has no links. */
export function linkHeader(options: LinkOptions): string | undefined {
  const { baseUrl, path, keep, limit, newest, oldest, more } = options;
  const isLast = oldest === undefined || more === false;
  if (isLast && newest === undefined) return undefined;
  // Numbers and ids need no escapes.
  const address = `<${baseUrl}${path}?${keep === undefined ? '' : keptQuery(keep)}limit=${limit}`;
  const next = isLast ? '' : `${address}&max_id=${oldest}>; rel="next"`;
  if (newest === undefined) return next;
  return `${next}${isLast ? '' : ', '}${address}&min_id=${newest}>; rel="prev"`;
}

/** Returns `linkHeader` as headers for `json`, empty if there is none. */
export function linkHeaders(options: LinkOptions): Readonly<Record<string, string>> {
  const value = linkHeader(options);
  return value === undefined ? {} : { link: value };
}

/** Returns the repeated parameters, with a trailing ampersand. */
function keptQuery(keep: NonNullable<LinkOptions['keep']>): string {
  let query: URLSearchParams | undefined;
  for (const name in keep) {
    const value = keep[name];
    if (value === undefined) continue;
    query ??= new URLSearchParams();
    if (typeof value === 'object') for (const one of value) query.append(`${name}[]`, one);
    else query.append(name, String(value));
  }
  const text = query?.toString() ?? '';
  return text === '' ? '' : `${text}&`;
}
