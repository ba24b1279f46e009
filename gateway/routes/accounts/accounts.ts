import { type Static, Type } from '@sinclair/typebox';
import { storedId } from '../../../actors/domain/ids.js';
import { isProblem, type Problem } from '../../../actors/domain/problem.js';
import { QUOTE_POLICY_DEFAULT } from '../../../actors/domain/quoting.js';
import { isPublished, isSuspended } from '../../../actors/domain/standing.js';
import { namedHashtag } from '../../../actors/domain/text/hashtag.js';
import type { StoreAccountRecord } from '../../../proto/gen/types.js';
import { findAccount } from '../../discovery/find-remote.js';
import { entity, nullable, oneOf, VISIBILITIES } from '../../http/entity.js';
import { JsonPieces } from '../../http/json-pieces.js';
import { type Answer, type AnyRoute, JsonText, json, type Request, route } from '../../http/route.js';
import type { Services } from '../../http/services.js';
import { Account } from '../../pages/account/account.js';
import { withApproval } from '../../pages/account/feature-approval.js';
import { withTarget } from '../../pages/account/moved.js';
import { Relationship, relationshipsJson } from '../../pages/account/relationship.js';
import { accountList, idParams, statusPage } from '../../pages/answers.js';
import { Status } from '../../pages/status/status.js';
import { idText, pageBounds, pageProperties } from '../../paging/bounds.js';
import { type Soon, soon } from '../../paging/soon.js';
import { accountTimeline } from '../../timelines/account.js';
import { PLACES } from '../../viewing/judge.js';
import { loadAccounts } from '../../viewing/people-at-hand.js';
import { lensOf, notFound, publishedAccount, visibleById } from '../../viewing/visible.js';

/** The REST API's Preferences. */
const Preferences = entity('Preferences', {
  'posting:default:sensitive': Type.Boolean(),
  'posting:default:visibility': oneOf(...VISIBILITIES),
  'reading:expand:media': oneOf('default', 'show_all', 'hide_all'),
  'reading:expand:spoilers': Type.Boolean(),
  'reading:autoplay:gifs': Type.Boolean(),
  'posting:default:language': nullable(Type.String()),
  'posting:default:quote_policy': oneOf('public', 'followers', 'nobody'),
});

/** Accounts in one request. Bounds one read of the store; clients request a page of accounts, at most 80. */
export const ACCOUNTS_ASKED_MAX = 200;
/** Longest `user@domain`: a username and a domain name at their maximum lengths fit. */
export const ACCT_CHARS_MAX = 300;
const TAG_CHARS_MAX = 500;

const getAccount = route({
  method: 'GET',
  path: '/api/v1/accounts/:id',
  auth: 'optional',
  scope: 'read:accounts',
  params: idParams,
  answer: Account,
  handle: async ({ services, viewer, params }) =>
    oneAccount(services, viewer, await publishedAccount(services, params.id)),
});

/** Renders one account, with the permission of the viewer to add it to a collection. */
function oneAccount(
  services: Pick<Services, 'pages' | 'lenses' | 'limits' | 'tables'>,
  viewer: string | undefined,
  record: StoreAccountRecord | Problem,
): Soon<Answer<JsonPieces> | Problem> {
  if (isProblem(record)) return record;
  return soon(lensOf(services, viewer), (lens) => {
    const pieces = withApproval(services.pages, record, viewer, lens.relation(record.id));
    if (record.movedTo === undefined || isSuspended(record)) return json(new JsonPieces(pieces));
    return soon(publishedAccount(services, record.movedTo.id), (target) =>
      json(new JsonPieces(isProblem(target) ? pieces : withTarget(services.pages, pieces, target))),
    );
  });
}

const getAccounts = route({
  method: 'GET',
  path: '/api/v1/accounts',
  auth: 'none',
  query: Type.Object({ id: Type.Array(idText(), { default: [], maxItems: ACCOUNTS_ASKED_MAX }) }),
  answer: Type.Array(Account),
  handle: ({ services, query }) => soon(publishedAccounts(services, query.id), (found) => accountList(services, found)),
});

const lookup = route({
  method: 'GET',
  path: '/api/v1/accounts/lookup',
  auth: 'optional',
  scope: 'read:accounts',
  // As in Mastodon, an empty name is not found rather than invalid.
  query: Type.Object({ acct: Type.String({ default: '', maxLength: ACCT_CHARS_MAX }) }),
  answer: Account,
  handle: async ({ services, viewer, query }) => {
    // Only for signed-in people this server asks others.
    const id = await findAccount(services, query.acct, viewer !== undefined);
    return oneAccount(services, viewer, id === undefined ? notFound() : await publishedAccount(services, id));
  },
});

const relationships = route({
  method: 'GET',
  path: '/api/v1/accounts/relationships',
  auth: 'user',
  scope: 'read:follows',
  query: Type.Object({
    id: Type.Array(idText(), { default: [], maxItems: ACCOUNTS_ASKED_MAX }),
    with_suspended: Type.Optional(Type.Boolean()),
  }),
  answer: Type.Array(Relationship),
  handle: ({ services, viewer = '', query }) =>
    soon(publishedAccounts(services, query.id), (found) => {
      const ids = found.map((record) => record.id);
      return soon(relationshipsJson(services, viewer, ids), (text) => json(new JsonText(text)));
    }),
});

const accountStatusList = route({
  method: 'GET',
  path: '/api/v1/accounts/:id/statuses',
  auth: 'optional',
  scope: 'read:statuses',
  params: idParams,
  query: statusesQuery(),
  answer: Type.Array(Status),
  handle: (request) =>
    soon(publishedAccount(request.services, request.params.id), (record) =>
      isProblem(record) ? record : statusesOf(request, record),
    ),
});

function statusesQuery() {
  return Type.Object({
    ...pageProperties(),
    exclude_replies: Type.Optional(Type.Boolean()),
    exclude_reblogs: Type.Optional(Type.Boolean()),
    only_media: Type.Optional(Type.Boolean()),
    pinned: Type.Optional(Type.Boolean()),
    tagged: Type.Optional(Type.String({ maxLength: TAG_CHARS_MAX })),
  });
}
type StatusesAsked = Static<ReturnType<typeof statusesQuery>>;

function statusesOf(
  request: Request<unknown, StatusesAsked, unknown>,
  record: StoreAccountRecord,
): Soon<Answer<JsonPieces>> {
  const { services, viewer, query } = request;
  const bounds = pageBounds(query);
  // Guests do not make this server fetch anything.
  if (record.remote !== undefined && viewer !== undefined) services.federation.profiles.complete(record);
  if (query.pinned === true) {
    const pinned = [...record.pinnedIds].reverse();
    return soon(visibleById(services, viewer, pinned, PLACES.profile), (seen) => {
      const there = seen.filter((status) => status !== undefined);
      return soon(services.pages.list(services, viewer, there.slice(0, bounds.limit)), (list) => json(list));
    });
  }
  const { exclude_replies, exclude_reblogs, only_media, tagged } = query;
  const wanted = {
    excludeReplies: exclude_replies ?? false,
    excludeReblogs: exclude_reblogs ?? false,
    tagged: tagged ? (namedHashtag(tagged) ?? '') : undefined,
    onlyMedia: only_media ?? false,
  };
  return soon(accountTimeline(services, viewer, record.id, bounds, wanted), (page) =>
    statusPage(request, bounds, page, { exclude_replies, exclude_reblogs, only_media, tagged }),
  );
}

const preferences = route({
  method: 'GET',
  path: '/api/v1/preferences',
  auth: 'user',
  scope: 'read:accounts',
  answer: Preferences,
  handle: async ({ services, viewer = '' }) => {
    const record = await publishedAccount(services, viewer);
    if (isProblem(record)) return record;
    return json({
      'posting:default:visibility': record.profile?.privacy || 'public',
      'posting:default:sensitive': record.profile?.sensitive ?? false,
      'posting:default:language': record.profile?.language || null,
      'posting:default:quote_policy': record.profile?.quotePolicy ?? QUOTE_POLICY_DEFAULT,
      'reading:expand:media': 'default',
      'reading:expand:spoilers': false,
      'reading:autoplay:gifs': false,
    });
  },
});

/** Accounts and their statuses. */
export const accountRoutes: readonly AnyRoute[] = [
  getAccount,
  getAccounts,
  lookup,
  relationships,
  accountStatusList,
  preferences,
];

function publishedAccounts(services: Pick<Services, 'tables'>, ids: readonly string[]): Soon<StoreAccountRecord[]> {
  return soon(loadAccounts(services, ids.map(storedId)), (found) => [...found.values()].filter(isPublished));
}
