import type { Made } from '../accounts.js';
import type { Row } from '../row.js';
import { at, get, type Town, write } from '../town.js';
import { type Asked, benchListed, byId, type Listed, LONG, oneOf, PAGE, SUBJECTS } from './listed.js';

/** Maximum number of hashtags that a profile features, and that are suggested for it. */
const FEATURED = 10;
/** Number of accounts that the readers follow and that follow all others. */
const FAMILIAR = 4;
/** Maximum number of collections of an account. */
const COLLECTIONS = 10;

/** Measures a page of lists about some people or statuses, of profiles, and of one status or filter. */
export const benchProfileLists = (): Promise<Row[]> => benchListed([LONG + FAMILIAR, LONG], filled);

export async function filled(town: Town): Promise<Listed[]> {
  const { authors } = town;
  const readers = town.followers.slice(0, SUBJECTS);
  const people = authors.slice(FAMILIAR);
  await acquainted(town, readers, people);
  const { edited, quoted } = await said(town, people, readers);
  const filters = await filtered(town, readers, people);
  await collected(town, people, readers);
  await town.target.settled();
  const facts: Facts = { town, readers, people, edited, quoted, filters };
  return [...accountLists(facts), ...profileLists(facts), ...statusLists(facts), ...filterLists(facts)];
}

/** The inhabitants and objects that the lists show. */
interface Facts {
  readonly town: Town;
  readonly readers: readonly Made[];
  readonly people: readonly Made[];
  readonly edited: readonly string[];
  readonly quoted: readonly string[];
  /** Ids of filters by their owners' ids. */
  readonly filters: ReadonlyMap<string, string>;
}

const ids = (path: string, items: readonly string[]) => `${path}?${items.map((id) => `id[]=${id}`).join('&')}`;
const pageOf = (people: readonly Made[]) => people.slice(0, PAGE).map(({ id }) => id);
const benchTag = (name: string) => Number(/^bench(\d+)$/.exec(name)?.[1] ?? Number.NaN);

function accountLists({ town, readers, people }: Facts): Listed[] {
  const some = pageOf(people);
  const isFamiliar = oneOf(town.authors.slice(0, FAMILIAR));
  return [
    {
      name: 'accounts by id',
      route: '/api/v1/accounts',
      path: () => ids('/api/v1/accounts', some),
      is: ({ id, username }, { place }) => id === some[place] && username === people[place]?.username,
    },
    {
      name: 'relationships',
      route: '/api/v1/accounts/relationships',
      path: () => ids('/api/v1/accounts/relationships', some),
      by: readers,
      is: ({ id, following, endorsed, followed_by: followed, blocking }, { place }) =>
        id === some[place] && following === true && endorsed === true && followed === false && blocking === false,
    },
    {
      name: `familiar followers, ${FAMILIAR} of each`,
      route: '/api/v1/accounts/familiar_followers',
      path: () => ids('/api/v1/accounts/familiar_followers', some),
      by: readers,
      is: ({ id, accounts }, { place }) =>
        id === some[place] && accounts.length === FAMILIAR && accounts.every(isFamiliar),
    },
  ];
}

function profileLists({ town, readers, people }: Facts): Listed[] {
  const some = pageOf(people);
  const isPerson = oneOf(people);
  const isOwnList = ({ title }: { readonly title: string }, { reader }: Asked) =>
    title.startsWith(`${reader.username}'s`);
  return [
    {
      name: 'endorsements of an account',
      route: '/api/v1/accounts/:id/endorsements',
      path: (_, index) => `/api/v1/accounts/${at(readers, index).id}/endorsements`,
      is: isPerson,
    },
    {
      name: 'hashtags of an account',
      route: '/api/v1/accounts/:id/featured_tags',
      path: (_, index) => `/api/v1/accounts/${at(readers, index).id}/featured_tags`,
      length: FEATURED,
      is: ({ name, url }, { index }) => benchTag(name) < FEATURED && url.includes(`@${at(readers, index).username}/`),
    },
    {
      name: 'hashtags to be featured',
      route: '/api/v1/featured_tags/suggestions',
      by: readers,
      length: FEATURED,
      key: ({ name }) => name,
      is: ({ name }) => benchTag(name) >= FEATURED,
    },
    {
      name: 'lists with an account',
      route: '/api/v1/accounts/:id/lists',
      path: () => `/api/v1/accounts/${some[0]}/lists`,
      by: readers,
      is: isOwnList,
    },
    {
      name: 'collections of an account',
      route: '/api/v1/accounts/:id/collections',
      path: (_, index) => `/api/v1/accounts/${at(town.authors.slice(0, FAMILIAR), index).id}/collections`,
      length: COLLECTIONS,
      items: ({ collections }) => collections,
      is: ({ account_id: owner, item_count: count }, { index }) =>
        owner === at(town.authors.slice(0, FAMILIAR), index).id && count === PAGE,
    },
    {
      name: 'collections that feature one',
      route: '/api/v1/accounts/:id/in_collections',
      path: (reader) => `/api/v1/accounts/${reader.id}/in_collections`,
      by: readers,
      items: ({ collections }) => collections,
      is: ({ account_id: id, item_count: count }) => isPerson({ id }) && count === readers.length,
    },
  ];
}

function statusLists({ town, people, edited, quoted }: Facts): Listed[] {
  const statuses = town.newest.slice(0, PAGE);
  const isPerson = oneOf(people);
  return [
    {
      name: 'statuses by id',
      route: '/api/v1/statuses',
      path: () => ids('/api/v1/statuses', statuses),
      is: ({ id, account, content }, { place }) =>
        id === statuses[place] && isPerson(account) && /^<p>number \d+<\/p>$/.test(content),
    },
    {
      name: 'history of a status',
      route: '/api/v1/statuses/:id/history',
      path: (_, index) => `/api/v1/statuses/${at(edited, index)}/history`,
      key: ({ content }) => content,
      is: ({ content, account }, { index, place }) =>
        content === `<p>${place === 0 ? 'to be edited' : `as edited ${place}`}</p>` &&
        account.id === at(people.slice(0, SUBJECTS), index).id,
    },
    {
      name: 'quotes of a status',
      route: '/api/v1/statuses/:id/quotes',
      path: (_, index) => `/api/v1/statuses/${at(quoted, index)}/quotes`,
      is: ({ quote, account }, { index }) =>
        quote.state === 'accepted' && quote.quoted_status.id === at(quoted, index) && isPerson(account),
      falls: byId,
    },
  ];
}

function filterLists({ town, readers, filters }: Facts): Listed[] {
  const isStatus = new Set(town.newest.slice(0, PAGE));
  const filter = (reader: Made) => filters.get(reader.id);
  return [
    {
      name: 'keywords of a filter',
      route: '/api/v2/filters/:id/keywords',
      path: (reader) => `/api/v2/filters/${filter(reader)}/keywords`,
      by: readers,
      is: ({ keyword, whole_word: whole }) => /^word\d+$/.test(keyword) && whole === true,
    },
    {
      name: 'statuses of a filter',
      route: '/api/v2/filters/:id/statuses',
      path: (reader) => `/api/v2/filters/${filter(reader)}/statuses`,
      by: readers,
      key: ({ status_id: id }) => id,
      is: ({ status_id: id }) => isStatus.has(id),
    },
  ];
}

/** Creates follows, endorsements and lists. */
async function acquainted(town: Town, readers: readonly Made[], people: readonly Made[]): Promise<void> {
  const familiar = town.authors.slice(0, FAMILIAR);
  const follow = (who: Made, whom: Made) =>
    write(who, `/api/v1/accounts/${whom.id}/follow`, {}, ({ following }) => following);
  await town.each('follow', familiar.length * people.length, (index) =>
    follow(at(familiar, index), at(people, Math.floor(index / familiar.length))),
  );
  await town.each('follow', readers.length * town.authors.length, (index) =>
    follow(at(readers, index), at(town.authors, Math.floor(index / readers.length))),
  );
  await town.each('endorse', readers.length * LONG, (index) => {
    const path = `/api/v1/accounts/${at(people, Math.floor(index / readers.length)).id}/endorse`;
    return write(at(readers, index), path, {}, ({ endorsed }) => endorsed);
  });
  const members = { account_ids: [people[0]?.id] };
  for (const reader of readers) {
    for (let number = 0; number < PAGE; number++) {
      const { id } = await town.call<{ id: string }>(
        write(reader, '/api/v1/lists', { title: `${reader.username}'s ${number}` }, Boolean),
      );
      await town.call(write(reader, `/api/v1/lists/${id}/accounts`, members, Boolean));
    }
  }
}

/** Creates statuses of all: with hashtags of the readers', some edited, and some with many quotes. */
async function said(town: Town, people: readonly Made[], readers: readonly Made[]) {
  await town.each('post', LONG, (index) => town.post(at(people, index), `number ${index}`));
  for (let number = 0; number < 2 * FEATURED; number++) {
    await town.each('tag', readers.length, (index) =>
      write(at(readers, index), '/api/v1/statuses', { status: `#bench${number}` }, ({ tags }) => tags.length === 1),
    );
  }
  await town.target.settled();
  await town.each('featured tag', FEATURED * readers.length, (index) =>
    write(at(readers, index), '/api/v1/featured_tags', { name: `bench${Math.floor(index / readers.length)}` }, Boolean),
  );
  const [edited, quoted]: [string[], string[]] = [[], []];
  for (let number = 0; number < SUBJECTS; number++) {
    const author = at(people, number);
    const [first, second] = ['to be edited', 'to be quoted'].map((status) =>
      write(author, '/api/v1/statuses', { status, quote_approval_policy: 'public' }, Boolean),
    );
    if (first === undefined || second === undefined) throw new Error('nothing is said');
    const { id } = await town.call<{ id: string }>(first);
    for (let edit = 1; edit < PAGE; edit++) {
      const body = { status: `as edited ${edit}` };
      await town.call({ method: 'PUT', path: `/api/v1/statuses/${id}`, token: author.token, body, right: Boolean });
    }
    edited.push(id);
    const original = await town.call<{ id: string }>(second);
    await town.each('quote', LONG, (index) =>
      write(
        at(people, index),
        '/api/v1/statuses',
        { status: `as they say ${index}`, quoted_status_id: original.id },
        ({ quote }) => quote?.state === 'accepted',
      ),
    );
    quoted.push(original.id);
  }
  return { edited, quoted };
}

/** Some accounts create as many collections as they may, all of which feature the readers. */
async function collected(town: Town, people: readonly Made[], readers: readonly Made[]): Promise<void> {
  for (const { token } of [...people, ...readers]) {
    const path = '/api/v1/accounts/update_credentials';
    const right = (answer: { readonly discoverable: boolean }) => answer.discoverable;
    await town.call({ method: 'PATCH', path, token, body: { discoverable: true }, right });
  }
  const collection = (who: Made, members: readonly Made[], name: string) =>
    write(
      who,
      '/api/v1/collections',
      { name, account_ids: members.map(({ id }) => id) },
      ({ collection: made }) => made.items.length === members.length,
    );
  await town.each('collection', FAMILIAR * COLLECTIONS, (index) =>
    collection(at(town.authors, index % FAMILIAR), people.slice(0, PAGE), `number ${index}`),
  );
  await town.each('collection', people.length, (index) => collection(at(people, index), readers, `number ${index}`));
}

/** Creates a filter for each reader with a page of words and of statuses. */
async function filtered(town: Town, readers: readonly Made[], people: readonly Made[]) {
  const filters = new Map<string, string>();
  const statuses = town.newest.slice(0, PAGE);
  for (const reader of readers) {
    const keywords = Array.from({ length: PAGE }, (_, number) => ({ keyword: `word${number}`, whole_word: true }));
    const body = { title: people[0]?.username, context: ['public'], keywords_attributes: keywords };
    const { id } = await town.call<{ id: string }>(write(reader, '/api/v2/filters', body, Boolean));
    for (const status of statuses) {
      await town.call(write(reader, `/api/v2/filters/${id}/statuses`, { status_id: status }, Boolean));
    }
    filters.set(reader.id, id);
    await town.call(get(`/api/v2/filters/${id}/keywords`, reader, (all: readonly object[]) => all.length === PAGE));
  }
  return filters;
}
