import { Type } from '@sinclair/typebox';
import { accountUrl, statusUrl } from '../../../actors/domain/addresses.js';
import { isId } from '../../../actors/domain/ids.js';
import { isProblem } from '../../../actors/domain/problem.js';
import { escapeHtml } from '../../../actors/domain/text/plain-text.js';
import type { StoreStatusRecord } from '../../../proto/gen/types.js';
import { entity, nullable, uri } from '../../http/entity.js';
import { type AnyRoute, json, route } from '../../http/route.js';
import { loadAccounts } from '../../viewing/people-at-hand.js';
import { notFound, visibleStatus } from '../../viewing/visible.js';

/** The REST API's OEmbedResponse. */
const OEmbedResponse = entity('OEmbedResponse', {
  author_name: Type.String(),
  author_url: uri(),
  cache_age: Type.Integer(),
  html: Type.String(),
  provider_name: Type.String(),
  provider_url: uri(),
  title: Type.String(),
  type: Type.String(),
  version: Type.String(),
  width: Type.Integer(),
  height: Type.Optional(nullable(Type.String())),
});

const URL_CHARS_MAX = 2_048;
/** Pixels: more than any screen has. */
const SIDE_MAX = 10_000;
const WIDTH = 400;
/** Seconds for which other servers may cache the answer. */
const CACHE_AGE_S = 86_400;

/** Embedding of public statuses in other pages (oEmbed 1.0). */
export const oembedRoutes: readonly AnyRoute[] = [
  route({
    method: 'GET',
    path: '/api/oembed',
    auth: 'none',
    query: Type.Object({
      url: Type.String({ minLength: 1, maxLength: URL_CHARS_MAX }),
      maxwidth: Type.Integer({ minimum: 1, maximum: SIDE_MAX, default: WIDTH, clamp: true }),
      maxheight: Type.Optional(Type.Integer({ minimum: 1, maximum: SIDE_MAX, clamp: true })),
      format: Type.Optional(Type.String({ maxLength: 20 })),
    }),
    answer: OEmbedResponse,
    handle: async ({ services, query }) => {
      const { instance } = services;
      const id = statusIdIn(query.url, instance.baseUrl);
      const seen = id === undefined ? notFound() : await visibleStatus(services, undefined, id);
      if (isProblem(seen) || seen.original !== undefined) return notFound();
      const author = (await loadAccounts(services, [seen.record.accountId])).get(seen.record.accountId);
      if (author === undefined) return notFound();
      const authorUrl = accountUrl(instance.baseUrl, author);
      const url = statusUrl(instance.baseUrl, seen.record, author);
      const name = author.profile?.displayName || author.username;
      return json({
        type: 'rich',
        version: '1.0',
        title: `New status by ${author.username}`,
        author_name: name,
        author_url: authorUrl,
        provider_name: instance.domain,
        provider_url: `${instance.baseUrl}/`,
        cache_age: CACHE_AGE_S,
        // A quotation needs no script of this server.
        html: `<blockquote cite="${escapeHtml(url)}">${quotable(seen.record)}<p><a href="${escapeHtml(url)}">${escapeHtml(name)}</a></p></blockquote>`,
        width: query.maxwidth,
        height: null,
      });
    },
  }),
];

/** Returns the text of a status as HTML; in its place the content warning, if there is one: nobody opens a quotation. */
const quotable = ({ html, spoilerText }: Pick<StoreStatusRecord, 'html' | 'spoilerText'>): string =>
  spoilerText === '' ? html : `<p>${escapeHtml(spoilerText)}</p>`;

/** Returns the status id in an address of this server: `/@name/ID` or `/users/name/statuses/ID`. */
function statusIdIn(text: string, baseUrl: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { origin, pathname } = new URL(text);
  if (origin !== new URL(baseUrl).origin) return undefined;
  const [, id = ''] = /^\/(?:@[\w.-]+|users\/[\w.-]+\/statuses)\/(\d+)\/?$/.exec(pathname) ?? [];
  return isId(id) ? id : undefined;
}
