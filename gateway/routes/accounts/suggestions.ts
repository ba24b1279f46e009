import { Type } from '@sinclair/typebox';
import { storedId } from '../../../actors/domain/ids.js';
import { isProblem } from '../../../actors/domain/problem.js';
import { DIRECTORY_ORDERS, type Directory, directoryPage, readDirectory } from '../../discovery/directory.js';
import { SharedValue } from '../../discovery/shared-value.js';
import { suggestionsFor } from '../../discovery/suggestions.js';
import { entity, oneOf } from '../../http/entity.js';
import { JsonPieces } from '../../http/json-pieces.js';
import { type AnyRoute, json, route } from '../../http/route.js';
import type { Services } from '../../http/services.js';
import { Account } from '../../pages/account/account.js';
import { accountList } from '../../pages/answers.js';
import { arrayOf } from '../../pages/status/status-pages.js';
import { idText, limitQuery } from '../../paging/bounds.js';

/** The REST API's Suggestion. */
const Suggestion = entity('Suggestion', {
  source: oneOf('past_interactions', 'global'),
  account: Account,
  sources: Type.Array(
    oneOf('featured', 'most_followed', 'most_interactions', 'similar_to_recently_followed', 'friends_of_friends'),
  ),
});

/** As many accounts as the directory reads (discovery/directory.ts). */
const OFFSET_MAX = 5_000;
/** Names in `sources` for each `source`, for clients that support the newer field. */
const SOURCES = {
  past_interactions: openWith('past_interactions', ['most_interactions']),
  global: openWith('global', ['most_followed']),
} as const;
const END = Buffer.from('}');

/** Returns the JSON of a suggestion up to its account. */
function openWith(source: string, sources: readonly string[]): Uint8Array {
  return Buffer.from(`${JSON.stringify({ source, sources }).slice(0, -1)},"account":`);
}

const accounts = route({
  method: 'GET',
  path: '/api/v1/suggestions',
  auth: 'user',
  scope: 'read:accounts',
  query: Type.Object({ limit: limitQuery(40, 80) }),
  answer: Type.Array(Account),
  handle: async ({ services, viewer = '', query }) => {
    const found = await suggestionsFor(services, viewer, query.limit);
    return accountList(
      services,
      found.map(({ record }) => record),
    );
  },
});

const suggestions = route({
  method: 'GET',
  path: '/api/v2/suggestions',
  auth: 'user',
  scope: 'read:accounts',
  query: Type.Object({ limit: limitQuery(40, 80) }),
  answer: Type.Array(Suggestion),
  handle: async ({ services, viewer = '', query }) => {
    const found = await suggestionsFor(services, viewer, query.limit);
    const items = found.map(({ record, source }) => [SOURCES[source], services.pages.account(record), END]);
    return json(new JsonPieces(arrayOf(items)));
  },
});

const dismiss = route({
  method: 'DELETE',
  path: '/api/v1/suggestions/:account_id',
  auth: 'user',
  scope: ['read:accounts', 'write:accounts'],
  params: Type.Object({ account_id: idText() }),
  answer: Type.Object({}),
  handle: async ({ services, viewer = '', params }) => {
    const reply = await services.askAccount(viewer, 'dismissSuggestion', { target: storedId(params.account_id) });
    return isProblem(reply) ? reply : json({});
  },
});

/** Cached directories by server: tests start several servers in one process. */
const directories = () => new WeakMap<Services['registry'], SharedValue<Directory>>();

const directory = directoryRoute(directories());

function directoryRoute(kept: ReturnType<typeof directories>): AnyRoute {
  const directoryOf = (services: Pick<Services, 'trends' | 'registry' | 'tables' | 'limits' | 'clock'>) => {
    let held = kept.get(services.registry);
    if (held === undefined) {
      held = new SharedValue(services.clock, () => readDirectory(services));
      kept.set(services.registry, held);
    }
    return held.get();
  };
  return route({
    method: 'GET',
    path: '/api/v1/directory',
    auth: 'optional',
    scope: 'read:accounts',
    query: Type.Object({
      order: Type.Union(
        DIRECTORY_ORDERS.map((name) => Type.Literal(name)),
        { default: 'active' },
      ),
      // All accounts are local, so the parameter has no effect.
      local: Type.Optional(Type.Boolean()),
      offset: Type.Integer({ minimum: 0, maximum: OFFSET_MAX, default: 0, clamp: true }),
      limit: limitQuery(40, 80),
    }),
    answer: Type.Array(Account),
    handle: async ({ services, viewer, query }) => {
      return accountList(services, await directoryPage(services, viewer, await directoryOf(services), query));
    },
  });
}

/** Suggestions and the directory. */
export const suggestionRoutes: readonly AnyRoute[] = [accounts, suggestions, dismiss, directory];
