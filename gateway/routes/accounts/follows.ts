import { Type } from '@sinclair/typebox';
import { storedId } from '../../../actors/domain/ids.js';
import { isProblem } from '../../../actors/domain/problem.js';
import { isSuspended } from '../../../actors/domain/standing.js';
import { statusLanguage } from '../../../actors/domain/text/language.js';
import { accounts } from '../../../store/tables.js';
import { refreshRemote } from '../../discovery/find-remote.js';
import { type AnyRoute, json, route } from '../../http/route.js';
import type { Services } from '../../http/services.js';
import { Account } from '../../pages/account/account.js';
import { Relationship, renderRelationshipTo } from '../../pages/account/relationship.js';
import { accountPage, idParams } from '../../pages/answers.js';
import { type PageBounds, pageBounds, pageQuery } from '../../paging/bounds.js';
import { emptyPage, type Page, pageOf } from '../../paging/page.js';
import { type Soon, soon } from '../../paging/soon.js';
import { type Edge, hidesEdges, readFollowers, readFollowing } from '../../timelines/follow-lists.js';
import { answered, notFound, publishedAccount } from '../../viewing/visible.js';
import { acting } from './acting.js';

const WRITE_FOLLOWS = ['write:follows', 'follow'];
const WRITE_BLOCKS = ['write:blocks', 'follow'];
/** Languages of a follow that are read; ISO 639 has fewer two-letter codes. */
const LANGUAGES_MAX = 200;

const Follow = Type.Object({
  reblogs: Type.Optional(Type.Boolean()),
  notify: Type.Optional(Type.Boolean()),
  languages: Type.Optional(Type.Array(Type.String({ maxLength: 20 }), { maxItems: LANGUAGES_MAX })),
});
const follow = acting('follow', WRITE_FOLLOWS, Follow, async (services, viewer, target, body) => {
  if (isSuspended(target)) return notFound();
  refreshRemote(services, target);
  if (target.remote !== undefined) services.federation.profiles.complete(target);
  return services.askAccount(viewer, 'follow', {
    target: target.id,
    targetLocked: target.profile?.locked ?? false,
    reblogs: body.reblogs,
    notify: body.notify,
    limit: limitOf(body.languages),
  });
});

const unfollow = acting('unfollow', WRITE_FOLLOWS, undefined, (services, viewer, { id }) =>
  services.askAccount(viewer, 'unfollow', { target: id }),
);
const block = acting('block', WRITE_BLOCKS, undefined, (services, viewer, { id }) =>
  services.askAccount(viewer, 'block', { target: id }),
);
const unblock = acting('unblock', WRITE_BLOCKS, undefined, (services, viewer, { id }) =>
  services.askAccount(viewer, 'unblock', { target: id }),
);

const followerList = edgeList('followers', readFollowers);
const followingList = edgeList('following', readFollowing);

const requestList = route({
  method: 'GET',
  path: '/api/v1/follow_requests',
  auth: 'user',
  scope: ['read:follows', 'follow'],
  query: pageQuery(40, 80),
  answer: Type.Array(Account),
  handle: async (request) => {
    const { services, viewer = '', query } = request;
    const { requests } = answered(await services.askAccount(viewer, 'followRequests', {}));
    const rows = requests.map(({ edgeId, follower }) => ({ id: edgeId, accountId: follower }));
    const bounds = pageBounds(query);
    return accountPage(request, bounds, pageOf(rows, bounds));
  },
});

const authorize = answerRequest('authorize', 'authorizeFollow');
const reject = answerRequest('reject', 'rejectFollow');

/** Follows, follow requests and blocks. */
export const followRoutes: readonly AnyRoute[] = [
  follow,
  unfollow,
  block,
  unblock,
  followerList,
  followingList,
  requestList,
  authorize,
  reject,
];

function answerRequest(verb: string, command: 'authorizeFollow' | 'rejectFollow'): AnyRoute {
  return route({
    method: 'POST',
    path: `/api/v1/follow_requests/:id/${verb}`,
    auth: 'user',
    scope: WRITE_FOLLOWS,
    params: idParams,
    answer: Relationship,
    handle: async ({ services, viewer = '', params }) => {
      const follower = storedId(params.id);
      // A second answer to a request is no error; an answer to an unknown account is.
      if ((await services.tables.get(accounts, { account: follower })) === undefined) return notFound();
      const reply = await services.askAccount(viewer, command, { follower });
      return isProblem(reply) ? reply : json(await renderRelationshipTo(services, viewer, follower));
    },
  });
}

type ReadEdges = (services: Services, account: string, bounds: PageBounds) => Soon<Page<Edge>>;

function edgeList(name: string, read: ReadEdges): AnyRoute {
  return route({
    method: 'GET',
    path: `/api/v1/accounts/:id/${name}`,
    auth: 'optional',
    scope: 'read:accounts',
    params: idParams,
    query: pageQuery(40, 80),
    answer: Type.Array(Account),
    handle: (request) => {
      const { services, viewer, params, query } = request;
      const bounds = pageBounds(query);
      return soon(publishedAccount(services, params.id), (record) => {
        if (isProblem(record)) return notFound();
        return soon(hidesEdges(services, viewer, record), (isHidden) =>
          soon(isHidden ? emptyPage : read(services, record.id, bounds), (page) => accountPage(request, bounds, page)),
        );
      });
    },
  });
}

/** Normalizes languages to the codes that statuses use. Forms send an empty name for an empty list. */
function limitOf(languages: readonly string[] | undefined) {
  return languages === undefined
    ? undefined
    : { languages: languages.filter((one) => one !== '').map((one) => statusLanguage(one) ?? one) };
}
