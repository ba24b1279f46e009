import type { Made } from './accounts.js';
import type { Call } from './http-load.js';
import { benchListed, type Listed, LONG, PAGE, SUBJECTS } from './listed.js';
import type { Row } from './row.js';
import { at, get, type Town, write } from './town.js';

const READERS = 8;
/** Hashtags that a profile shows at most. */
const FEATURED = 10;
/** Who favourites each of a reader's posts: as many notifications in a group. */
const FAVOURITES_EACH = 4;
const YEAR_MS = 366 * 86_400_000;

/** A page of each list that is somebody's own. */
export const benchOwnLists = (): Promise<Row[]> => benchListed([LONG, READERS], filled);

export async function filled(town: Town): Promise<Listed[]> {
  const { authors } = town;
  const readers = town.followers.slice(0, SUBJECTS);
  await directs(town, readers);
  await noticed(town, readers);
  await kept(town, readers);
  await town.target.settled();
  const groups = await groupsOf(town, authors.slice(0, SUBJECTS));
  return [
    { name: 'conversations', route: '/api/v1/conversations', by: readers },
    { name: 'direct timeline', route: '/api/v1/timelines/direct', by: readers },
    {
      name: 'mentions timeline',
      route: '/api/v1/timelines/mentions',
      by: authors.slice(0, SUBJECTS),
    },
    {
      name: `grouped notifications, ${FAVOURITES_EACH} in each group`,
      route: '/api/v2/notifications',
      by: authors.slice(0, SUBJECTS),
      items: ({ notification_groups: groups }) => groups,
      key: ({ group_key: key }) => key,
    },
    {
      name: 'accounts of a group of notifications',
      route: '/api/v2/notifications/:key/accounts',
      path: (reader, index) => `/api/v2/notifications/${at(groups.get(reader.id) ?? [], index)}/accounts`,
      by: authors.slice(0, SUBJECTS),
      length: FAVOURITES_EACH,
    },
    { name: 'requests of strangers to notify', route: '/api/v1/notifications/requests', by: readers },
    {
      name: 'scheduled statuses',
      route: '/api/v1/scheduled_statuses',
      by: readers,
    },
    {
      name: 'followed hashtags',
      route: '/api/v1/followed_tags',
      by: readers,
      key: ({ name }) => name,
    },
    {
      name: 'featured hashtags',
      route: '/api/v1/featured_tags',
      by: readers,
      length: FEATURED,
    },
    { name: 'endorsements', route: '/api/v1/endorsements', by: readers },
    {
      name: 'domain blocks',
      route: '/api/v1/domain_blocks',
      by: readers,
      key: (domain) => domain,
    },
    { name: 'filters', route: '/api/v2/filters', by: readers },
    { name: 'filters, old', route: '/api/v1/filters', by: readers },
    { name: 'lists', route: '/api/v1/lists', by: readers },
  ];
}

/** Keys of groups with several accounts, by whose they are. */
async function groupsOf(town: Town, noticed: readonly Made[]): Promise<ReadonlyMap<string, readonly string[]>> {
  interface Group {
    readonly group_key: string;
    readonly type: string;
  }
  const keys = new Map<string, readonly string[]>();
  for (const one of noticed) {
    const { notification_groups: groups } = await town.call<{ readonly notification_groups: readonly Group[] }>(
      get('/api/v2/notifications?types[]=favourite', one, Boolean),
    );
    keys.set(
      one.id,
      groups.map(({ group_key: key }) => key),
    );
  }
  return keys;
}

/** A conversation of each reader with each author, in which both say something. */
async function directs(town: Town, readers: readonly Made[]): Promise<void> {
  await town.each('direct', LONG * readers.length, (index) => {
    const [author, reader] = [at(town.authors, index), at(readers, Math.floor(index / LONG))];
    const body = { status: `@${reader.username} a word`, visibility: 'direct' };
    return write(author, '/api/v1/statuses', body, ({ visibility }) => visibility === 'direct');
  });
}

/** Authors are mentioned by readers; then their posts are favourited. */
async function noticed(town: Town, readers: readonly Made[]): Promise<void> {
  const noticed = town.authors.slice(0, SUBJECTS);
  const posted = new Map<number, string>();
  await town.each('post', LONG * noticed.length, (index) =>
    write(at(noticed, index), '/api/v1/statuses', { status: `number ${index}` }, ({ id }) => {
      return Boolean(posted.set(index, id));
    }),
  );
  await town.each('mention', LONG * noticed.length, (index) => {
    const status = `@${at(noticed, index).username} number ${index}`;
    return write(at(readers, Math.floor(index / noticed.length)), '/api/v1/statuses', { status }, Boolean);
  });
  await town.target.settled();
  // The newest, and those of one post next to one another: so that a page is of groups with as many members.
  await town.each('favourite', posted.size * FAVOURITES_EACH, (index) => {
    const id = posted.get(Math.floor(index / FAVOURITES_EACH));
    return write(at(town.followers, index % FAVOURITES_EACH), `/api/v1/statuses/${id}/favourite`, {}, Boolean);
  });
}

/** What readers keep for themselves. */
async function kept(town: Town, readers: readonly Made[]): Promise<void> {
  const each = (name: string, count: number, call: (reader: Made, number: number) => Call) =>
    town.each(name, count * readers.length, (index) => call(at(readers, index), Math.floor(index / readers.length)));
  // So many a day at most.
  await each('schedule', LONG, (reader, number) => {
    const at = new Date(Date.now() + YEAR_MS + number * 86_400_000).toISOString();
    return write(reader, '/api/v1/statuses', { status: `later ${number}`, scheduled_at: at }, ({ id }) => Boolean(id));
  });
  await each('tag', LONG, (reader, number) => write(reader, `/api/v1/tags/bench${number}/follow`, {}, Boolean));
  await each('featured tag', FEATURED, (reader, number) =>
    write(reader, '/api/v1/featured_tags', { name: `bench${number}` }, Boolean),
  );
  await each('follow', LONG, (reader, number) =>
    write(reader, `/api/v1/accounts/${at(town.authors, number).id}/follow`, {}, ({ following }) => following),
  );
  await each('endorse', LONG, (reader, number) =>
    write(reader, `/api/v1/accounts/${at(town.authors, number).id}/endorse`, {}, ({ endorsed }) => endorsed),
  );
  await each('domain', LONG, (reader, number) =>
    write(reader, '/api/v1/domain_blocks', { domain: `number${number}.example` }, Boolean),
  );
  // Not more than a page: these lists have none.
  await each('filter', PAGE, (reader, number) => {
    const keywords = [{ keyword: `word${number}`, whole_word: true }];
    return write(
      reader,
      '/api/v2/filters',
      { title: `${number}`, context: ['public'], keywords_attributes: keywords },
      Boolean,
    );
  });
  await each('list', PAGE, (reader, number) => write(reader, '/api/v1/lists', { title: `${number}` }, Boolean));
  for (const reader of readers) {
    await town.call(get('/api/v1/lists', reader, (lists: readonly object[]) => lists.length === PAGE));
  }
}
