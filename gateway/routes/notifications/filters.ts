import { type Static, type TSchema, Type } from '@sinclair/typebox';
import {
  FILTER_ACTIONS,
  FILTER_CONTEXTS,
  FILTER_KEYWORD_CHARS_MAX,
  FILTER_KEYWORDS_MAX,
  FILTER_TITLE_CHARS_MAX,
} from '../../../actors/account/filters.js';
import { storedId } from '../../../actors/domain/ids.js';
import { isProblem } from '../../../actors/domain/problem.js';
import type { AccountFilter, AccountFilterKeyword, AccountKeywordChange } from '../../../proto/gen/types.js';
import { JsonPieces } from '../../http/json-pieces.js';
import { type AnyRoute, json, type Request, route } from '../../http/route.js';
import type { Services } from '../../http/services.js';
import {
  Filter,
  FilterKeyword,
  FilterStatus,
  renderFilter,
  renderFilterKeyword,
  renderFilterStatus,
} from '../../pages/account/filter.js';
import { idParams } from '../../pages/answers.js';
import { arrayOf } from '../../pages/status/status-pages.js';
import { idText } from '../../paging/bounds.js';
import { answered, notFound, visibleStatus } from '../../viewing/visible.js';

const READ = 'read:filters';
const WRITE = 'write:filters';
/** A hundred years. A much larger value would exceed the range of dates. */
const EXPIRES_SECONDS_MAX = 3_155_760_000;

type Asked = Request<{ id: string }, unknown, unknown>;
type About<P = unknown> = Pick<Request<P, unknown, unknown>, 'services' | 'viewer' | 'params'>;

/** Contexts in which a filter applies; unknown names are refused. */
export const contexts = () =>
  Type.Array(Type.Union(FILTER_CONTEXTS.map((name) => Type.Literal(name))), {
    maxItems: FILTER_CONTEXTS.length * 2,
    shown: { minItems: 1 },
  });
/** Seconds from now; null or absent means never. */
export const expiresIn = () =>
  Type.Optional(Type.Union([Type.Integer({ minimum: 0, maximum: EXPIRES_SECONDS_MAX }), Type.Null()]));
export const keywordText = () =>
  Type.String({ minLength: 1, maxLength: FILTER_KEYWORD_CHARS_MAX, shown: { pattern: '\\S' } });

/** Converts an expiry to the actor's form: undefined leaves it unchanged, -1 removes it. */
export function expiresInMs(seconds: number | null | undefined): number | undefined {
  if (seconds === undefined) return undefined;
  return seconds === null ? -1 : seconds * 1_000;
}

const action = () => Type.Optional(Type.Union(FILTER_ACTIONS.map((name) => Type.Literal(name))));
const Keywords = Type.Optional(
  Type.Array(
    Type.Object({
      id: Type.Optional(idText()),
      keyword: Type.Optional(keywordText()),
      whole_word: Type.Optional(Type.Boolean()),
      _destroy: Type.Optional(Type.Boolean()),
    }),
    { maxItems: FILTER_KEYWORDS_MAX },
  ),
);

/** Returns the viewer's filters from their actor. */
export async function ownFilters(
  services: Pick<Services, 'askAccount'>,
  viewer: string,
): Promise<readonly AccountFilter[]> {
  return answered(await services.askAccount(viewer, 'screen', {})).filters;
}

const all = route({
  method: 'GET',
  path: '/api/v2/filters',
  auth: 'user',
  scope: READ,
  answer: Type.Array(Filter),
  handle: async ({ services, viewer = '' }) => {
    const filters = await ownFilters(services, viewer);
    return json(new JsonPieces(arrayOf(filters.map((filter) => [services.pages.others.filter(filter)]))));
  },
});

const get = one('GET', '/api/v2/filters/:id', READ, Filter, async ({ services, viewer = '', params }) => {
  const filter = (await ownFilters(services, viewer)).find(({ id }) => id === storedId(params.id));
  return filter === undefined ? notFound() : json(renderFilter(filter));
});

const create = route({
  method: 'POST',
  path: '/api/v2/filters',
  idempotent: 'command',
  auth: 'user',
  scope: WRITE,
  body: Type.Object({
    title: Type.String({ minLength: 1, maxLength: FILTER_TITLE_CHARS_MAX }),
    context: contexts(),
    filter_action: action(),
    expires_in: expiresIn(),
    keywords_attributes: Keywords,
  }),
  answer: Filter,
  handle: async ({ services, viewer = '', body, once }) => {
    const wanted = {
      title: body.title,
      context: body.context,
      action: body.filter_action,
      expiresInMs: expiresInMs(body.expires_in),
      keywords: changes(body.keywords_attributes),
    };
    const filter = await services.askAccount(viewer, 'saveFilter', wanted, once);
    return isProblem(filter) ? filter : json(renderFilter(filter));
  },
});

const update = route({
  method: 'PUT',
  path: '/api/v2/filters/:id',
  auth: 'user',
  scope: WRITE,
  params: idParams,
  body: Type.Object({
    title: Type.Optional(Type.String({ minLength: 1, maxLength: FILTER_TITLE_CHARS_MAX })),
    context: Type.Optional(contexts()),
    filter_action: action(),
    expires_in: expiresIn(),
    keywords_attributes: Keywords,
  }),
  answer: Filter,
  handle: async ({ services, viewer = '', params, body }) => {
    const wanted = {
      id: storedId(params.id),
      title: body.title,
      context: body.context ?? [],
      action: body.filter_action,
      expiresInMs: expiresInMs(body.expires_in),
      keywords: changes(body.keywords_attributes),
    };
    const filter = await services.askAccount(viewer, 'saveFilter', wanted);
    return isProblem(filter) ? filter : json(renderFilter(filter));
  },
});

const remove = one(
  'DELETE',
  '/api/v2/filters/:id',
  WRITE,
  Type.Object({}),
  async ({ services, viewer = '', params }) => {
    const reply = await services.askAccount(viewer, 'removeFilter', { id: storedId(params.id) });
    return isProblem(reply) ? reply : json({});
  },
);

const keywords = one(
  'GET',
  '/api/v2/filters/:id/keywords',
  READ,
  Type.Array(FilterKeyword),
  async ({ services, viewer = '', params }) => {
    const filter = (await ownFilters(services, viewer)).find(({ id }) => id === storedId(params.id));
    return filter === undefined ? notFound() : json(filter.keywords.map(renderFilterKeyword));
  },
);

const addKeyword = keywordRoute('POST', '/api/v2/filters/:id/keywords', 'filterId');
const getKeyword = one('GET', '/api/v2/filters/keywords/:id', READ, FilterKeyword, async (asked) => {
  const found = await keywordOf(asked);
  return found === undefined ? notFound() : json(renderFilterKeyword(found.keyword));
});
const updateKeyword = keywordRoute('PUT', '/api/v2/filters/keywords/:id', 'id');
const removeKeyword = one(
  'DELETE',
  '/api/v2/filters/keywords/:id',
  WRITE,
  Type.Object({}),
  async ({ services, viewer = '', params }) => {
    const command = { id: storedId(params.id), lastTakesFilter: false };
    const reply = await services.askAccount(viewer, 'removeKeyword', command);
    return isProblem(reply) ? reply : json({});
  },
);

const statuses = one(
  'GET',
  '/api/v2/filters/:id/statuses',
  READ,
  Type.Array(FilterStatus),
  async ({ services, viewer = '', params }) => {
    const filter = (await ownFilters(services, viewer)).find(({ id }) => id === storedId(params.id));
    return filter === undefined ? notFound() : json(filter.statuses.map(renderFilterStatus));
  },
);

const addStatus = route({
  method: 'POST',
  path: '/api/v2/filters/:id/statuses',
  idempotent: 'command',
  auth: 'user',
  scope: WRITE,
  params: idParams,
  body: Type.Object({ status_id: idText() }),
  answer: FilterStatus,
  handle: async ({ services, viewer = '', params, body, once }) => {
    const seen = await visibleStatus(services, viewer, body.status_id);
    if (isProblem(seen)) return seen;
    const command = { filterId: storedId(params.id), statusId: (seen.original ?? seen.record).id };
    const added = await services.askAccount(viewer, 'addFilteredStatus', command, once);
    return isProblem(added) ? added : json(renderFilterStatus(added));
  },
});

const getStatus = one(
  'GET',
  '/api/v2/filters/statuses/:id',
  READ,
  FilterStatus,
  async ({ services, viewer = '', params }) => {
    const found = (await ownFilters(services, viewer)).flatMap((filter) => filter.statuses);
    const status = found.find(({ id }) => id === storedId(params.id));
    return status === undefined ? notFound() : json(renderFilterStatus(status));
  },
);

const removeStatus = one(
  'DELETE',
  '/api/v2/filters/statuses/:id',
  WRITE,
  FilterStatus,
  async ({ services, viewer = '', params }) => {
    const gone = await services.askAccount(viewer, 'removeFilteredStatus', { id: storedId(params.id) });
    return isProblem(gone) ? gone : json(renderFilterStatus(gone));
  },
);

/** Filters with several keywords and statuses each. */
export const filterRoutes: readonly AnyRoute[] = [
  all,
  create,
  getKeyword,
  updateKeyword,
  removeKeyword,
  getStatus,
  removeStatus,
  get,
  update,
  remove,
  keywords,
  addKeyword,
  statuses,
  addStatus,
];

/** Returns the keyword of the path, with its filter. */
export async function keywordOf({
  services,
  viewer = '',
  params,
}: About<{ id: string }>): Promise<{ filter: AccountFilter; keyword: AccountFilterKeyword } | undefined> {
  const id = storedId(params.id);
  for (const filter of await ownFilters(services, viewer)) {
    const keyword = filter.keywords.find((one) => one.id === id);
    if (keyword !== undefined) return { filter, keyword };
  }
  return undefined;
}

function keywordRoute(method: 'POST' | 'PUT', path: string, by: 'id' | 'filterId'): AnyRoute {
  return route({
    method,
    path,
    ...(method === 'POST' && { idempotent: 'command' }),
    auth: 'user',
    scope: WRITE,
    params: idParams,
    body: Type.Object({ keyword: keywordText(), whole_word: Type.Optional(Type.Boolean()) }),
    answer: FilterKeyword,
    handle: async ({ services, viewer = '', params, body, once }) => {
      const wholeWord = wholeWordOf(body.whole_word, by === 'filterId');
      const command = { [by]: storedId(params.id), keyword: body.keyword, wholeWord };
      const keyword = await services.askAccount(viewer, 'saveKeyword', command, once);
      return isProblem(keyword) ? keyword : json(renderFilterKeyword(keyword));
    },
  });
}

function one(
  method: 'GET' | 'DELETE',
  path: string,
  scope: string,
  answer: TSchema,
  handle: (asked: Asked) => ReturnType<AnyRoute['handle']>,
): AnyRoute {
  return route({ method, path, auth: 'user', scope, params: idParams, answer, handle });
}

/** A new keyword matches whole words only by default. Source: Mastodon CustomFilterKeyword. */
const wholeWordOf = (given: boolean | undefined, isNew: boolean) => given ?? (isNew ? true : undefined);

function changes(attributes: Static<typeof Keywords> | undefined): AccountKeywordChange[] {
  return (attributes ?? []).map((one) => ({
    id: one.id === undefined ? undefined : storedId(one.id),
    keyword: one.keyword,
    wholeWord: wholeWordOf(one.whole_word, one.id === undefined),
    destroy: one._destroy ?? false,
  }));
}
