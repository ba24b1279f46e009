import type { Call, Load } from '../http-load.js';
import { at, get, type Status, type Town, write } from '../town.js';

export const FOLLOWERS = 100;
export const IN_FLIGHT = 32;
export const NODES = 3;
/**
 * Number of authors: the maximum number of posts in flight, because concurrent posts of one author share one journal
 * entry.
 */
export const AUTHORS = NODES * IN_FLIGHT;
const POSTS = 1_000;
/**
 * Number of measured follows of the first load; the remaining follows, until everybody follows every author, are not
 * measured.
 */
const FOLLOWS = 2_800;
/** Number of statuses that the requests of one process favourite in turn. */
const FAVOURITED = 64;
/** Warm-up calls of each process: V8 compiles in every one of them, which is not a cost of an operation. */
const WARM_UP = 1_200;
/** Warm-up calls before the second round of writes, when the processes are warm. */
const WARM_UP_AGAIN = 200;
/**
 * Warm-up calls of pages: a page costs a tenth of a write, so compilation weighs more and lasts for some thousand
 * calls.
 */
const PAGES_WARM_UP = 6_000;
/** The median of the rounds counts. */
const PAGE_ROUNDS = 5;

/** Returns the number of follows that the first load makes with so many processes. */
const followsOf = (processes: number): number => FOLLOWS + processes * WARM_UP;

/** Returns the loads of one of several separate towns. */
export const clusterLoadsApart = (town: Town, towns: number): Load[] =>
  clusterLoads(town, towns, Math.floor(followsOf(towns) / towns), 1);

/**
 * Returns the loads of a town. Each load prepares the town for the next: run them in order. `followed`: follows that
 * the first load makes in this town. `width`: number of processes for which this town's second load is sized.
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
  // Sorted once, when the first post is needed, because sorting for each call would use the nodes' cores.
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
  // Rings are filled by the first read, which reads at least a row of everyone followed.
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
  // The first round's preparation is still in place.
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

/**
 * An author follows a follower; `width` followers are followed at a time, each by a different author. No follow
 * repeats.
 */
export function followBack(town: Town, index: number, width: number): Call {
  const { authors, followers } = town;
  const block = Math.floor(index / (width * authors.length));
  const place = index % (width * authors.length);
  const [turn, step] = [place % width, Math.floor(place / width)];
  const target = at(followers, block * width + ((turn + step) % width));
  const author = at(authors, step + turn * IN_FLIGHT);
  return write(author, `/api/v1/accounts/${target.id}/follow`, {}, (answer) => answer.following);
}
