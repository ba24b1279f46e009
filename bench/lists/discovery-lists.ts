import type { Made } from '../accounts.js';
import type { Row } from '../row.js';
import { at, type Town, write } from '../town.js';
import { benchListed, byId, type Listed, LONG, oneOf, SUBJECTS } from './listed.js';

const AUTHORS = 2 * LONG;
const READERS = LONG;
const MODERATORS = 2;
/** Number of people who post each trend: one person alone creates none. */
const PEOPLE = 2;
/** A link that many statuses share: its timeline is longer than a page. */
const READ_LINK = 'https://news.example/read';

interface Counted {
  readonly id: string;
  readonly favourites_count: number;
}

/** Measures a page of each discovery list, and a thread. */
export const benchDiscoveryLists = (): Promise<Row[]> =>
  benchListed([AUTHORS, READERS, { moderators: MODERATORS }], filled);

export async function filled(town: Town): Promise<Listed[]> {
  const { authors, followers: readers, moderators } = town;
  for (const { token } of authors) {
    const body = { discoverable: true, indexable: true };
    const path = '/api/v1/accounts/update_credentials';
    await town.call({ method: 'PATCH', path, token, body, right: (answer) => answer.discoverable === true });
  }
  await town.each('post', AUTHORS, (index) => town.post(at(authors, index), `number ${index} of all`));
  const posted = town.newest.slice(0, LONG);
  await town.each('favourite', LONG * READERS, (index) =>
    write(at(readers, index), `/api/v1/statuses/${at(posted, Math.floor(index / READERS))}/favourite`, {}, Boolean),
  );
  for (const [name, text] of [
    ['tag', (number: number) => `#trend${number} it is`],
    ['link', (number: number) => `https://news.example/${number} it is`],
  ] as const) {
    await town.each(name, LONG * PEOPLE, (index) =>
      write(at(authors, index), '/api/v1/statuses', { status: text(index % LONG) }, Boolean),
    );
  }
  await town.each('link', LONG, (index) =>
    write(at(authors, index), '/api/v1/statuses', { status: `${READ_LINK} number ${index}` }, Boolean),
  );
  const threads = town.newest.slice(-SUBJECTS);
  await town.each('reply', threads.length * LONG, (index) => {
    const body = { status: `answer ${index}`, in_reply_to_id: at(threads, index) };
    return write(at(authors, index), '/api/v1/statuses', body, Boolean);
  });
  await town.target.settled();
  const isAuthor = oneOf(authors);
  return [
    ...searches(isAuthor),
    ...proposals(isAuthor),
    ...trends(posted, moderators),
    ...threadPages(threads, isAuthor),
  ];
}

type IsAuthor = ReturnType<typeof oneOf>;

const isTag = ({ name }: { readonly name: string }) => /^trend\d+$/.test(name);
const isLink = ({ url }: { readonly url: string }) => /^https:\/\/news\.example\/(\d+|read)$/.test(url);

function searches(isAuthor: IsAuthor): Listed[] {
  const isPerson = ({ username }: { readonly username: string }) => /^user\d+$/.test(username);
  return [
    {
      name: 'search for accounts',
      route: '/api/v2/search',
      path: () => '/api/v2/search?type=accounts&q=user',
      items: ({ accounts }) => accounts,
      is: isPerson,
    },
    {
      name: 'search for accounts alone',
      route: '/api/v1/accounts/search',
      path: () => '/api/v1/accounts/search?q=user',
      is: isPerson,
    },
    {
      name: 'search for all, old',
      route: '/api/v1/search',
      path: () => '/api/v1/search?q=user',
      items: ({ accounts }) => accounts,
      is: isPerson,
    },
    {
      name: 'search for statuses',
      route: '/api/v2/search',
      path: () => '/api/v2/search?type=statuses&q=number',
      items: ({ statuses }) => statuses,
      is: ({ content, account }) => /\bnumber \d+/.test(content) && isAuthor(account),
    },
    {
      name: 'search for hashtags',
      route: '/api/v2/search',
      path: () => '/api/v2/search?type=hashtags&q=trend',
      items: ({ hashtags }) => hashtags,
      key: ({ name }) => name,
      is: isTag,
    },
  ];
}

const proposals = (isAuthor: IsAuthor): Listed[] => [
  {
    name: 'suggestions',
    route: '/api/v2/suggestions',
    key: ({ account }) => account.id,
    is: ({ account }) => isAuthor(account) && account.discoverable === true,
  },
  { name: 'suggestions, old', route: '/api/v1/suggestions', is: isAuthor },
  { name: 'directory', route: '/api/v1/directory', is: isAuthor, falls: ({ last_status_at: day }) => day },
];

function trends(posted: readonly string[], moderators: readonly Made[]): Listed[] {
  const isPosted = new Set(posted);
  const isTrend = ({ id, favourites_count: count }: Counted) => isPosted.has(id) && count === READERS;
  return [
    {
      name: 'trending hashtags',
      route: '/api/v1/trends/tags',
      key: ({ name }) => name,
      is: isTag,
    },
    {
      name: 'trending statuses',
      route: '/api/v1/trends/statuses',
      is: (status) => isTrend(status) && status.favourited === true,
    },
    {
      name: 'trending links',
      route: '/api/v1/trends/links',
      key: ({ url }) => url,
      is: isLink,
    },
    {
      name: 'hashtags for moderators',
      route: '/api/v1/admin/trends/tags',
      by: moderators,
      key: ({ name }) => name,
      is: isTag,
    },
    { name: 'statuses for moderators', route: '/api/v1/admin/trends/statuses', by: moderators, is: isTrend },
    {
      name: 'links for moderators',
      route: '/api/v1/admin/trends/links',
      by: moderators,
      key: ({ url }) => url,
      is: isLink,
    },
  ];
}

const threadPages = (threads: readonly string[], isAuthor: IsAuthor): Listed[] => [
  {
    name: 'link timeline',
    route: '/api/v1/timelines/link',
    path: () => `/api/v1/timelines/link?url=${encodeURIComponent(READ_LINK)}`,
    is: ({ content, account }) => content.includes(`href="${READ_LINK}"`) && isAuthor(account),
    falls: byId,
  },
  {
    name: 'thread',
    route: '/api/v1/statuses/:id/context',
    path: (_, index) => `/api/v1/statuses/${at(threads, index)}/context`,
    length: LONG,
    items: ({ descendants }) => descendants,
    is: ({ in_reply_to_id: to, content }, { index }) =>
      to === at(threads, index) && /^<p>answer \d+<\/p>$/.test(content),
  },
];
