import type { Call, Load } from '../http-load.js';
import { at, get, type Status, type Town, write } from '../town.js';

export const FOLLOWERS = 100;
export const IN_FLIGHT = 32;
export const NODES = 3;
/** As many as posts in flight at most: what one author posts at once would be one entry of their journal. */
export const AUTHORS = NODES * IN_FLIGHT;
const POSTS = 1_000;
/** How many follows of the first load are measured; the rest of them, so that everybody follows every author, is not. */
const FOLLOWS = 2_800;
/** Statuses that are favourited in turn by a process' worth of requests. */
const FAVOURITED = 64;
/** Of each process: V8 compiles in every one of them, and that is no cost of an operation. */
const WARM_UP = 1_200;
/** The same of writes of the second time, when they are warm. */
const WARM_UP_AGAIN = 200;
/** A page takes a tenth of a write, so compiling for it weighs more: it goes on for some thousand. */
const PAGES_WARM_UP = 6_000;
/** The median counts. */
const PAGE_ROUNDS = 5;

/** Follows that the first load makes at so many processes. */
const followsOf = (processes: number): number => FOLLOWS + processes * WARM_UP;

/** The part of one of several towns apart in their loads. */
export const clusterLoadsApart = (town: Town, towns: number): Load[] =>
  clusterLoads(town, towns, Math.floor(followsOf(towns) / towns), 1);

/**
 * Prepares the town for them on the way: they are to be run in their order. `followed`: follows that the first makes in
 * this town. `width`: processes that this town's second load is for.
 */
export function clusterLoads(
  town: Town,
  processes: number,
  followed = followsOf(processes),
  width = processes,
): Load[] {
  const follow = {
    name: 'follow',
    count: FOLLOWS,
    call: (index: number) => town.follow(index),
  };
  const posts = {
    name: 'post, 100 followers',
    count: POSTS,
    call: (index: number) => town.post(at(town.authors, index), `number ${index}`),
    before: async () =>
      town.each('the other follows', town.follows - followed, (index) => town.follow(followed + index)),
  };
  // The posts are all there when the first is asked for; to sort them for each call would take the nodes' cores.
  let all: readonly string[] | undefined;
  const oldest = (from: number, count: number) => {
    all ??= town.newest.reverse();
    return all.slice(from, from + count);
  };
  const favourite = (from: number, count: number) => {
    let statuses: readonly string[] | undefined;
    return (index: number) => {
      statuses ??= oldest(from, count);
      const id = at(statuses, (index % FOLLOWERS) + Math.floor(index / FOLLOWERS));
      const right = (answer: Status) => answer.id === id && answer.favourited;
      return write(at(town.followers, index), `/api/v1/statuses/${id}/favourite`, {}, right);
    };
  };
  const home = (index: number) =>
    get('/api/v1/timelines/home', at(town.followers, index), (page: Status[]) => page.length === 20);
  // Rings are filled at the first look, which reads a row or more of everyone followed.
  const firstLook = async () => {
    for (let reader = 0; reader < FOLLOWERS; reader++) await town.call(home(reader));
  };
  let read: readonly string[] | undefined;
  const status = (index: number) => {
    read ??= oldest(0, POSTS);
    const id = at(read, index);
    return get(`/api/v1/statuses/${id}`, at(town.followers, index), (answer: Status) => answer.id === id);
  };
  const pages = { rounds: PAGE_ROUNDS, warmUp: processes * PAGES_WARM_UP };
  const homes = { name: 'home of 20', count: 2_000, call: home, ...pages };
  const statuses = { name: 'one status', count: 4_000, call: status, ...pages };
  const favourites = { name: 'favourite', count: POSTS };
  const first = { inFlight: IN_FLIGHT, rounds: 1, warmUp: processes * WARM_UP };
  // What was prepared for the first time is there.
  const again = (load: Pick<Load, 'name' | 'count' | 'call' | 'rounds' | 'warmUp'>) => ({
    ...{ rounds: 1, warmUp: processes * WARM_UP_AGAIN, ...load },
    count: processes * load.count,
    inFlight: processes * IN_FLIGHT,
  });
  const text = (index: number) => `again ${index}`;
  return [
    { ...first, ...follow, writes: true },
    { ...first, ...posts, writes: true },
    { ...first, ...favourites, call: favourite(0, FAVOURITED), writes: true },
    { ...first, ...homes, before: firstLook },
    { ...first, ...statuses },
    { ...again({ name: 'follow', count: POSTS, call: (index) => followBack(town, index, width) }), writes: true },
    { ...again({ ...posts, call: (index) => town.post(at(town.authors, index), text(index)) }), writes: true },
    { ...again({ ...favourites, call: favourite(FAVOURITED, width * FAVOURITED) }), writes: true },
    again(homes),
    again(statuses),
  ];
}

/** An author follows a follower; `width` of these are followed at a time, by others at once. Each follow comes once. */
export function followBack(town: Town, index: number, width: number): Call {
  const { authors, followers } = town;
  const block = Math.floor(index / (width * authors.length));
  const place = index % (width * authors.length);
  const [turn, step] = [place % width, Math.floor(place / width)];
  const target = at(followers, block * width + ((turn + step) % width));
  const author = at(authors, step + turn * IN_FLIGHT);
  return write(author, `/api/v1/accounts/${target.id}/follow`, {}, (answer) => answer.following);
}
