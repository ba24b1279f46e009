import type { Made } from '../accounts.js';
import type { Row } from '../row.js';
import { at, type Town, write } from '../town.js';
import { benchListed, byId, type Listed, LONG, oneOf, SUBJECTS } from './listed.js';

const AUTHORS = 2 * LONG;
const READERS = 2 * LONG;
const POSTS_EACH = LONG;

/** The fields of a status that depend on the viewer, and others to check. */
interface Shown {
  readonly id: string;
  readonly favourited: boolean;
  readonly bookmarked: boolean;
  readonly reblogged: boolean;
  readonly visibility: string;
  readonly account: { readonly id: string };
}

/** Measures a page of each list of people and of statuses, by readers in turn. */
export const benchLists = (): Promise<Row[]> => benchListed([AUTHORS, READERS], filled);

/** Fills a town in which each of these lists is longer than a page. */
export async function filled(town: Town): Promise<Listed[]> {
  const { authors, followers: readers } = town;
  await town.followAll();
  await town.each('post', AUTHORS * POSTS_EACH, (index) => town.post(at(authors, index), `number ${index}`));
  const tagged = (answer: { readonly tags: readonly object[] }) => answer.tags.length === 1;
  await town.each('tag', LONG, (index) =>
    write(at(authors, index), '/api/v1/statuses', { status: `#bench ${index}` }, tagged),
  );
  const newest = town.newest;
  const marked = newest.slice(0, LONG);
  for (const verb of ['favourite', 'bookmark', 'reblog']) {
    // Only some statuses are reblogged: reblogs would otherwise make up most of each home.
    const statuses = verb === 'reblog' ? marked.slice(0, SUBJECTS) : marked;
    await town.each(verb, READERS * statuses.length, (index) =>
      write(at(readers, index), `/api/v1/statuses/${at(statuses, Math.floor(index / READERS))}/${verb}`, {}, Boolean),
    );
  }
  // Each mutes one half of the other authors and blocks the other half.
  const other = (index: number, from: number) => at(authors, (index % AUTHORS) + from + Math.floor(index / AUTHORS)).id;
  for (const [verb, from] of [
    ['mute', 1],
    ['block', LONG],
  ] as const) {
    await town.each(verb, AUTHORS * (LONG - 1), (index) =>
      write(at(authors, index), `/api/v1/accounts/${other(index, from)}/${verb}`, {}, Boolean),
    );
  }
  const lists = await peopleLists(town);
  const locked = readers.slice(-SUBJECTS);
  await requests(town, locked);
  await town.target.settled();
  const facts: Facts = { authors, readers, marked, lists, locked };
  return [...accountLists(facts), ...statusLists(facts)];
}

/** The inhabitants and objects that the lists show. */
interface Facts {
  readonly authors: readonly Made[];
  readonly readers: readonly Made[];
  /** Statuses that all readers have favourited and bookmarked; they reblogged the first ones. */
  readonly marked: readonly string[];
  /** Ids of lists by their owners' ids. */
  readonly lists: ReadonlyMap<string, string>;
  /** Accounts with follow requests. */
  readonly locked: readonly Made[];
}

function accountLists({ authors, readers, marked, lists, locked }: Facts): Listed[] {
  const [isAuthor, isReader, isMember] = [oneOf(authors), oneOf(readers), oneOf(authors.slice(0, LONG))];
  /**
   * Returns true if the reader has muted or blocked this author; those authors start at that distance from the reader.
   */
  const isAfter = (from: number, reader: Made, { id }: { readonly id: string }) => {
    const ahead = authors.findIndex((one) => one.id === id) - authors.indexOf(reader);
    const steps = (ahead - from + 2 * AUTHORS) % AUTHORS;
    return isAuthor({ id }) && steps < LONG - 1;
  };
  const isAsking = (reader: Made, { id }: { readonly id: string }) => {
    const first = LONG * locked.indexOf(reader);
    return oneOf(Array.from({ length: LONG }, (_, number) => at(authors, first + number)))({ id });
  };
  return [
    {
      name: 'followers',
      route: '/api/v1/accounts/:id/followers',
      path: (_, index) => `/api/v1/accounts/${at(authors, index).id}/followers`,
      by: authors,
      is: isReader,
    },
    {
      name: 'following',
      route: '/api/v1/accounts/:id/following',
      path: (_, index) => `/api/v1/accounts/${at(readers, index).id}/following`,
      by: readers,
      is: isAuthor,
    },
    { name: 'blocks', route: '/api/v1/blocks', by: authors, is: (one, { reader }) => isAfter(LONG, reader, one) },
    { name: 'mutes', route: '/api/v1/mutes', by: authors, is: (one, { reader }) => isAfter(1, reader, one) },
    {
      name: 'follow requests',
      route: '/api/v1/follow_requests',
      by: locked,
      is: (one, { reader }) => isAsking(reader, one),
    },
    {
      name: 'favourited by',
      route: '/api/v1/statuses/:id/favourited_by',
      path: (_, index) => `/api/v1/statuses/${at(marked, index)}/favourited_by`,
      is: isReader,
    },
    {
      name: 'reblogged by',
      route: '/api/v1/statuses/:id/reblogged_by',
      path: (_, index) => `/api/v1/statuses/${at(marked.slice(0, SUBJECTS), index)}/reblogged_by`,
      is: isReader,
    },
    {
      name: 'accounts of a list',
      route: '/api/v1/lists/:id/accounts',
      path: (reader) => `/api/v1/lists/${lists.get(reader.id)}/accounts`,
      is: isMember,
    },
  ];
}

function statusLists({ authors, marked, lists }: Facts): Listed[] {
  const [isMarked, isReblogged] = [new Set(marked), new Set(marked.slice(0, SUBJECTS))];
  const isMember = oneOf(authors.slice(0, LONG));
  /** Checks a status for a reader, all of whom have done the same. */
  const isStatus = ({ id, favourited, bookmarked, reblogged, visibility }: Shown) =>
    favourited === isMarked.has(id) &&
    bookmarked === isMarked.has(id) &&
    reblogged === isReblogged.has(id) &&
    visibility === 'public';
  return [
    {
      name: 'statuses of an account',
      route: '/api/v1/accounts/:id/statuses',
      path: (_, index) => `/api/v1/accounts/${at(authors, index).id}/statuses`,
      is: (status: Shown, { index }) => isStatus(status) && status.account.id === at(authors, index).id,
      falls: byId,
    },
    { name: 'favourites', route: '/api/v1/favourites', is: (status) => isStatus(status) && isMarked.has(status.id) },
    { name: 'bookmarks', route: '/api/v1/bookmarks', is: (status) => isStatus(status) && isMarked.has(status.id) },
    {
      name: 'hashtag timeline',
      route: '/api/v1/timelines/tag/:hashtag',
      path: () => '/api/v1/timelines/tag/bench',
      is: (status) => isStatus(status) && status.tags.length === 1 && status.tags[0].name === 'bench',
      falls: byId,
    },
    {
      name: 'list timeline',
      route: '/api/v1/timelines/list/:id',
      path: (reader) => `/api/v1/timelines/list/${lists.get(reader.id)}`,
      is: (status: Shown) => isStatus(status) && isMember(status.account),
      falls: byId,
    },
  ];
}

/** Creates a list of half of the authors for each reader; returns the lists' ids by the readers'. */
async function peopleLists(town: Town): Promise<ReadonlyMap<string, string>> {
  const lists = new Map<string, string>();
  await town.each('list', READERS, (index) => {
    const reader = at(town.followers, index);
    return write(reader, '/api/v1/lists', { title: 'half' }, ({ id }) => Boolean(lists.set(reader.id, id)));
  });
  const members = { account_ids: town.authors.slice(0, LONG).map(({ id }) => id) };
  await town.each('list members', READERS, (index) => {
    const reader = at(town.followers, index);
    return write(reader, `/api/v1/lists/${lists.get(reader.id)}/accounts`, members, Boolean);
  });
  return lists;
}

/** Creates follow requests that these accounts have to answer. */
async function requests(town: Town, locked: readonly Made[]): Promise<void> {
  for (const { token } of locked) {
    const path = '/api/v1/accounts/update_credentials';
    await town.call({
      method: 'PATCH',
      path,
      token,
      body: { locked: true },
      right: (answer) => answer.locked === true,
    });
  }
  await town.each('follow request', LONG * locked.length, (index) => {
    const asked = at(locked, Math.floor(index / LONG));
    return write(
      at(town.authors, index),
      `/api/v1/accounts/${asked.id}/follow`,
      {},
      ({ requested }) => requested === true,
    );
  });
}
