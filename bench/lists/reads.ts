import assert from 'node:assert/strict';
import { createAccounts, type Made } from '../accounts.js';
import { type Load, type Measured, measure, measureInTurn } from '../http-load.js';
import { startServer } from '../measured-server.js';
import type { Row } from '../row.js';
import { at, get, type Status, settled, Town, write } from '../town.js';

const IN_FLIGHT = 32;
const ROUNDS = 5;
const AUTHORS = 32;
const FOLLOWERS = 100;
const POSTS = 640;
const PAGE = 20;
const VERIFY_CPU_MAX = 0.025;
/** Latest posts on the front page. */
const FRONT_POSTS = 5;

/** Warm-up calls: V8 compiles during some thousands of pages; a server that runs for hours is past that. */
const WARM_UP = 4_000;
const usual = { count: 10_000, warmUp: WARM_UP, rounds: ROUNDS, inFlight: IN_FLIGHT } as const;

/** Measures `verify_credentials` alone, on a server of its own. */
export async function benchVerify(): Promise<Row[]> {
  const server = await startServer();
  const target = { urls: [server.url], pids: [server.pid], settled: () => settled([server.dataDir]) };
  try {
    const people = await createAccounts(server, IN_FLIGHT);
    const load: Load = {
      ...usual,
      name: 'verify_credentials',
      count: 10_000,
      target: VERIFY_CPU_MAX,
      call: (index) => {
        const me = at(people, index);
        return get('/api/v1/accounts/verify_credentials', me, ({ id, username, source, role }) =>
          Boolean(id === me.id && username === me.username && source.privacy === 'public' && role.id),
        );
      },
    };
    return [await measure(target, load)];
  } finally {
    await server.dispose();
  }
}

/** Opens a town of 32 authors, 640 posts, and 100 readers who follow them all. */
async function withPosts<T>(then: (town: Town) => Promise<T>): Promise<T> {
  const town = await Town.open(AUTHORS, FOLLOWERS);
  try {
    await town.followAll();
    await town.each('post', POSTS, (index) => town.post(at(town.authors, index), `number ${index}`));
    return await then(town);
  } finally {
    await town.dispose();
  }
}

/**
 * Measures homes: by many readers in turn, each reader's first, and right after many favourites of the statuses on the
 * page.
 */
export function benchHome(): Promise<Row[]> {
  return withPosts(async (town) => {
    const expected = town.newest.slice(0, PAGE);
    let favourites = 0;
    const home = (reader: Made) =>
      get(`/api/v1/timelines/home?limit=${PAGE}`, reader, (page: Status[]) =>
        isPage(page, expected, ({ favourites_count: count }) => count === favourites),
      );
    const load = { ...usual, target: 0.06, call: (index: number) => home(at(town.followers, index)) };
    const rows = [
      await measure(town.target, {
        name: 'home of 20, each reader for the first time',
        count: FOLLOWERS,
        inFlight: IN_FLIGHT,
        warmUp: 0,
        call: (index) => home(at(town.followers, index)),
      }),
      await measure(town.target, { ...load, name: `home of ${PAGE}` }),
    ];
    const each = Math.floor(FOLLOWERS / ROUNDS);
    const storm = async (round: number) => {
      await town.each('favourite', each * PAGE, (index) => {
        const who = at(town.followers, round * each + Math.floor(index / PAGE));
        return write(who, `/api/v1/statuses/${at(expected, index)}/favourite`, {}, (answer) => answer.favourited);
      });
      favourites += each;
      // Their effects are part of the cost of a favourite; the measured page pays for the caches that they invalidated.
      await town.target.settled();
    };
    rows.push(
      await measure(town.target, {
        ...load,
        name: `home of ${PAGE}, right after ${each} favourites on each`,
        warmUp: 0,
        before: storm,
      }),
    );
    await town.assertHomes(town.followers.slice(0, 2));
    return rows;
  });
}

const REBLOGS_TIMES_MAX = 1.5;

/** Measures a home of reblogs only, in turn with one of plain statuses, which shows half as many statuses. */
export async function benchReblogs(): Promise<Row[]> {
  const town = await Town.open(AUTHORS, FOLLOWERS);
  try {
    // Half of the followers follow the authors who post, half those who reblog.
    const half = AUTHORS / 2;
    await town.each('follow', FOLLOWERS * half, (index) => {
      const follower = Math.floor(index / half);
      const author = at(town.authors, (index % half) + (follower % 2) * half);
      return write(at(town.followers, follower), `/api/v1/accounts/${author.id}/follow`, {}, (one) => one.following);
    });
    await town.each('post', POSTS, (index) => town.post(at(town.authors, index % half), `number ${index}`));
    const plain = town.newest.slice(0, PAGE);
    const reblogged = town.newest.slice(-3 * PAGE);
    for (const [index, id] of reblogged.entries()) {
      const right = ({ reblog }: Status) => reblog?.id === id;
      await town.call(write(at(town.authors, half + (index % half)), `/api/v1/statuses/${id}/reblog`, {}, right));
    }
    await town.target.settled();
    const ids = reblogged.slice(-PAGE).reverse();
    const isReblogs = (page: Status[]) =>
      page.length === PAGE && page.every(({ reblog }, index) => reblog?.id === ids[index]);
    const home = (name: string, of: number, right: (page: Status[]) => boolean): Load => {
      const reader = (index: number) => at(town.followers, (index % (FOLLOWERS / 2)) * 2 + of);
      const call = (index: number) => get(`/api/v1/timelines/home?limit=${PAGE}`, reader(index), right);
      return { ...usual, count: 2_000, rounds: 15, name, call };
    };
    const loads = [
      home(`home of ${PAGE} plain statuses`, 0, (page) => isPage(page, plain)),
      home(`home of ${PAGE} reblogs`, 1, isReblogs),
    ];
    const measured = await measureInTurn(loads.map((load) => ({ target: town.target, load })));
    return [...measured.map(({ row }) => row), inTimes(measured)];
  } finally {
    await town.dispose();
  }
}

/** Compares by the median of the rounds, which were measured within seconds of one another. */
function inTimes([plain, reblogs]: readonly Measured[]): Row {
  const times = (reblogs?.cpus ?? []).map((cpu, round) => cpu / (plain?.cpus[round] ?? Number.NaN));
  times.sort((a, b) => a - b);
  const middle = times[Math.floor(times.length / 2)] ?? Number.NaN;
  return {
    name: 'a home of reblogs, as so many times one of plain statuses',
    figure: `${middle.toFixed(2)} times (${times[0]?.toFixed(2)}–${times.at(-1)?.toFixed(2)})`,
    target: `≤ ${REBLOGS_TIMES_MAX}`,
    reached: middle <= REBLOGS_TIMES_MAX,
  };
}

export function benchPublic(): Promise<Row[]> {
  return withPosts(async (town) => {
    const expected = town.newest.slice(0, PAGE);
    const call = (index: number) =>
      get(`/api/v1/timelines/public?limit=${PAGE}`, at(town.followers, index), (page) => isPage(page, expected));
    return [await measure(town.target, { ...usual, target: 0.06, name: `public page of ${PAGE}`, call })];
  });
}

/** Front, account, status and timeline pages for people, by readers without an account. */
export function benchPages(): Promise<Row[]> {
  return withPosts(async (town) => {
    const of = (name: string, path: (index: number) => string, posts: number): Load => ({
      ...usual,
      name,
      target: 0.15,
      call: (index) => ({
        method: 'GET',
        path: path(index),
        isPage: true,
        right: (text: string) => text.split('<article').length === posts + 1,
      }),
    });
    const statuses = town.newest.slice(0, PAGE).map((id) => `/@${town.authorOf(id)?.username}/${id}`);
    const loads = [
      of('front page', () => '/', FRONT_POSTS),
      of(`account page, ${PAGE} posts`, (index) => `/@${at(town.authors, index).username}`, PAGE),
      of('status page', (index) => at(statuses, index), 1),
      of(`public page for people, ${PAGE} posts`, () => '/public/local', PAGE),
    ];
    const rows: Row[] = [];
    for (const load of loads) rows.push(await measure(town.target, load));
    return rows;
  });
}

interface Notification {
  readonly id: string;
  readonly type: string;
  readonly account: { readonly id: string };
  readonly status?: { readonly account: { readonly id: string } };
}

/** The authors read notifications of follows and favourites. */
export function benchNotifications(): Promise<Row[]> {
  return withPosts(async (town) => {
    const newest = town.newest.slice(0, AUTHORS * 2);
    await town.each('favourite', newest.length * 20, (index) => {
      const id = at(newest, index);
      const who = at(town.followers, Math.floor(index / newest.length));
      return write(who, `/api/v1/statuses/${id}/favourite`, {}, (answer) => answer.favourited);
    });
    await town.target.settled();
    const known = new Set(town.followers.map(({ id }) => id));
    const call = (index: number) => {
      const reader = at(town.authors, index);
      const right = (page: Notification[]) =>
        page.length === PAGE &&
        page.every(
          ({ id, type, account, status }, position) =>
            (position === 0 || BigInt(page[position - 1]?.id ?? 0) > BigInt(id)) &&
            type === 'favourite' &&
            known.has(account.id) &&
            status?.account.id === reader.id,
        );
      return get(`/api/v1/notifications?limit=${PAGE}`, reader, right);
    };
    return [await measure(town.target, { ...usual, target: 0.1, name: `notifications page of ${PAGE}`, call })];
  });
}

/** Measures any of 640 statuses read by any of 100 readers. */
export function benchStatus(): Promise<Row[]> {
  return withPosts(async (town) => {
    const ids = town.newest;
    assert.equal(ids.length, POSTS);
    const call = (index: number) => {
      const id = at(ids, index);
      const right = (answer: Status) => answer.id === id && answer.favourited === false && answer.content !== '';
      return get(`/api/v1/statuses/${id}`, at(town.followers, index), right);
    };
    return [await measure(town.target, { ...usual, count: 10_000, target: 0.025, name: 'one status', call })];
  });
}

/** Returns true if the page has these statuses in this order. */
function isPage(page: readonly Status[], ids: readonly string[], right: (status: Status) => boolean = () => true) {
  return page.length === ids.length && page.every((status, index) => status.id === ids[index] && right(status));
}
