import { type Static, Type } from '@sinclair/typebox';
import {
  COLLECTION_DESCRIPTION_CHARS_MAX,
  COLLECTION_ITEMS_MAX,
  COLLECTION_NAME_CHARS_MAX,
} from '../../../actors/account/collections.js';
import { askableBy } from '../../../actors/account/feature-consent.js';
import { storedId } from '../../../actors/domain/ids.js';
import { invalidField, isProblem, type Problem, problem } from '../../../actors/domain/problem.js';
import { isSuspended } from '../../../actors/domain/standing.js';
import { HASHTAG_BYTES_MAX, namedHashtag } from '../../../actors/domain/text/hashtag.js';
import { isLanguage, LANGUAGE_CHARS_MAX } from '../../../actors/domain/text/language.js';
import type { AccountFeatured } from '../../../proto/gen/types.js';
import { featuredIn } from '../../../store/tables.js';
import { entity } from '../../http/entity.js';
import { JsonPieces } from '../../http/json-pieces.js';
import { type Answer, type AnyRoute, json, type Request, route } from '../../http/route.js';
import type { Services } from '../../http/services.js';
import { Account } from '../../pages/account/account.js';
import { idParams } from '../../pages/answers.js';
import {
  Collection,
  CollectionItem,
  collectionJson,
  renderCollection,
  renderCollectionItem,
} from '../../pages/status/collection.js';
import { arrayOf } from '../../pages/status/status-pages.js';
import { idText, limitQuery, pathOf } from '../../paging/bounds.js';
import { ALL } from '../../paging/cursor.js';
import { accountCursor } from '../../paging/eras.js';
import { loadAccounts } from '../../viewing/people-at-hand.js';
import { askSoon } from '../../viewing/read-services.js';
import { answered, lensOf, notFound, publishedAccount } from '../../viewing/visible.js';
import {
  collectionsById,
  ownCollection,
  type VisibleCollection,
  visibleCollection,
} from '../../viewing/visible-collections.js';

/** The REST API's CollectionWithAccounts. */
const CollectionWithAccounts = entity('CollectionWithAccounts', {
  accounts: Type.Array(Account),
  collection: Collection,
});

const READ = 'read:collections';
const WRITE = 'write:collections';
/** Largest offset. Each page reads the entries that it skips, and nobody pages through more. */
const OFFSET_MAX = 1_000;
/**
 * UTF-16 units allowed per character. The owner's actor counts a character of several units as one; this only bounds
 * what the actor receives.
 */
const UNITS_A_CHAR = 8;

const itemParams = Type.Object({ id: idText(), item: idText() });
const someQuery = Type.Object({
  limit: limitQuery(40, 80),
  offset: Type.Integer({ minimum: 0, maximum: OFFSET_MAX, default: 0, clamp: true }),
});
const name = () => Type.String({ maxLength: COLLECTION_NAME_CHARS_MAX * UNITS_A_CHAR });
const description = () => Type.Optional(Type.String({ maxLength: COLLECTION_DESCRIPTION_CHARS_MAX * UNITS_A_CHAR }));
const more = {
  description: description(),
  // Null removes the value.
  language: orNull(LANGUAGE_CHARS_MAX),
  tag_name: orNull(HASHTAG_BYTES_MAX),
  sensitive: Type.Optional(Type.Boolean()),
  discoverable: Type.Optional(Type.Boolean()),
};
function orNull(maxLength: number) {
  return Type.Optional(Type.Union([Type.String({ maxLength }), Type.Null()]));
}
const Text = Type.Object({ name: Type.Optional(name()), ...more });

const create = route({
  method: 'POST',
  path: '/api/v1/collections',
  idempotent: 'command',
  auth: 'user',
  scope: WRITE,
  body: Type.Object({
    name: name(),
    ...more,
    account_ids: Type.Array(idText(), { default: [], maxItems: COLLECTION_ITEMS_MAX }),
  }),
  answer: Type.Object({ collection: Collection }),
  handle: async ({ services, viewer = '', body, once }) => {
    const said = textOf(body);
    if (isProblem(said)) return said;
    const accounts = await featured(services, viewer, body.account_ids.map(storedId));
    if (isProblem(accounts)) return accounts;
    const { name: called = '', description: about = '', language = '', tag = '', sensitive = false } = said;
    const text = {
      name: called,
      description: about,
      language,
      tag,
      sensitive,
      discoverable: said.discoverable ?? true,
    };
    const made = await services.askAccount(viewer, 'createCollection', { text, accounts }, once);
    return wrapped(services, await ownCollection(services, viewer, made));
  },
});

const get = route({
  method: 'GET',
  path: '/api/v1/collections/:id',
  auth: 'optional',
  scope: READ,
  params: idParams,
  answer: CollectionWithAccounts,
  handle: async ({ services, viewer, params }) => {
    const seen = await visibleCollection(services, viewer, storedId(params.id));
    if (isProblem(seen)) return seen;
    const ids = new Set([seen.owner.id, ...seen.items.map(({ account }) => account)]);
    const people = await loadAccounts(services, [...ids]);
    const accounts = arrayOf(
      Array.from(ids, (id) => {
        const account = people.get(id);
        return account && [services.pages.account(account)];
      }),
    );
    return json(new JsonPieces([ACCOUNTS, ...accounts, COLLECTION, collectionJson(services.instance, seen), CLOSE]));
  },
});
const ACCOUNTS = Buffer.from('{"accounts":');
const COLLECTION = Buffer.from(',"collection":');

const change = route({
  method: 'PATCH',
  path: '/api/v1/collections/:id',
  auth: 'user',
  scope: WRITE,
  params: idParams,
  body: Text,
  answer: Type.Object({ collection: Collection }),
  handle: (request) =>
    ofOwn(request, async ({ services, viewer }, { record }) => {
      const text = textOf(request.body);
      if (isProblem(text)) return text;
      const changed = await services.askAccount(viewer, 'updateCollection', { id: record.id, ...text });
      return wrapped(services, await ownCollection(services, viewer, changed));
    }),
});

const remove = route({
  method: 'DELETE',
  path: '/api/v1/collections/:id',
  auth: 'user',
  scope: WRITE,
  params: idParams,
  answer: Type.Object({}),
  handle: (request) =>
    ofOwn(request, async ({ services, viewer }, { record }) =>
      done(await services.askAccount(viewer, 'deleteCollection', { id: record.id })),
    ),
});

const add = route({
  method: 'POST',
  path: '/api/v1/collections/:id/items',
  idempotent: 'command',
  auth: 'user',
  scope: WRITE,
  params: idParams,
  body: Type.Object({ account_id: idText() }),
  answer: Type.Object({ collection_item: CollectionItem }),
  handle: (request) =>
    ofOwn(request, async ({ services, viewer }, { record }) => {
      const accounts = await featured(services, viewer, [storedId(request.body.account_id)]);
      if (isProblem(accounts)) return accounts;
      const wanted = { id: record.id, featured: accounts[0] };
      const item = await services.askAccount(viewer, 'addToCollection', wanted, request.once);
      return isProblem(item) ? item : json({ collection_item: renderCollectionItem(item) });
    }),
});

const takeOut = route({
  method: 'DELETE',
  path: '/api/v1/collections/:id/items/:item',
  auth: 'user',
  scope: WRITE,
  params: itemParams,
  answer: Type.Object({}),
  handle: (request) =>
    ofOwn(request, async ({ services, viewer }, { record }) => {
      const named = { id: record.id, item: storedId(request.params.item) };
      return done(await services.askAccount(viewer, 'removeFromCollection', named));
    }),
});

const revoke = route({
  method: 'POST',
  path: '/api/v1/collections/:id/items/:item/revoke',
  auth: 'user',
  scope: WRITE,
  params: itemParams,
  answer: Type.Object({}),
  handle: async ({ services, viewer = '', params }) => {
    const seen = await visibleCollection(services, viewer, storedId(params.id));
    if (isProblem(seen)) return seen;
    const { id, owner, uri } = seen.record;
    const named = { id, item: storedId(params.item), by: viewer };
    if (uri !== undefined) {
      const own = seen.items.find((item) => item.id === named.item);
      if (own === undefined) return notFound();
      if (own.account !== viewer) return problem('forbidden', 'This action is not allowed');
      return done(await services.askAccount(viewer, 'endFeaturing', { uri }));
    }
    return done(await services.askAccount(owner, 'leaveCollection', named));
  },
});

/** Collections of an account, newest first. Only the owner sees those that are not discoverable. */
const ofAccount = route({
  method: 'GET',
  path: '/api/v1/accounts/:id/collections',
  auth: 'optional',
  scope: READ,
  params: idParams,
  query: someQuery,
  answer: Type.Object({ collections: Type.Array(Collection) }),
  handle: async (request) => {
    const { services, viewer, params, query } = request;
    const owner = await publishedAccount(services, params.id);
    if (isProblem(owner)) return owner;
    const lens = await lensOf(services, viewer);
    const isBlocked = viewer !== owner.id && lens.relation(owner.id).blockedBy;
    if (isBlocked || isSuspended(owner)) return page(request, [], false);
    if (owner.remote !== undefined && viewer !== undefined) services.federation.profiles.complete(owner);
    const { ids } = answered(await askSoon(services, owner.id, 'collections', {}));
    const seen = await collectionsById(services, viewer, ids, { lens });
    const listed = seen
      .filter((one) => one !== undefined && (viewer === owner.id || one.record.text?.discoverable === true))
      .reverse();
    const end = query.offset + query.limit;
    return page(request, listed.slice(query.offset, end), listed.length > end);
  },
});

/**
 * Collections that feature the viewer, latest first. Allowed for the viewer's own account only: other people must not
 * see where somebody is featured.
 */
const featuring = route({
  method: 'GET',
  path: '/api/v1/accounts/:id/in_collections',
  auth: 'user',
  scope: READ,
  params: idParams,
  query: someQuery,
  answer: Type.Object({ collections: Type.Array(Collection) }),
  handle: async (request) => {
    const { services, viewer = '', params, query } = request;
    const account = await publishedAccount(services, params.id);
    if (isProblem(account)) return account;
    if (account.id !== viewer) return problem('forbidden', 'This action is not allowed');
    const { tables, clock } = services;
    const cursor = accountCursor(tables, clock, featuredIn, 'item', viewer, ALL);
    const end = query.offset + query.limit;
    // One row more shows if there is another page.
    const rows = await cursor.next(end + 1);
    const ids = rows.slice(query.offset, end).map(({ value }) => value.collectionId);
    return page(request, await collectionsById(services, viewer, ids, { hideBlocked: true }), rows.length > end);
  },
});

/** Named collections of accounts that people recommend. */
export const collectionRoutes: readonly AnyRoute[] = [
  create,
  get,
  change,
  remove,
  add,
  takeOut,
  revoke,
  ofAccount,
  featuring,
];

type Text = Static<typeof Text>;

/** Returns the properties of a collection; absent fields stay absent. */
function textOf({ name: called, description: about, sensitive, discoverable, ...more }: Text) {
  const language = more.language === null ? '' : more.language;
  const written = more.tag_name === null ? '' : more.tag_name?.trim();
  if (language && !isLanguage(language)) return invalidField('language', 'Language', 'is invalid');
  const tag = written ? namedHashtag(written) : written;
  if (tag === undefined && written !== undefined) {
    const error = { error: 'ERR_INVALID', description: 'is not a valid hashtag' };
    return problem('invalid', `Validation failed: Tag ${error.description}`, { tag_name: [error] });
  }
  return { name: called?.trim(), description: about?.trim(), language, tag, sensitive, discoverable };
}

/** Returns the accounts to feature, each with the consent that its actor gives, or that its server states. */
async function featured(
  services: Pick<Services, 'askAccount' | 'tables' | 'limits'>,
  viewer: string,
  ids: readonly string[],
): Promise<AccountFeatured[] | Problem> {
  const found: AccountFeatured[] = [];
  for (const id of new Set(ids)) {
    const account = await publishedAccount(services, id);
    if (isProblem(account)) return account;
    const { remote } = account;
    if (remote !== undefined) {
      if (remote.gone || isSuspended(account)) return problem('forbidden', 'This action is not allowed');
      found.push({ account: id, consent: askableBy(remote), asked: true });
      continue;
    }
    const answer = await services.askAccount(account.id, 'featureConsent', { by: viewer });
    if (isProblem(answer)) return problem('forbidden', 'This action is not allowed');
    found.push({ account: id, consent: answer.consent });
  }
  return found;
}

type Asked = Request<{ readonly id: string }, unknown, unknown>;
type Work<T> = (
  by: { readonly services: Services; readonly viewer: string },
  seen: VisibleCollection,
) => Promise<Answer<T> | Problem>;

/**
 * Runs `work` if the viewer owns the collection. A viewer who may not see it gets a 404, so its existence stays hidden.
 */
async function ofOwn<T>({ services, viewer = '', params }: Asked, work: Work<T>): Promise<Answer<T> | Problem> {
  const seen = await visibleCollection(services, viewer, storedId(params.id));
  if (isProblem(seen)) return seen;
  if (seen.record.owner !== viewer) return problem('forbidden', 'This action is not allowed');
  return work({ services, viewer }, seen);
}

function wrapped({ instance }: Pick<Services, 'instance'>, seen: VisibleCollection | Problem) {
  return isProblem(seen) ? seen : json({ collection: renderCollection(instance, seen) });
}

const done = (reply: object | Problem): Answer<object> | Problem => (isProblem(reply) ? reply : json({}));

const COLLECTIONS = Buffer.from('{"collections":');
const CLOSE = Buffer.from('}');

/** Renders a page with links to its neighbours. */
function page(
  { services, url, query }: Request<unknown, Static<typeof someQuery>, unknown>,
  seen: readonly (VisibleCollection | undefined)[],
  hasMore: boolean,
): Answer<JsonPieces> {
  const { limit, offset } = query;
  const there = arrayOf(seen.map((one) => one && [collectionJson(services.instance, one)]));
  const path = `${services.instance.baseUrl}${pathOf(url)}`;
  const link = (from: number, rel: string) => `<${path}?limit=${limit}&offset=${from}>; rel="${rel}"`;
  const links = [
    ...(hasMore && offset + limit <= OFFSET_MAX ? [link(offset + limit, 'next')] : []),
    ...(offset > 0 ? [link(Math.max(0, offset - limit), 'prev')] : []),
  ];
  return json(
    new JsonPieces([COLLECTIONS, ...there, CLOSE]),
    links.length === 0 ? undefined : { link: links.join(', ') },
  );
}
