import { type Static, Type } from '@sinclair/typebox';
import { storedId } from '../../actors/domain/ids.js';

const ID_HIGHEST = '9'.repeat(18);
const [DIGIT_0, DIGIT_9] = [48, 57];

/** A page's size: at most `limitMax`, and the default where the client gives no positive integer. */
export function limitQuery(limitDefault: number, limitMax: number) {
  return Type.Integer({ minimum: 1, maximum: limitMax, default: limitDefault, clamp: true, lenient: true });
}

/** An id in a query or body; longer numbers than ids can be are refused with 422. */
export const idText = (options: object = {}) => Type.String({ pattern: '^[0-9]{1,18}$', ...options });

/** Whether it is what `idText` takes, in a text that was not decoded. */
export function isIdText(text: string): boolean {
  if (text.length === 0 || text.length > ID_HIGHEST.length) return false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < DIGIT_0 || code > DIGIT_9) return false;
  }
  return true;
}

/**
 * A bound of a page: any number, because some clients ask for statuses below the largest integer they have. Anything
 * else (`undefined`, `null`, empty text) counts as absent.
 */
export const boundText = () => Type.String({ pattern: '^[0-9]{1,64}$', lenient: true });

/** Properties of a query that pages; spread them into a larger `Type.Object`. */
export function pageProperties(limitDefault = 20, limitMax = 40) {
  return {
    max_id: Type.Optional(boundText()),
    since_id: Type.Optional(boundText()),
    min_id: Type.Optional(boundText()),
    limit: limitQuery(limitDefault, limitMax),
  };
}

/** The query of a list that has no other parameters. */
export function pageQuery(limitDefault = 20, limitMax = 40) {
  return Type.Object(pageProperties(limitDefault, limitMax));
}
export type PageQuery = Static<ReturnType<typeof pageQuery>>;

/** Bounds of a page, both exclusive. `upwards`: the `limit` next above `after` (min_id) instead of the newest. */
export interface PageBounds {
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly upwards: boolean;
  readonly limit: number;
}

/** `min_id` wins over `since_id`; ids are brought to 18 digits, so that they compare as strings too. */
export function pageBounds(query: PageQuery): PageBounds {
  const lower = query.min_id ?? query.since_id;
  return {
    before: query.max_id === undefined ? undefined : boundOf(query.max_id),
    after: lower === undefined ? undefined : boundOf(lower),
    upwards: query.min_id !== undefined,
    limit: query.limit,
  };
}

/** A bound as long as ids are stored, the highest of them for numbers that are past all ids. */
export function boundOf(text: string): string {
  if (text.length <= 18) return storedId(text);
  const digits = text.replace(/^0+/, '');
  return digits.length > 18 ? ID_HIGHEST : storedId(digits);
}

/** An address without its query. */
export function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}

export interface LinkOptions {
  /** The service's public address, no trailing slash. */
  readonly baseUrl: string;
  /** Path of the list, without query. */
  readonly path: string;
  /** Parameters that the service knows and that both neighbours keep; undefined ones are left out. */
  readonly keep?: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;
  readonly limit: number;
  /** Page keys (item ids or internal ids) of the first and the last item shown, in the order shown (newest first). */
  readonly newest: string | undefined;
  readonly oldest: string | undefined;
  /** False when it is known that nothing older exists: `next` is left out. Default true. */
  readonly more?: boolean;
}

/** The Link header of a page; undefined when neither side is known (RFC 8288). */
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

/** `linkHeader` as headers for `json`, empty when there is none. */
export function linkHeaders(options: LinkOptions): Readonly<Record<string, string>> {
  const value = linkHeader(options);
  return value === undefined ? {} : { link: value };
}

/** What is kept, with an ampersand at its end. */
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
