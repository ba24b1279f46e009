import type { Made } from '../accounts.js';
import type { Call } from '../http-load.js';
import type { Row } from '../row.js';
import { at, get, type Town, write } from '../town.js';
import { benchListed, byId, type Listed, LONG, oneOf, PAGE, SUBJECTS } from './listed.js';

const READERS = 8;
/** Maximum number of hashtags that a profile features. */
const FEATURED = 10;
/** Number of accounts that favourite each of a reader's posts: the notifications in a group. */
const FAVOURITES_EACH = 4;
const YEAR_MS = 366 * 86_400_000;

/** The fields of a status that name author and recipients. */
interface Said {
  readonly visibility: string;
  readonly account: { readonly id: string };
  readonly mentions: readonly { readonly id: string }[];
}
/** Returns a name that identifies its owner; without dots or spaces, so that it may be a hashtag. */
const nameOf = (what: string, { username }: Made, number: number | '') => `${what}${username}x${number}`;

/** Measures a page of each private list. */
export const benchOwnLists = (): Promise<Row[]> => benchListed([LONG, READERS], filled);

export async function filled(town: Town): Promise<Listed[]> {
  const { authors } = town;
  const readers = town.followers.slice(0, SUBJECTS);
  await directs(town, readers);
  const posted = await noticed(town, readers);
  await kept(town, readers);
  await town.target.settled();
  const groups = await groupsOf(town, authors.slice(0, SUBJECTS));
  const facts: Facts = { town, readers, posted, groups };
  return [...messageLists(facts), ...notificationLists(facts), ...keptLists(facts)];
}

/** The inhabitants and objects that the lists show. */
interface Facts {
  readonly town: Town;
  readonly readers: readonly Made[];
  /** Authors of statuses, by the statuses' ids. */
  readonly posted: ReadonlyMap<string, string>;
  /** Keys of groups of notifications, by their owners' ids. */
  readonly groups: ReadonlyMap<string, readonly string[]>;
}

const isFor = ({ mentions }: Said, { id }: Made) => mentions.some((one) => one.id === id);
const isDirect = (isAuthor: ReturnType<typeof oneOf>, status: Said, reader: Made) =>
  status.visibility === 'direct' && isAuthor(status.account) && isFor(status, reader);
const isOwn = (text: string, what: string, reader: Made) => text.startsWith(nameOf(what, reader, ''));

function messageLists({ town, readers }: Facts): Listed[] {
  const [isAuthor, isReader] = [oneOf(town.authors), oneOf(readers)];
  return [
    {
      name: 'conversations',
      route: '/api/v1/conversations',
      by: readers,
      is: ({ accounts, last_status: last }, { reader }) =>
        accounts.length === 1 && isDirect(isAuthor, last, reader) && last.account.id === accounts[0].id,
      falls: ({ last_status: last }) => last.id,
    },
    {
      name: 'direct timeline',
      route: '/api/v1/timelines/direct',
      by: readers,
      is: (status, { reader }) => isDirect(isAuthor, status, reader),
      falls: byId,
    },
    {
      name: 'mentions timeline',
      route: '/api/v1/timelines/mentions',
      by: town.authors.slice(0, SUBJECTS),
      is: (status, { reader }) => isReader(status.account) && isFor(status, reader),
    },
  ];
}

function notificationLists({ town, readers, posted, groups }: Facts): Listed[] {
  const [isAuthor, isReader] = [oneOf(town.authors), oneOf(readers)];
  const isFavouriter = oneOf(town.followers.slice(0, FAVOURITES_EACH));
  return [
    {
      name: `grouped notifications, ${FAVOURITES_EACH} in each group`,
      route: '/api/v2/notifications',
      by: town.authors.slice(0, SUBJECTS),
      items: ({ notification_groups: groups }) => groups,
      key: ({ group_key: key }) => key,
      // The newest notifications are those of the followers, in one group.
      is: (group, { reader, place }) =>
        place === 0
          ? group.type === 'follow' && group.sample_account_ids.every((id: string) => isReader({ id }))
          : group.type === 'favourite' &&
            group.notifications_count === FAVOURITES_EACH &&
            group.sample_account_ids.every((id: string) => isFavouriter({ id })) &&
            posted.get(group.status_id) === reader.id,
      falls: ({ latest_page_notification_at: at }) => at,
    },
    {
      name: 'accounts of a group of notifications',
      route: '/api/v2/notifications/:key/accounts',
      path: (reader, index) => `/api/v2/notifications/${at(groups.get(reader.id) ?? [], index)}/accounts`,
      by: town.authors.slice(0, SUBJECTS),
      length: FAVOURITES_EACH,
      is: isFavouriter,
    },
    {
      name: 'requests of strangers to notify',
      route: '/api/v1/notifications/requests',
      by: readers,
      is: ({ account, last_status: last }, { reader }) =>
        isDirect(isAuthor, last, reader) && last.account.id === account.id,
    },
  ];
}

const keptLists = ({ town, readers }: Facts): Listed[] => [
  {
    name: 'scheduled statuses',
    route: '/api/v1/scheduled_statuses',
    by: readers,
    is: ({ params }, { reader }) => isOwn(params.text, 'later', reader),
  },
  {
    name: 'followed hashtags',
    route: '/api/v1/followed_tags',
    by: readers,
    key: ({ name }) => name,
    is: ({ name, following }, { reader }) => following === true && isOwn(name, 'bench', reader),
  },
  {
    name: 'featured hashtags',
    route: '/api/v1/featured_tags',
    by: readers,
    length: FEATURED,
    is: ({ name }, { reader }) => isOwn(name, 'bench', reader),
  },
  { name: 'endorsements', route: '/api/v1/endorsements', by: readers, is: oneOf(town.authors) },
  {
    name: 'domain blocks',
    route: '/api/v1/domain_blocks',
    by: readers,
    key: (domain) => domain,
    is: (domain, { reader }) => isOwn(domain, 'number', reader),
  },
  {
    name: 'filters',
    route: '/api/v2/filters',
    by: readers,
    is: ({ title, keywords }, { reader }) => isOwn(title, '', reader) && keywords[0]?.keyword === `word ${title}`,
  },
  {
    name: 'filters, old',
    route: '/api/v1/filters',
    by: readers,
    is: ({ phrase, whole_word: whole }, { reader }) => isOwn(phrase, 'word ', reader) && whole === true,
  },
  { name: 'lists', route: '/api/v1/lists', by: readers, is: ({ title }, { reader }) => isOwn(title, '', reader) },
];

/** Returns keys of groups with several accounts, by owner. */
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

/** Creates a conversation of each reader with each author, in which both post. */
async function directs(town: Town, readers: readonly Made[]): Promise<void> {
  await town.each('direct', LONG * readers.length, (index) => {
    const [author, reader] = [at(town.authors, index), at(readers, Math.floor(index / LONG))];
    const body = { status: `@${reader.username} a word`, visibility: 'direct' };
    return write(author, '/api/v1/statuses', body, ({ visibility }) => visibility === 'direct');
  });
}

/** Readers mention authors, and others favourite the authors' posts. Returns the authors of those posts by id. */
async function noticed(town: Town, readers: readonly Made[]): Promise<ReadonlyMap<string, string>> {
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
  // The favourites come last, and those of one post are consecutive, so that a page has groups with this many members.
  await town.each('favourite', posted.size * FAVOURITES_EACH, (index) => {
    const id = posted.get(Math.floor(index / FAVOURITES_EACH));
    return write(at(town.followers, index % FAVOURITES_EACH), `/api/v1/statuses/${id}/favourite`, {}, Boolean);
  });
  return new Map([...posted].map(([index, id]) => [id, at(noticed, index).id]));
}

/** Creates the readers' private data. */
async function kept(town: Town, readers: readonly Made[]): Promise<void> {
  const each = (name: string, count: number, call: (reader: Made, number: number) => Call) =>
    town.each(name, count * readers.length, (index) => call(at(readers, index), Math.floor(index / readers.length)));
  // A day has a maximum number of them.
  await each('schedule', LONG, (reader, number) => {
    const at = new Date(Date.now() + YEAR_MS + number * 86_400_000).toISOString();
    return write(reader, '/api/v1/statuses', { status: nameOf('later', reader, number), scheduled_at: at }, ({ id }) =>
      Boolean(id),
    );
  });
  await each('tag', LONG, (reader, number) =>
    write(reader, `/api/v1/tags/${nameOf('bench', reader, number)}/follow`, {}, Boolean),
  );
  await each('featured tag', FEATURED, (reader, number) =>
    write(reader, '/api/v1/featured_tags', { name: nameOf('bench', reader, number) }, Boolean),
  );
  await each('follow', LONG, (reader, number) =>
    write(reader, `/api/v1/accounts/${at(town.authors, number).id}/follow`, {}, ({ following }) => following),
  );
  await each('endorse', LONG, (reader, number) =>
    write(reader, `/api/v1/accounts/${at(town.authors, number).id}/endorse`, {}, ({ endorsed }) => endorsed),
  );
  await each('domain', LONG, (reader, number) =>
    write(reader, '/api/v1/domain_blocks', { domain: `${nameOf('number', reader, number)}.example` }, Boolean),
  );
  // At most a page: these lists have no further pages.
  await each('filter', PAGE, (reader, number) => {
    const title = nameOf('', reader, number);
    const keywords = [{ keyword: `word ${title}`, whole_word: true }];
    return write(reader, '/api/v2/filters', { title, context: ['public'], keywords_attributes: keywords }, Boolean);
  });
  await each('list', PAGE, (reader, number) =>
    write(reader, '/api/v1/lists', { title: nameOf('', reader, number) }, Boolean),
  );
  for (const reader of readers) {
    await town.call(get('/api/v1/lists', reader, (lists: readonly object[]) => lists.length === PAGE));
  }
}
