import { Type } from '@sinclair/typebox';
import { isProblem, type Problem } from '../../../actors/domain/problem.js';
import { isSuspended } from '../../../actors/domain/standing.js';
import { namedHashtag } from '../../../actors/domain/text/hashtag.js';
import type { StoreAccountRecord } from '../../../proto/gen/types.js';
import { personDocument } from '../../activitypub/actors.js';
import { documentOrPage } from '../../activitypub/signer.js';
import { cachedPage } from '../../html/cached-page.js';
import { personFeed } from '../../html/feeds.js';
import { connectionsPage, type ProfileTab, profilePage } from '../../html/pages/profile-page.js';
import { siteOf } from '../../html/site.js';
import { type Answer, type AnyRoute, type Request, route } from '../../http/route.js';
import type { Services } from '../../http/services.js';
import type { Account } from '../../pages/account/account.js';
import type { PageBounds, PageQuery } from '../../paging/bounds.js';
import { linksOf } from '../../paging/links.js';
import { accountTimeline } from '../../timelines/account.js';
import { hidesEdges } from '../../timelines/follow-lists.js';
import { PLACES } from '../../viewing/judge.js';
import { answered, notFound, publishedAccount, visibleById } from '../../viewing/visible.js';
import {
  accountOf,
  accountPieces,
  boundsOf,
  neighbours,
  pagedQuery,
  personNamed,
  personParams,
  shownAccount,
} from './finding.js';
import { readerOf } from './reader.js';

type Asked<Q = unknown> = Request<{ readonly name: string }, Q, unknown>;

/** Runs `show` for the account at the address. */
const forPerson = async (
  request: Asked,
  show: (record: StoreAccountRecord) => Promise<Answer | Problem>,
): Promise<Answer | Problem> => {
  const record = await personNamed(request.services, request.params.name);
  return isProblem(record) ? record : show(record);
};

type Choice = Omit<Parameters<typeof accountTimeline>[4], 'tagged'>;

/** Returns the statuses of a tab. The owner may leave replies to others out of the media. */
function choiceOf(tab: ProfileTab, { profile }: StoreAccountRecord): Choice {
  if (tab !== 'media') return { excludeReplies: tab === 'posts', excludeReblogs: false };
  return { excludeReplies: profile?.hideMediaReplies === true, excludeReblogs: true, onlyMedia: true };
}

async function profile(
  request: Asked<PageQuery>,
  record: StoreAccountRecord,
  tab: ProfileTab,
  tagged?: string,
): Promise<Answer> {
  const { services, query, url } = request;
  const bounds = boundsOf(query);
  const [site, reader, pieces, page] = await Promise.all([
    siteOf(services),
    readerOf(request),
    accountPieces(services, record),
    accountTimeline(services, undefined, record.id, bounds, { ...choiceOf(tab, record), tagged }),
  ]);
  const isFirst = bounds.before === undefined && bounds.after === undefined;
  const isFront = tab === 'posts' && tagged === undefined && isFirst;
  const [posts, pinned, tags, featured] = await Promise.all([
    services.pages.pieces(services, undefined, page.items),
    isFront ? pinnedOf(services, record) : [],
    featuredTagsOf(request, record),
    isFront ? featuredPeopleOf(request, record) : [],
  ]);
  const links = neighbours(url.split('?', 1)[0] ?? '', bounds, page);
  const shown = [
    ...pieces,
    'pinned',
    ...pinned.flatMap((one) => one ?? []),
    'featured',
    ...featured.flatMap(({ pieces }) => pieces),
    'posts',
    ...posts.flatMap((one) => one ?? []),
  ];
  const parts = [tab, tagged, links.newer, links.older, tags.map(({ name }) => name).join(' '), record, ...shown];
  return cachedPage({ site, reader, parts }, (to) => {
    const account = accountOf(pieces);
    const people = featured.map(({ pieces }) => accountOf(pieces));
    return profilePage(site, to, { account, tab, tagged, posts, pinned, tags, featured: people, ...links });
  });
}

async function pinnedOf(services: Services, { pinnedIds }: StoreAccountRecord) {
  if (pinnedIds.length === 0) return [];
  const seen = await visibleById(services, undefined, [...pinnedIds].reverse(), PLACES.profile);
  return services.pages.pieces(services, undefined, seen);
}

async function featuredTagsOf({ api }: Asked, { id }: StoreAccountRecord) {
  const { status, body } = await api<{ readonly name: string }[]>(undefined, {
    method: 'GET',
    path: `/api/v1/accounts/${id}/featured_tags`,
  });
  return status === 200 ? body : [];
}

/** Featured people on a page; the API lists more. */
const FEATURED_MAX = 12;

/** Returns the people whom a person features, as everybody sees them. */
async function featuredPeopleOf({ services }: Asked, { id, profile }: StoreAccountRecord) {
  if (profile?.hideFeatured === true) return [];
  const bounds = { ...FEED_BOUNDS, limit: FEATURED_MAX };
  const { edges } = answered(await services.askAccount(id, 'endorsements', bounds));
  const people = await Promise.all(edges.map(({ account }) => publishedAccount(services, account)));
  const shown = people.flatMap((one) => (isProblem(one) || isSuspended(one) ? [] : [one]));
  return shown.map((one) => ({ pieces: [services.pages.account(one)] }));
}

const tab = (path: string, which: ProfileTab): AnyRoute =>
  route({
    method: 'GET',
    path,
    auth: 'none',
    params: Type.Object(personParams),
    query: pagedQuery,
    handle: (request) =>
      forPerson(request, async (record) => {
        const isHidden = which === 'media' && record.profile?.hideMedia === true;
        return isHidden ? notFound() : profile(request, record, which);
      }),
  });

/** Longest hashtag in an address. */
const TAG_CHARS_MAX = 500;

/** A person's posts with a hashtag that they feature. */
const taggedPosts = route({
  method: 'GET',
  path: '/@:name/tagged/:tag',
  auth: 'none',
  params: Type.Object({ ...personParams, tag: Type.String({ minLength: 1, maxLength: TAG_CHARS_MAX }) }),
  query: pagedQuery,
  handle: (request) => {
    const name = namedHashtag(request.params.tag);
    return name === undefined
      ? notFound()
      : forPerson(request, (record) => profile(request, record, 'with_replies', name));
  },
});

/** The page of a person; for other servers the document; with the ending `.rss` the feed. */
const person = route({
  method: 'GET',
  path: '/@:name',
  auth: 'none',
  params: Type.Object(personParams),
  query: pagedQuery,
  handle: (request) => {
    const { params } = request;
    if (params.name.endsWith('.rss')) return feed(request);
    return documentOrPage<{ name: string }, PageQuery, unknown>(personDocument, (asked) =>
      forPerson(asked, (record) => profile(asked, record, 'posts')),
    )(request);
  },
});

/** Posts in a feed: what a reader fetches each hour. */
const FEED_POSTS = 20;
const FEED_BOUNDS: PageBounds = { before: undefined, after: undefined, upwards: false, limit: FEED_POSTS };

async function feed(request: Asked): Promise<Answer | Problem> {
  const { services, params } = request;
  const record = await personNamed(services, params.name.slice(0, -'.rss'.length));
  if (isProblem(record)) return record;
  const options = { excludeReplies: true, excludeReblogs: true, tagged: undefined };
  const page = await accountTimeline(services, undefined, record.id, FEED_BOUNDS, options);
  const [site, account, list] = await Promise.all([
    siteOf(services),
    shownAccount(services, record),
    services.pages.list(services, undefined, page.items),
  ]);
  return personFeed(site, account, JSON.parse(list.toString()));
}

const connections = (kind: 'followers' | 'following'): AnyRoute =>
  route({
    method: 'GET',
    path: `/@:name/${kind}`,
    auth: 'none',
    params: Type.Object(personParams),
    query: pagedQuery,
    handle: (request) =>
      forPerson(request, async (record) => {
        const { services, api, url } = request;
        const query = url.split('?', 2)[1] ?? '';
        const isHidden = await hidesEdges(services, undefined, record);
        const [site, reader, account, list] = await Promise.all([
          siteOf(services),
          readerOf(request),
          shownAccount(services, record),
          api<Account[]>(undefined, { method: 'GET', path: `/api/v1/accounts/${record.id}/${kind}`, query }),
        ]);
        const links = linksOf(list.link, url);
        const accounts = list.status === 200 ? list.body : [];
        return connectionsPage(site, reader, { account, kind, isHidden, accounts, ...links });
      }),
  });

/** Pages of people, also of those of other servers who are known here. */
export const personPageRoutes: readonly AnyRoute[] = [
  person,
  tab('/@:name/with_replies', 'with_replies'),
  tab('/@:name/media', 'media'),
  taggedPosts,
  connections('followers'),
  connections('following'),
];
