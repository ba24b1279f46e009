import { Type } from '@sinclair/typebox';
import { accountUri, accountUrl } from '../../actors/domain/addresses.js';
import { isProblem } from '../../actors/domain/problem.js';
import { isSuspended, isThere } from '../../actors/domain/standing.js';
import { actorAddresses } from '../../actors/federation/documents/actor.js';
import { hashtagDocument } from '../../actors/federation/documents/hashtag.js';
import type { StoreAccountRecord } from '../../proto/gen/types.js';
import { type AnyRoute, route } from '../http/route.js';
import type { Services } from '../http/services.js';
import { statusesTold } from '../pages/account/account.js';
import { boundText, type PageBounds, pageBounds } from '../paging/bounds.js';
import { emptyPage, type Page } from '../paging/page.js';
import { accountTimeline } from '../timelines/account.js';
import { type Edge, hidesEdges, readFollowers, readFollowing } from '../timelines/follow-lists.js';
import { PLACES } from '../viewing/judge.js';
import { loadAccounts } from '../viewing/people-at-hand.js';
import { answered, visibleById } from '../viewing/visible.js';
import { nameParams } from './actors.js';
import { activityAnswer } from './answering.js';
import { visibleObjects } from './objects.js';
import { ownerNamed } from './owners.js';
import { authorized } from './signer.js';

/** Items of one page: bounds the work of one request. */
const PAGE_ITEMS = 40;

/** A page is requested by `page`, and continued as pages of the REST API are. */
const pageAsked = Type.Object({
  page: Type.Optional(Type.String({ maxLength: 10 })),
  max_id: Type.Optional(boundText()),
  min_id: Type.Optional(boundText()),
});

/** The ordered items of one page of a collection. */
type Items = Page<string | object>;

interface Collection {
  /** Last part of its address; its key in `actorAddresses`. */
  readonly name: 'outbox' | 'followers' | 'following';
  readonly total: (owner: StoreAccountRecord) => number;
  /** True: the collection shows its size only. */
  readonly isHidden: (services: Services, owner: StoreAccountRecord) => boolean | Promise<boolean>;
  readonly read: (services: Services, owner: StoreAccountRecord, bounds: PageBounds) => Promise<Items>;
}

/** Serves a collection: its size and first page, or one of its pages. Source: Activity Streams 2.0 §5. */
const serve = ({ name, total, isHidden, read }: Collection): AnyRoute =>
  route({
    method: 'GET',
    path: `/users/:name/${name}`,
    auth: 'none',
    params: Type.Object(nameParams),
    query: pageAsked,
    handle: authorized(async ({ services, params, query }) => {
      const owner = await ownerNamed(services, params.name);
      if (isProblem(owner)) return owner;
      const id = actorAddresses(accountUri(services.instance.baseUrl, owner))[name];
      const totalItems = isSuspended(owner) ? 0 : total(owner);
      const hidden = await isHidden(services, owner);
      if (query.page === undefined) {
        const pages = hidden ? {} : { first: `${id}?page=true` };
        return activityAnswer({ id, type: 'OrderedCollection', totalItems, ...pages });
      }
      const bounds = pageBounds({ ...query, limit: PAGE_ITEMS });
      const { items, newest, oldest, more } = hidden ? emptyPage : await read(services, owner, bounds);
      return activityAnswer({
        id: `${id}?page=true${query.max_id === undefined ? '' : `&max_id=${query.max_id}`}`,
        type: 'OrderedCollectionPage',
        partOf: id,
        totalItems,
        ...(oldest === undefined || !more ? {} : { next: `${id}?page=true&max_id=${oldest}` }),
        ...(newest === undefined ? {} : { prev: `${id}?page=true&min_id=${newest}` }),
        orderedItems: items,
      });
    }),
  });

const outbox = serve({
  name: 'outbox',
  total: statusesTold,
  isHidden: (_services, owner) => isSuspended(owner),
  async read(services, owner, bounds) {
    const everything = { excludeReplies: false, excludeReblogs: false, tagged: undefined };
    const page = await accountTimeline(services, undefined, owner.id, bounds, everything);
    return { ...page, items: await visibleObjects(services, owner, page.items, 'activity') };
  },
});

const followers = serve({
  name: 'followers',
  total: (owner) => owner.followers,
  isHidden: (services, owner) => hidesEdges(services, undefined, owner),
  read: async (services, owner, bounds) => addressed(services, await readFollowers(services, owner.id, bounds)),
});

const following = serve({
  name: 'following',
  total: (owner) => owner.following,
  isHidden: (services, owner) => hidesEdges(services, undefined, owner),
  read: async (services, owner, bounds) => addressed(services, await readFollowing(services, owner.id, bounds)),
});

/** Converts accounts to their addresses, without suspended ones. */
async function addressed(services: Pick<Services, 'tables' | 'instance'>, page: Page<Edge>): Promise<Items> {
  const ids = page.items.map(({ accountId }) => accountId);
  const records = await loadAccounts(services, ids);
  const shown = ids.flatMap((id) => records.get(id) ?? []).filter(isThere);
  return { ...page, items: shown.map((record) => accountUri(services.instance.baseUrl, record)) };
}

/** Pinned statuses, latest pinned first, as whole objects: there are at most PINS_MAX. */
const featured = route({
  method: 'GET',
  path: '/users/:name/collections/featured',
  auth: 'none',
  params: Type.Object(nameParams),
  handle: authorized(async ({ services, params }) => {
    const owner = await ownerNamed(services, params.name);
    if (isProblem(owner)) return owner;
    const pinned = isSuspended(owner) ? [] : [...owner.pinnedIds].reverse();
    const seen = await visibleById(services, undefined, pinned, PLACES.profile);
    const shown = seen.filter((status) => status !== undefined);
    const orderedItems = await visibleObjects(services, owner, shown, 'object');
    const id = actorAddresses(accountUri(services.instance.baseUrl, owner)).featured;
    return activityAnswer({ id, type: 'OrderedCollection', totalItems: orderedItems.length, orderedItems });
  }),
});

/** Featured hashtags, most recently used first: there are at most FEATURED_TAGS_MAX. */
const featuredTags = route({
  method: 'GET',
  path: '/users/:name/collections/tags',
  auth: 'none',
  params: Type.Object(nameParams),
  handle: authorized(async ({ services, params }) => {
    const owner = await ownerNamed(services, params.name);
    if (isProblem(owner)) return owner;
    const { baseUrl } = services.instance;
    const featured = isSuspended(owner)
      ? []
      : answered(await services.askAccount(owner.id, 'featuredTags', {})).featured;
    const items = featured.map(({ name }) => hashtagDocument(accountUrl(baseUrl, owner), name));
    const id = actorAddresses(accountUri(baseUrl, owner)).featuredTags;
    return activityAnswer({ id, type: 'Collection', totalItems: items.length, items });
  }),
});

export const collectionDocumentRoutes: readonly AnyRoute[] = [outbox, followers, following, featured, featuredTags];
