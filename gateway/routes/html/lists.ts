import { Type } from '@sinclair/typebox';
import { tagWish } from '../../../actors/domain/text/hashtag.js';
import { cachedPage } from '../../html/cached-page.js';
import { tagFeed } from '../../html/feeds.js';
import { directoryPage, type Explored, explorePage, type Timeline, timelinePage } from '../../html/pages/list-pages.js';
import { siteOf } from '../../html/site.js';
import { type Answer, type AnyRoute, type Request, route } from '../../http/route.js';
import type { Account } from '../../pages/account/account.js';
import type { PageBounds, PageQuery } from '../../paging/bounds.js';
import type { Page } from '../../paging/page.js';
import { publicTimeline } from '../../timelines/public.js';
import { tagTimeline } from '../../timelines/tag.js';
import { notFound } from '../../viewing/visible.js';
import type { VisibleStatus } from '../../viewing/visible-status.js';
import { boundsOf, neighbours, pagedQuery } from './finding.js';
import { readerOf } from './reader.js';

type Asked<Q> = Request<unknown, Q, unknown>;
type Shown = Pick<Timeline, 'title' | 'text' | 'path' | 'tabs' | 'feed'>;

async function timeline(
  request: Asked<PageQuery>,
  bounds: PageBounds,
  page: Page<VisibleStatus>,
  describe: (site: Awaited<ReturnType<typeof siteOf>>, reader: Awaited<ReturnType<typeof readerOf>>) => Shown,
): Promise<Answer> {
  const { services } = request;
  const [site, reader, posts] = await Promise.all([
    siteOf(services),
    readerOf(request),
    services.pages.pieces(services, undefined, page.items),
  ]);
  const shown = describe(site, reader);
  const links = neighbours(shown.path, bounds, page);
  const parts = [links.newer, links.older, ...posts.flatMap((one) => one ?? [])];
  return cachedPage({ site, reader, parts }, (to) => timelinePage(site, to, { ...shown, posts, ...links }));
}

const publicList = (path: string, whose: 'all' | 'local'): AnyRoute =>
  route({
    method: 'GET',
    path,
    auth: 'none',
    query: pagedQuery,
    handle: async (request) => {
      const bounds = boundsOf(request.query);
      const page = await publicTimeline(request.services, undefined, bounds, whose);
      return timeline(request, bounds, page, ({ title }, { texts: { lists } }) => ({
        title: whose === 'local' ? lists.local : lists.everybody,
        text: whose === 'local' ? lists.localText(title) : lists.everybodyText,
        path,
        tabs: [
          { path: '/public/local', text: lists.local },
          { path: '/public', text: lists.everybody },
        ],
        feed: undefined,
      }));
    },
  });

const TAG_CHARS_MAX = 500;
const FEED_ENDING = '.rss';
const FEED_BOUNDS: PageBounds = { before: undefined, after: undefined, upwards: false, limit: 20 };

/** Posts with a hashtag; with the ending `.rss` as a feed. */
const tag = route({
  method: 'GET',
  path: '/tags/:name',
  auth: 'none',
  params: Type.Object({ name: Type.String({ minLength: 1, maxLength: TAG_CHARS_MAX }) }),
  query: pagedQuery,
  handle: async (request) => {
    const { services, query, params } = request;
    const isFeed = params.name.endsWith(FEED_ENDING);
    const name = isFeed ? params.name.slice(0, -FEED_ENDING.length) : params.name;
    const wish = tagWish(name, {});
    if (wish === undefined) return notFound();
    const bounds = isFeed ? FEED_BOUNDS : boundsOf(query);
    const page = await tagTimeline(services, undefined, wish, bounds);
    if (isFeed) {
      const list = await services.pages.list(services, undefined, page.items);
      return tagFeed(await siteOf(services), name, JSON.parse(list.toString()));
    }
    const path = `/tags/${encodeURIComponent(name)}`;
    return timeline(request, bounds, page, (_site, { texts: { lists } }) => ({
      title: lists.tag(name),
      text: undefined,
      path,
      tabs: [],
      feed: `${path}${FEED_ENDING}`,
    }));
  },
});

/** Entries of each section. */
const EXPLORED = 10;

const explore = route({
  method: 'GET',
  path: '/explore',
  auth: 'none',
  handle: async (request) => {
    const read = async <T>(path: string, query = `limit=${EXPLORED}`): Promise<readonly T[]> => {
      const { status, body } = await request.api<readonly T[]>(undefined, { method: 'GET', path, query });
      return status === 200 ? body : [];
    };
    const [tags, links, posts, people] = await Promise.all([
      read<Explored['tags'][number]>('/api/v1/trends/tags'),
      read<Explored['links'][number]>('/api/v1/trends/links'),
      read<Explored['posts'][number]>('/api/v1/trends/statuses'),
      read<Account>('/api/v1/directory', `limit=${EXPLORED}&order=active`),
    ]);
    const [site, reader] = await Promise.all([siteOf(request.services), readerOf(request)]);
    return explorePage(site, reader, { tags, links, posts, people });
  },
});

/** People on a page of the directory, and pages that lead on. */
const DIRECTORY_PAGE = 40;
const DIRECTORY_OFFSET_MAX = 10_000;

const directory = route({
  method: 'GET',
  path: '/directory',
  auth: 'none',
  query: Type.Object({
    order: Type.Union([Type.Literal('active'), Type.Literal('new')], { default: 'active' }),
    local: Type.Boolean({ default: true }),
    offset: Type.Integer({ minimum: 0, maximum: DIRECTORY_OFFSET_MAX, default: 0, clamp: true }),
  }),
  handle: async (request) => {
    const { order, local, offset } = request.query;
    const { body, status } = await request.api<Account[]>(undefined, {
      method: 'GET',
      path: '/api/v1/directory',
      query: `order=${order}&local=${local}&offset=${offset}&limit=${DIRECTORY_PAGE}`,
    });
    const accounts = status === 200 ? body : [];
    const at = (from: number) => `/directory?order=${order}&local=${local}&offset=${from}`;
    const [site, reader] = await Promise.all([siteOf(request.services), readerOf(request)]);
    return directoryPage(site, reader, {
      accounts,
      order,
      isLocal: local,
      older: accounts.length < DIRECTORY_PAGE ? undefined : at(offset + DIRECTORY_PAGE),
      newer: offset === 0 ? undefined : at(Math.max(0, offset - DIRECTORY_PAGE)),
    });
  },
});

/** Public timelines, hashtags, popular things and people. */
export const listPageRoutes: readonly AnyRoute[] = [
  publicList('/public', 'all'),
  publicList('/public/local', 'local'),
  tag,
  explore,
  directory,
];
