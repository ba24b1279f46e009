import { Type } from '@sinclair/typebox';
import { storedId } from '../../../actors/domain/ids.js';
import { isProblem, type Problem } from '../../../actors/domain/problem.js';
import type { Shape } from '../../http/entity.js';
import { type Answer, type AnyRoute, json, type Request, route } from '../../http/route.js';
import { renderV1Filter, V1Filter } from '../../pages/account/filter.js';
import { idParams } from '../../pages/answers.js';
import { notFound } from '../../viewing/visible.js';
import { contexts, expiresIn, expiresInMs, keywordOf, keywordText, ownFilters } from './filters.js';

const READ = 'read:filters';
const WRITE = 'write:filters';

const flags = { irreversible: Type.Optional(Type.Boolean()), whole_word: Type.Optional(Type.Boolean()) };
interface Phrase {
  readonly phrase?: string;
  readonly context?: readonly string[];
  readonly irreversible?: boolean;
  readonly whole_word?: boolean;
  readonly expires_in?: number | null;
}

const all = route({
  method: 'GET',
  path: '/api/v1/filters',
  auth: 'user',
  scope: READ,
  answer: Type.Array(V1Filter),
  handle: async ({ services, viewer = '' }) => {
    const filters = await ownFilters(services, viewer);
    return json(filters.flatMap((filter) => filter.keywords.map((keyword) => renderV1Filter(filter, keyword))));
  },
});

const create = route({
  method: 'POST',
  path: '/api/v1/filters',
  idempotent: 'command',
  auth: 'user',
  scope: WRITE,
  body: Type.Object({ phrase: keywordText(), context: contexts(), expires_in: expiresIn(), ...flags }),
  answer: V1Filter,
  handle: (request) => save(request, undefined, request.once),
});

const get = route({
  method: 'GET',
  path: '/api/v1/filters/:id',
  auth: 'user',
  scope: READ,
  params: idParams,
  answer: V1Filter,
  handle: (request) => shown(request, request.params.id),
});

const update = route({
  method: 'PUT',
  path: '/api/v1/filters/:id',
  auth: 'user',
  scope: WRITE,
  params: idParams,
  // Some clients send only the fields that change.
  body: Type.Object({
    phrase: Type.Optional(keywordText()),
    context: Type.Optional(contexts()),
    expires_in: expiresIn(),
    ...flags,
  }),
  answer: V1Filter,
  handle: async (request) => {
    const known = await keywordOf(request);
    if (known === undefined) return notFound();
    const body = { phrase: known.keyword.keyword, ...request.body };
    const { services, viewer } = request;
    return save({ services, viewer, body }, storedId(request.params.id));
  },
});

const remove = route({
  method: 'DELETE',
  path: '/api/v1/filters/:id',
  auth: 'user',
  scope: WRITE,
  params: idParams,
  answer: Type.Object({}),
  handle: async ({ services, viewer = '', params }) => {
    const command = { id: storedId(params.id), lastTakesFilter: true };
    const reply = await services.askAccount(viewer, 'removeKeyword', command);
    return isProblem(reply) ? reply : json({});
  },
});

/** Filters of the older API, in which each keyword is a filter of its own. */
export const v1FilterRoutes: readonly AnyRoute[] = [all, create, get, update, remove];

type Said = Pick<Request<unknown, unknown, Phrase>, 'services' | 'viewer' | 'body'>;

async function save(
  request: Said,
  id: string | undefined,
  once?: string,
): Promise<Answer<Shape<typeof V1Filter>> | Problem> {
  const { services, viewer = '', body } = request;
  const wanted = {
    id,
    phrase: body.phrase ?? '',
    context: body.context ?? [],
    irreversible: body.irreversible,
    wholeWord: body.whole_word,
    expiresInMs: expiresInMs(body.expires_in),
  };
  const keyword = await services.askAccount(viewer, 'savePhrase', wanted, once);
  return isProblem(keyword) ? keyword : shown(request, keyword.id);
}

async function shown(
  { services, viewer }: Pick<Request<unknown, unknown, unknown>, 'services' | 'viewer'>,
  id: string,
): Promise<Answer<Shape<typeof V1Filter>> | Problem> {
  const found = await keywordOf({ services, viewer, params: { id } });
  return found === undefined ? notFound() : json(renderV1Filter(found.filter, found.keyword));
}
