import assert from 'node:assert/strict';
import type { Made } from './accounts.js';
import { type Load, measure } from './http-load.js';
import type { Row } from './row.js';
import { at, get, type Status, Town, write } from './town.js';

const IN_FLIGHT = 32;
const AUTHORS = 32;
const ROUNDS = 3;
/** Rounds of single writes; their cost is compared between versions. */
const SINGLE_ROUNDS = 5;
/** Calls before the first of these rounds: V8 compiles a write's code for as long. */
const SINGLE_WARM_UP = 9_000;
/** Number of followers whose homes are read to the end afterwards. */
const SAMPLED = 3;

/**
 * Measures posts by many authors and by one, with different numbers of followers; those without followers show the cost
 * of the fan-out.
 */
export async function benchPosts(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [followers, authors, target] of [
    [0, AUTHORS, undefined],
    [10, AUTHORS, 0.5],
    [100, AUTHORS, 0.5],
    [1_000, AUTHORS / 4, 0.6],
  ] as const) {
    const town = await Town.open(authors, followers);
    try {
      await town.followAll();
      const readers = town.followers.filter((_, index) => index % Math.ceil(followers / SAMPLED) === 0);
      // Homes have been read before the posts arrive, as those of active users.
      await town.each('home', followers, (index) => get('/api/v1/timelines/home', at(town.followers, index), isList));
      const posts = (from: string, who: (index: number) => Made): Load => ({
        name: `post, ${followers} followers, ${from}`,
        count: 2_000,
        rounds: ROUNDS,
        warmUp: 2_000,
        inFlight: IN_FLIGHT,
        writes: true,
        ...(target === undefined ? {} : { target }),
        call: (index) => town.post(who(index), `number ${index}`),
      });
      rows.push(
        await measure(
          town.target,
          posts(`${authors} authors`, (index) => at(town.authors, index)),
        ),
      );
      await town.assertHomes(readers);
      if (followers === 0) continue;
      rows.push(
        await measure(
          town.target,
          posts('one author', () => at(town.authors, 0)),
        ),
      );
      await town.assertHomes(readers);
    } finally {
      await town.dispose();
    }
  }
  return rows;
}

/** Measures follows: every person follows every author once. */
export async function benchFollow(): Promise<Row[]> {
  const count = 2_000;
  const town = await Town.open(AUTHORS, Math.ceil((count * SINGLE_ROUNDS + SINGLE_WARM_UP) / AUTHORS));
  try {
    const load: Load = {
      name: 'follow',
      count,
      rounds: SINGLE_ROUNDS,
      warmUp: town.follows - count * SINGLE_ROUNDS,
      inFlight: IN_FLIGHT,
      writes: true,
      target: 0.3,
      call: (index) => town.follow(index),
    };
    const row = await measure(town.target, load);
    for (const author of town.authors) {
      await town.call(
        get(`/api/v1/accounts/${author.id}`, author, (answer) => answer.followers_count === town.followers.length),
      );
    }
    return [row];
  } finally {
    await town.dispose();
  }
}

/** Measures favourites: each person favourites each of many statuses once, alternating between them. */
export async function benchFavourite(): Promise<Row[]> {
  const town = await Town.open(AUTHORS, 200);
  try {
    return [await marks(town, 'favourite', 'favourite', town.followers, 0.3)];
  } finally {
    await town.dispose();
  }
}

/** Measures reblogs by people without followers, and by those with 100 followers, whose homes receive them. */
export async function benchReblog(): Promise<Row[]> {
  const alone = await Town.open(AUTHORS, 200);
  const rows: Row[] = [];
  try {
    rows.push(await marks(alone, 'reblog', 'reblog, nobody follows', alone.followers, 0.5));
  } finally {
    await alone.dispose();
  }
  const town = await Town.open(AUTHORS, 100);
  try {
    await town.followAll();
    await town.each('home', town.followers.length, (index) =>
      get('/api/v1/timelines/home', at(town.followers, index), isList),
    );
    rows.push(await marks(town, 'reblog', 'reblog, 100 followers', town.authors, 0.5));
    const known = new Set(town.newest);
    await town.call(
      get('/api/v1/timelines/home?limit=40', at(town.followers, 0), (page: Status[]) => {
        const shown = page.map((status) => status.reblog?.id ?? status.id);
        return (
          new Set(shown).size === page.length && shown.every((id) => known.has(id)) && page.some(({ reblog }) => reblog)
        );
      }),
    );
    return rows;
  } finally {
    await town.dispose();
  }
}

const COUNT_OF = { favourite: 'favourites_count', reblog: 'reblogs_count' } as const;

async function marks(
  town: Town,
  verb: keyof typeof COUNT_OF,
  name: string,
  people: readonly Made[],
  target: number,
): Promise<Row> {
  const count = 1_500;
  const statuses = Math.ceil((count * SINGLE_ROUNDS + SINGLE_WARM_UP) / people.length);
  await town.each('post', statuses, (index) => town.post(at(town.authors, index), `marked ${index}`));
  const ids = town.newest;
  const expected = new Map<string, number>();
  const right = (answer: Status) => (answer.reblog ?? answer)[COUNT_OF[verb]] > 0;
  const call = (index: number) => {
    // Advances by one with each round: everybody visits each status once.
    const id = at(ids, (index % people.length) + Math.floor(index / people.length));
    expected.set(id, (expected.get(id) ?? 0) + 1);
    return write(at(people, index), `/api/v1/statuses/${id}/${verb}`, {}, right);
  };
  const rounds = { rounds: SINGLE_ROUNDS, warmUp: SINGLE_WARM_UP, inFlight: IN_FLIGHT };
  const load: Load = { name, count, ...rounds, writes: true, target, call };
  const row = await measure(town.target, load);
  for (const [id, times] of expected) {
    const status = await town.call<Status>(get(`/api/v1/statuses/${id}`, at(people, 0), (answer) => answer.id === id));
    assert.equal(status[COUNT_OF[verb]], times, `${COUNT_OF[verb]} of ${id}`);
  }
  return row;
}

const isList = (answer: unknown) => Array.isArray(answer);
