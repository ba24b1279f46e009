import { Type } from '@sinclair/typebox';
import { LIST_TITLE_CHARS_MAX, REPLIES_POLICIES } from '../../../actors/account/lists.js';
import { EDGE_PAGE_MAX } from '../../../actors/domain/edge-page.js';
import { storedId } from '../../../actors/domain/ids.js';
import { isProblem, problem } from '../../../actors/domain/problem.js';
import { type AnyRoute, json, type Request, route } from '../../http/route.js';
import { Account } from '../../pages/account/account.js';
import { List, renderList } from '../../pages/account/list.js';
import { idParams, statusPage } from '../../pages/answers.js';
import { Status } from '../../pages/status/status.js';
import { idText, pageBounds, pageProperties, pageQuery } from '../../paging/bounds.js';
import { soon } from '../../paging/soon.js';
import { listTimeline } from '../../timelines/list.js';
import { answered, publishedAccount } from '../../viewing/visible.js';
import { edgeAnswer } from '../accounts/mutes.js';

const READ = 'read:lists';
const WRITE = 'write:lists';
/** Members in one request; clients send the accounts that a person selects. */
const ACCOUNT_IDS_MAX = 500;

const policy = () => Type.Union(REPLIES_POLICIES.map((name) => Type.Literal(name)));
const title = (minLength: number) => Type.String({ minLength, maxLength: LIST_TITLE_CHARS_MAX });
const accountIds = () => Type.Array(idText(), { minItems: 1, maxItems: ACCOUNT_IDS_MAX });

const all = route({
  method: 'GET',
  path: '/api/v1/lists',
  auth: 'user',
  scope: READ,
  answer: Type.Array(List),
  handle: async ({ services, viewer = '' }) =>
    json(answered(await services.askAccount(viewer, 'lists', {})).lists.map(renderList)),
});

const create = route({
  method: 'POST',
  path: '/api/v1/lists',
  idempotent: 'command',
  auth: 'user',
  scope: WRITE,
  body: Type.Object({
    title: title(1),
    replies_policy: Type.Optional(policy()),
    exclusive: Type.Boolean({ default: false }),
  }),
  answer: List,
  handle: async ({ services, viewer = '', body, once }) => {
    const wanted = { title: body.title, repliesPolicy: body.replies_policy ?? 'list', exclusive: body.exclusive };
    const list = await services.askAccount(viewer, 'createList', wanted, once);
    return isProblem(list) ? list : json(renderList(list));
  },
});

const get = route({
  method: 'GET',
  path: '/api/v1/lists/:id',
  auth: 'user',
  scope: READ,
  params: idParams,
  answer: List,
  handle: async ({ services, viewer = '', params }) => {
    const list = await services.askAccount(viewer, 'list', { id: storedId(params.id) });
    return isProblem(list) ? list : json(renderList(list));
  },
});

const update = route({
  method: 'PUT',
  path: '/api/v1/lists/:id',
  auth: 'user',
  scope: WRITE,
  params: idParams,
  body: Type.Object({
    title: Type.Optional(title(1)),
    replies_policy: Type.Optional(policy()),
    exclusive: Type.Optional(Type.Boolean()),
  }),
  answer: List,
  handle: async ({ services, viewer = '', params, body }) => {
    const changes = { title: body.title, repliesPolicy: body.replies_policy, exclusive: body.exclusive };
    const list = await services.askAccount(viewer, 'updateList', { id: storedId(params.id), ...changes });
    return isProblem(list) ? list : json(renderList(list));
  },
});

const remove = route({
  method: 'DELETE',
  path: '/api/v1/lists/:id',
  auth: 'user',
  scope: WRITE,
  params: idParams,
  answer: Type.Object({}),
  handle: async ({ services, viewer = '', params }) => {
    const reply = await services.askAccount(viewer, 'deleteList', { id: storedId(params.id) });
    return isProblem(reply) ? reply : json({});
  },
});

const members = route({
  method: 'GET',
  path: '/api/v1/lists/:id/accounts',
  auth: 'user',
  scope: READ,
  params: idParams,
  query: Type.Object({
    ...pageProperties(40, 80),
    // 0 requests all members; clients do so to edit a list.
    limit: Type.Integer({ minimum: 0, maximum: 80, default: 40, clamp: true, lenient: true }),
  }),
  answer: Type.Array(Account),
  handle: async (request) => {
    const { services, viewer = '', params, query } = request;
    const bounds = { ...pageBounds(query), limit: query.limit === 0 ? EDGE_PAGE_MAX : query.limit };
    const page = await services.askAccount(viewer, 'listMembers', { id: storedId(params.id), bounds });
    return isProblem(page) ? page : edgeAnswer(request, bounds, page);
  },
});

const add = route({
  method: 'POST',
  path: '/api/v1/lists/:id/accounts',
  auth: 'user',
  scope: WRITE,
  params: idParams,
  body: Type.Object({ account_ids: accountIds() }),
  answer: Type.Object({}),
  handle: (request) => changeMembers(request, 'addToList', request.body.account_ids),
});

const take = route({
  method: 'DELETE',
  path: '/api/v1/lists/:id/accounts',
  auth: 'user',
  scope: WRITE,
  params: idParams,
  // Some clients send no body with DELETE.
  query: Type.Object({ account_ids: Type.Optional(accountIds()) }),
  body: Type.Object({ account_ids: Type.Optional(accountIds()) }),
  answer: Type.Object({}),
  handle: (request) => changeMembers(request, 'removeFromList', request.body.account_ids ?? request.query.account_ids),
});

async function changeMembers(
  { services, viewer = '', params }: Pick<Request<{ id: string }, unknown, unknown>, 'services' | 'viewer' | 'params'>,
  command: 'addToList' | 'removeFromList',
  accounts: readonly string[] | undefined,
) {
  if (accounts === undefined) {
    const error = { error: 'ERR_BLANK', description: "can't be blank" };
    return problem('invalid', "Validation failed: Account ids can't be blank", { account_ids: [error] });
  }
  const input = { id: storedId(params.id), accounts: accounts.map(storedId) };
  const reply = await services.askAccount(viewer, command, input);
  return isProblem(reply) ? reply : json({});
}

const containing = route({
  method: 'GET',
  path: '/api/v1/accounts/:id/lists',
  auth: 'user',
  scope: READ,
  params: idParams,
  answer: Type.Array(List),
  handle: async ({ services, viewer = '', params }) => {
    const record = await publishedAccount(services, params.id);
    if (isProblem(record)) return record;
    return json(answered(await services.askAccount(viewer, 'lists', { account: record.id })).lists.map(renderList));
  },
});

const timeline = route({
  method: 'GET',
  path: '/api/v1/timelines/list/:id',
  auth: 'user',
  scope: READ,
  params: idParams,
  query: pageQuery(),
  answer: Type.Array(Status),
  handle: (request) => {
    const { services, viewer = '', params, query } = request;
    const bounds = pageBounds(query);
    return soon(listTimeline(services, viewer, storedId(params.id), bounds), (page) =>
      isProblem(page) ? page : statusPage(request, bounds, page),
    );
  },
});

/** The viewer's lists of accounts, and their timelines. */
export const userListRoutes: readonly AnyRoute[] = [
  all,
  create,
  get,
  update,
  remove,
  members,
  add,
  take,
  containing,
  timeline,
];
