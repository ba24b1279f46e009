import { Type } from '@sinclair/typebox';
import { eachBounded } from '../../../actors/domain/each-bounded.js';
import { storedId } from '../../../actors/domain/ids.js';
import { isProblem, problem } from '../../../actors/domain/problem.js';
import type { StoreAccountRecord } from '../../../proto/gen/types.js';
import { findAccounts } from '../../discovery/find-accounts.js';
import { resolveRemote } from '../../discovery/find-remote.js';
import { findStatuses } from '../../discovery/find-statuses.js';
import { findTags } from '../../discovery/find-tags.js';
import { type Found, localEntity } from '../../discovery/local-address.js';
import { trendReviews } from '../../discovery/trend-reviews.js';
import { entity, nullable } from '../../http/entity.js';
import { JsonPieces } from '../../http/json-pieces.js';
import { type Answer, type AnyRoute, json, type Request, route } from '../../http/route.js';
import type { Services } from '../../http/services.js';
import { Account } from '../../pages/account/account.js';
import { approvedAccounts } from '../../pages/answers.js';
import { Collection, renderCollection } from '../../pages/status/collection.js';
import { Status } from '../../pages/status/status.js';
import { arrayOf } from '../../pages/status/status-pages.js';
import { Tag } from '../../pages/status/tag.js';
import { boundOf, boundText, idText, limitQuery } from '../../paging/bounds.js';
import { READS_AT_ONCE_MAX } from '../../paging/cursor.js';
import { type Soon, soon, together } from '../../paging/soon.js';
import type { ReadServices } from '../../viewing/read-services.js';
import { visibleStatus } from '../../viewing/visible.js';
import type { VisibleStatus } from '../../viewing/visible-status.js';

/** The REST API's Search. */
const Search = entity('Search', {
  accounts: Type.Array(Account),
  hashtags: Type.Array(Tag),
  statuses: Type.Array(Status),
  collections: Type.Optional(nullable(Type.Array(Collection))),
});

/** Longest query: no name, address or useful sentence is longer. */
const QUESTION_CHARS_MAX = 500;
/** Largest offset. Each page repeats the search, and nobody pages further. */
const OFFSET_MAX = 1_000;
const RESULTS = { limitDefault: 20, limitMax: 40 };

const TYPES = ['accounts', 'hashtags', 'statuses'] as const;
type Kind = (typeof TYPES)[number];

const question = () => Type.String({ maxLength: QUESTION_CHARS_MAX });
const offset = () => Type.Integer({ minimum: 0, maximum: OFFSET_MAX, default: 0, clamp: true });

interface Wanted {
  readonly q: string;
  readonly type?: Kind | undefined;
  readonly limit: number;
  readonly offset: number;
  readonly following?: boolean | undefined;
  readonly account_id?: string | undefined;
  readonly exclude_unreviewed?: boolean | undefined;
  readonly max_id?: string | undefined;
  readonly min_id?: string | undefined;
  readonly resolve?: boolean | undefined;
}

const search = route({
  method: 'GET',
  path: '/api/v2/search',
  auth: 'optional',
  scope: 'read:search',
  query: Type.Object({
    q: question(),
    type: Type.Optional(Type.Union(TYPES.map((name) => Type.Literal(name)))),
    resolve: Type.Optional(Type.Boolean()),
    following: Type.Optional(Type.Boolean()),
    exclude_unreviewed: Type.Optional(Type.Boolean()),
    account_id: Type.Optional(idText()),
    max_id: Type.Optional(boundText()),
    min_id: Type.Optional(boundText()),
    offset: offset(),
    limit: limitQuery(RESULTS.limitDefault, RESULTS.limitMax),
  }),
  answer: Search,
  handle: ({ services, viewer, query }) => {
    if (viewer === undefined && query.offset > 0)
      return problem('unauthorized', 'Search queries pagination is not supported without authentication');
    if (viewer === undefined && query.resolve === true)
      return problem(
        'unauthorized',
        'Search queries that resolve remote resources are not supported without authentication',
      );
    const { others } = services.pages;
    return soon(results(services, viewer, query), (found) => {
      const tags = found.hashtags.map(({ name, history, following }) => others.tag(name, history, following));
      return foundAnswer(services, viewer, found, arrayOf(tags));
    });
  },
});

/** Search in its oldest form, with hashtags as plain names. */
const oldSearch = route({
  method: 'GET',
  path: '/api/v1/search',
  auth: 'user',
  scope: 'read:search',
  query: Type.Object({
    q: question(),
    resolve: Type.Optional(Type.Boolean()),
    limit: limitQuery(RESULTS.limitDefault, RESULTS.limitMax),
  }),
  answer: Type.Object({
    accounts: Type.Array(Account),
    statuses: Type.Array(Status),
    hashtags: Type.Array(Type.String()),
  }),
  handle: ({ services, viewer, query }) =>
    soon(results(services, viewer, { q: query.q, limit: query.limit, offset: 0, resolve: query.resolve }), (found) => {
      const tags = Buffer.from(JSON.stringify(found.hashtags.map(({ name }) => name)));
      return foundAnswer(services, viewer, found, [tags]);
    }),
});

const accountSearch = route({
  method: 'GET',
  path: '/api/v1/accounts/search',
  auth: 'user',
  scope: 'read:accounts',
  query: Type.Object({
    q: question(),
    following: Type.Optional(Type.Boolean()),
    resolve: Type.Optional(Type.Boolean()),
    offset: offset(),
    limit: limitQuery(40, 80),
  }),
  answer: Type.Array(Account),
  handle: ({ services, viewer, query }: Request<unknown, Wanted, unknown>) => {
    const wanted = { limit: query.limit, offset: query.offset, following: query.following ?? false };
    const asked = query.resolve === true && query.offset === 0 ? resolveRemote(services, query.q.trim()) : undefined;
    const found = soon(asked, () => findAccounts(services, viewer, query.q, wanted));
    return soon(found, (found) =>
      soon(approvedAccounts(services, viewer, found), (people) => json(new JsonPieces(people))),
    );
  },
});

/** Search for people, hashtags and statuses. */
export const searchRoutes: readonly AnyRoute[] = [search, oldSearch, accountSearch];

const ACCOUNTS = Buffer.from('{"accounts":');
const STATUSES = Buffer.from(',"statuses":');
const HASHTAGS = Buffer.from(',"hashtags":');
const END = Buffer.from('}');

function foundAnswer(
  services: ReadServices & Pick<Services, 'pages'>,
  viewer: string | undefined,
  { accounts, statuses, collections = [] }: Found,
  hashtags: readonly Uint8Array[],
): Soon<Answer<JsonPieces>> {
  const rendered = collections.map((one) => renderCollection(services.instance, one));
  const more = rendered.length === 0 ? [] : [Buffer.from(`,"collections":${JSON.stringify(rendered)}`)];
  return soon(approvedAccounts(services, viewer, accounts), (people) =>
    soon(services.pages.list(services, viewer, statuses), ({ pieces }) =>
      json(new JsonPieces([ACCOUNTS, ...people, STATUSES, ...pieces, HASHTAGS, ...hashtags, ...more, END])),
    ),
  );
}

function results(
  services: ReadServices &
    Pick<Services, 'tagHistories' | 'latestRows' | 'wordLists' | 'entries' | 'registry' | 'caches' | 'federation'>,
  viewer: string | undefined,
  query: Wanted,
): Soon<Found> {
  const q = query.q.trim();
  const isResolved = query.resolve === true && viewer !== undefined && query.offset === 0;
  const remote = isResolved ? atRemote(services, viewer, q, query.type) : undefined;
  return soon(localEntity(services, viewer, q), (named) =>
    soon(named ?? remote, (known) => known ?? lookedFor(services, viewer, q, query)),
  );
}

/**
 * Returns what another server has at an address; undefined for other queries. A name is only made known, and the search
 * then finds it.
 */
async function atRemote(
  services: ReadServices & Pick<Services, 'registry' | 'federation'>,
  viewer: string,
  q: string,
  type: Kind | undefined,
): Promise<Found | undefined> {
  const found = await resolveRemote(services, q);
  if (found === undefined || !q.includes('://')) return undefined;
  if ('account' in found)
    return type === undefined || type === 'accounts' ? { ...NOTHING, accounts: [found.account] } : NOTHING;
  const seen = await visibleStatus(services, viewer, found.statusId);
  const isWanted = type === undefined || type === 'statuses';
  return isWanted && !isProblem(seen) ? { ...NOTHING, statuses: [seen] } : NOTHING;
}

const NOTHING: Found = { accounts: [], statuses: [], hashtags: [] };

function lookedFor(
  services: ReadServices &
    Pick<Services, 'tagHistories' | 'latestRows' | 'wordLists' | 'entries' | 'registry' | 'caches'>,
  viewer: string | undefined,
  q: string,
  query: Wanted,
): Soon<Found> {
  const wants = (kind: Kind) => q !== '' && (query.type === undefined || query.type === kind);
  const { limit, offset: from } = query;
  const found = together<[readonly StoreAccountRecord[], readonly string[], readonly VisibleStatus[]]>([
    wants('accounts')
      ? findAccounts(services, viewer, q, { limit, offset: from, following: query.following ?? false })
      : [],
    wants('hashtags') ? hashtagsFor(services, q, query) : [],
    wants('statuses') && viewer !== undefined
      ? findStatuses(services, viewer, q, {
          limit,
          offset: from,
          accountId: stored(query.account_id),
          before: bound(query.max_id),
          after: bound(query.min_id),
        })
      : [],
  ]);
  return soon(found, ([accounts, tags, statuses]) =>
    tags.length === 0 ? { accounts, statuses, hashtags: [] } : withUses(services, viewer, tags, { accounts, statuses }),
  );
}

function hashtagsFor(services: Pick<Services, 'entries' | 'tables'>, q: string, query: Wanted): Soon<string[]> {
  const reviewed = query.exclude_unreviewed === true ? trendReviews(services.entries) : undefined;
  return soon(reviewed, (reviews) => {
    const keep = (name: string) => reviews?.shows('tag', name) ?? true;
    return findTags(services.tables, q, { limit: query.limit, offset: query.offset, keep });
  });
}

async function withUses(
  services: Pick<Services, 'tagHistories' | 'lenses'>,
  viewer: string | undefined,
  tags: readonly string[],
  found: Pick<Found, 'accounts' | 'statuses'>,
): Promise<Found> {
  const [histories, lens] = await Promise.all([
    eachBounded(tags, READS_AT_ONCE_MAX, (name) => services.tagHistories.of(name)),
    viewer === undefined ? undefined : services.lenses.of(viewer),
  ]);
  const hashtags = tags.map((name, index) => {
    return { name, history: histories[index] ?? [], following: lens?.lens.followsTag(name) };
  });
  return { ...found, hashtags };
}

const stored = (id: string | undefined) => (id === undefined ? undefined : storedId(id));
const bound = (id: string | undefined) => (id === undefined ? undefined : boundOf(id));
