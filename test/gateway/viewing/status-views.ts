import type { Answered, Asked, Person } from '../../kit/services/server.js';

/** A viewer: a user, or anonymous. */
export type Looker = Pick<Person, 'get'> & Partial<Person>;

/** Returns an application without a user. */
export async function applicationOf(server: Asked): Promise<Looker> {
  const registered = { client_name: 'looks', redirect_uris: 'https://example.org/', scopes: 'read' };
  const { client_id, client_secret } = (await server.ask('POST', '/api/v1/apps', registered)).body;
  const credentials = { grant_type: 'client_credentials', client_id, client_secret, scope: 'read' };
  const { access_token } = (await server.ask('POST', '/oauth/token', credentials)).body;
  return { get: (path) => server.ask('GET', path, undefined, access_token) };
}

/** Data that a view needs. */
export interface Scene {
  readonly people: readonly Person[];
  /** Ids and words of all statuses, whatever their visibility. */
  readonly said: readonly { readonly id: string; readonly word: string }[];
}

/**
 * Places that show statuses: the addresses that a viewer requests. `each` of an invisible status must be answered like
 * a missing one.
 */
export type View =
  | { readonly kind: 'list'; readonly paths: (scene: Scene, looker: Looker) => Promise<string[]> | string[] }
  | { readonly kind: 'each'; readonly path: (id: string) => string };

const at = (...paths: string[]): View => ({ kind: 'list', paths: () => paths });
const each = (path: (id: string) => string): View => ({ kind: 'each', path });
const ofPeople = (path: (id: string) => string[]): View => ({
  kind: 'list',
  paths: ({ people }) => people.flatMap(({ id }) => path(id)),
});
const ofWords = (path: (word: string) => string): View => ({
  kind: 'list',
  paths: ({ said }) => said.map(({ word }) => path(word)),
});
/** Returns one address for each item of a list. */
const listedAt = (list: string, path: (thing: never) => string): View => ({
  kind: 'list',
  paths: async (_scene, looker) => things(await looker.get(list)).map((thing) => path(thing as never)),
});

/** Documents for other servers. They are the same for everybody, so only those without an account look at them. */
const documents = (path: (name: string) => string): View => ({
  kind: 'list',
  paths: ({ people }, looker) => (looker.id === undefined ? people.map(({ name }) => path(name)) : []),
});
/** All statuses as documents, at the addresses of every person. */
const objects = (path: (name: string, id: string) => string): View => ({
  kind: 'list',
  paths: ({ people, said }, looker) =>
    looker.id === undefined ? people.flatMap(({ name }) => said.map(({ id }) => path(name, id))) : [],
});

function things({ status, body }: Answered): readonly unknown[] {
  if (status !== 200) return [];
  return Array.isArray(body) ? body : (body.notification_groups ?? []);
}

const PAGE = 'limit=40';
type Thing = { readonly id: string };
type Group = { readonly group_key: string };

/** Views by route: a new route that shows statuses adds one line. */
export const STATUS_VIEWS: Readonly<Record<string, View>> = {
  'GET /api/v1/statuses/:id': each((id) => `/api/v1/statuses/${id}`),
  'GET /api/v1/statuses/:id/context': each((id) => `/api/v1/statuses/${id}/context`),
  'GET /api/v1/statuses/:id/card': {
    kind: 'list',
    paths: ({ said }) => said.map(({ id }) => `/api/v1/statuses/${id}/card`),
  },
  'GET /api/v1/statuses/:id/history': each((id) => `/api/v1/statuses/${id}/history`),
  'GET /api/v1/statuses/:id/favourited_by': each((id) => `/api/v1/statuses/${id}/favourited_by`),
  'GET /api/v1/statuses/:id/reblogged_by': each((id) => `/api/v1/statuses/${id}/reblogged_by`),
  'GET /api/v1/statuses/:id/source': {
    kind: 'list',
    paths: ({ said }) => said.map(({ id }) => `/api/v1/statuses/${id}/source`),
  },
  'GET /api/v1/statuses/:id/quotes': {
    kind: 'list',
    paths: ({ said }) => said.map(({ id }) => `/api/v1/statuses/${id}/quotes`),
  },
  'GET /api/v1/statuses': {
    kind: 'list',
    paths: ({ said }) => [
      `/api/v1/statuses?${said
        .slice(-20)
        .map(({ id }) => `id[]=${id}`)
        .join('&')}`,
    ],
  },
  'GET /api/v1/timelines/link': at(`/api/v1/timelines/link?url=https://news.example/&${PAGE}`),
  'GET /api/v1/statuses/:id/media_index': each((id) => `/api/v1/statuses/${id}/media_index`),
  'GET /api/v1/accounts/:id/media_index': ofPeople((id) => [`/api/v1/accounts/${id}/media_index`]),
  'GET /api/v1/polls/:id': each((id) => `/api/v1/polls/${id}`),
  'GET /api/v1/trends/statuses': at(`/api/v1/trends/statuses?${PAGE}`),
  'GET /api/v1/timelines/home': at(`/api/v1/timelines/home?${PAGE}`),
  'GET /api/v1/timelines/public': at(`/api/v1/timelines/public?${PAGE}`, `/api/v1/timelines/public?local=true&${PAGE}`),
  'GET /api/v1/timelines/tag/:hashtag': at(`/api/v1/timelines/tag/owls?${PAGE}`),
  'GET /api/v1/timelines/list/:id': listedAt(
    '/api/v1/lists',
    ({ id }: Thing) => `/api/v1/timelines/list/${id}?${PAGE}`,
  ),
  'GET /api/v1/timelines/direct': at(`/api/v1/timelines/direct?${PAGE}`),
  'GET /api/v1/timelines/mentions': at(`/api/v1/timelines/mentions?${PAGE}`),
  'GET /api/v1/accounts/:id/statuses': ofPeople((id) =>
    ['', 'pinned=true', 'exclude_replies=true', 'exclude_reblogs=true', 'tagged=owls'].map(
      (query) => `/api/v1/accounts/${id}/statuses?${query}&${PAGE}`,
    ),
  ),
  'GET /api/v1/favourites': at(`/api/v1/favourites?${PAGE}`),
  'GET /api/v1/bookmarks': at(`/api/v1/bookmarks?${PAGE}`),
  'GET /api/v1/conversations': at(`/api/v1/conversations?${PAGE}`),
  'GET /api/v1/notifications': at('/api/v1/notifications?include_filtered=true&limit=80'),
  'GET /api/v1/notifications/:id': listedAt(
    '/api/v1/notifications?include_filtered=true&limit=80',
    ({ id }: Thing) => `/api/v1/notifications/${id}`,
  ),
  'GET /api/v1/notifications/requests': at(`/api/v1/notifications/requests?${PAGE}`),
  'GET /api/v1/notifications/requests/:id': listedAt(
    '/api/v1/notifications/requests',
    ({ id }: Thing) => `/api/v1/notifications/requests/${id}`,
  ),
  'GET /api/v2/notifications': at('/api/v2/notifications?include_filtered=true&limit=80'),
  'GET /api/v2/notifications/:key': listedAt(
    '/api/v2/notifications?limit=80',
    ({ group_key }: Group) => `/api/v2/notifications/${group_key}`,
  ),
  'GET /api/v2/search': ofWords((word) => `/api/v2/search?q=${word}&${PAGE}`),
  'GET /users/:name/statuses/:id': objects((name, id) => `/users/${name}/statuses/${id}`),
  'GET /users/:name/statuses/:id/activity': objects((name, id) => `/users/${name}/statuses/${id}/activity`),
  'GET /@:name/:id': objects((name, id) => `/@${name}/${id}`),
  'GET /users/:name/statuses/:id/replies': objects((name, id) => `/users/${name}/statuses/${id}/replies?page=true`),
  'GET /users/:name/statuses/:id/likes': objects((name, id) => `/users/${name}/statuses/${id}/likes`),
  'GET /users/:name/statuses/:id/shares': objects((name, id) => `/users/${name}/statuses/${id}/shares`),
  'GET /contexts/:id': objects((_name, id) => `/contexts/${id}?page=true`),
  'GET /users/:name/outbox': documents((name) => `/users/${name}/outbox?page=true`),
  'GET /users/:name/collections/featured': documents((name) => `/users/${name}/collections/featured`),
  'GET /api/v1/search': ofWords((word) => `/api/v1/search?q=${word}&${PAGE}`),
};

/** Routes whose answers could contain statuses by name or type, and why they need no view. */
export const NO_STATUS_SHOWN: Readonly<Record<string, string>> = {
  'GET /media_proxy/statuses/:id/:hash': 'a file, under a name that only the status tells',
  'GET /web/notifications': 'what /api/v1/notifications shows',
  'GET /web/search': 'what /api/v2/search shows',
  'GET /api/v1/statuses/public': 'leads to where the timeline is now',
  'GET /api/v1/statuses/home': 'leads to where the timeline is now',
  'GET /api/v1/statuses/mentions': 'leads to where the timeline is now',
  'GET /api/v1/statuses/tag/:tag': 'leads to where the timeline is now',
  'GET /api/v1/scheduled_statuses': 'one’s own, and no statuses yet',
  'GET /api/v1/scheduled_statuses/:id': 'one’s own, and no status yet',
  'GET /users/:name/collections/tags': 'hashtags only',
  'GET /users/:name/collections/accounts': 'addresses of accounts only',
  'GET /users/:name/featured_collections': 'addresses of collections only',
  'GET /users/:name/collections/:id': 'addresses of accounts only',
  'GET /users/:name/feature_authorizations/:id': 'addresses of an account and a collection',
  'GET /users/:name/statuses/:id/quote_authorizations/:quoting': 'addresses only, of a pair that the request names',
  'GET /api/v1/accounts/search': 'accounts only',
  'GET /api/v1/notifications/unread_count': 'a count',
  'GET /api/v2/notifications/unread_count': 'a count',
  'GET /api/v1/notifications/requests/merged': 'yes or no',
  'GET /api/v1/notifications/policy': 'rules and counts',
  'GET /api/v2/notifications/policy': 'rules and counts',
  'GET /api/v2/notifications/:key/accounts': 'accounts only',
  'GET /api/v2/filters/:id/statuses': 'ids that the owner chose',
  'GET /api/v2/filters/statuses/:id': 'an id that the owner chose',
  'GET /api/v1/annual_reports': 'there are none',
  'GET /api/v1/annual_reports/:year': 'there are none',
  'GET /api/v1/admin/reports': 'for moderators, who see what was reported',
  'GET /api/v1/admin/trends/statuses': 'for moderators: what /api/v1/trends/statuses shows, as far as they may see it',
  'GET /api/v1/admin/reports/:id': 'for moderators, who see what was reported',
};
