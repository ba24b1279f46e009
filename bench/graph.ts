import assert from 'node:assert/strict';

/** A graph of follows: the followers of author `a` are `followers[offsets[a]]` to `followers[offsets[a + 1] - 1]`. */
export interface SocialGraph {
  readonly accounts: number;
  readonly offsets: Uint32Array;
  readonly followers: Uint32Array;
}

export interface GraphWish {
  readonly accounts: number;
  readonly seed: number;
  /** Average number of followers per account; the sum over all edges is exact to half a follower per account. */
  readonly averageFanOut?: number;
  /** Share of all accounts that follow the largest account. */
  readonly largestShare?: number;
}

/** Source: the load of the published demonstration of Rama's Mastodon, average fan-out 403. */
const AVERAGE_FAN_OUT = 403;
const LARGEST_SHARE = 0.1;
/** Ratio of the numbers followed by the keenest and the laziest follower. */
const KEENNESS = 16;
/** Average number of entries per account in the lottery from which followers are drawn. */
const TICKETS = 8;
const HALVINGS = 60;

/**
 * Creates a graph in which the number of followers falls as a power of the rank (density d⁻², truncated at the largest
 * account), and so does, more gently, the number followed. Nobody follows themselves, nobody follows anyone twice. The
 * same seed creates the same graph.
 */
export function makeGraph(wish: GraphWish): SocialGraph {
  const { accounts, seed, averageFanOut = AVERAGE_FAN_OUT, largestShare = LARGEST_SHARE } = wish;
  const largest = Math.floor(accounts * largestShare);
  assert.ok(averageFanOut >= 1 && averageFanOut < largest && largest < accounts / 2, 'such a graph does not exist');
  const random = new Xorshift(seed);
  const degrees = followerCounts(accounts, averageFanOut, largest);
  shuffle(degrees, random);
  const offsets = new Uint32Array(accounts + 1);
  for (let author = 0; author < accounts; author++) {
    offsets[author + 1] = (offsets[author] as number) + (degrees[author] as number);
  }
  const followers = new Uint32Array(offsets[accounts] as number);
  const lottery = tickets(accounts, random);
  // The author, plus one, for whom an account was last drawn as a follower.
  const drawnFor = new Uint32Array(accounts);
  for (let author = 0; author < accounts; author++) {
    const to = offsets[author + 1] as number;
    drawnFor[author] = author + 1;
    for (let place = offsets[author] as number; place < to; ) {
      const follower = lottery[random.below(lottery.length)] as number;
      if (drawnFor[follower] === author + 1) continue;
      drawnFor[follower] = author + 1;
      followers[place++] = follower;
    }
  }
  return { accounts, offsets, followers };
}

/** Returns the accounts that follow the author. */
export function followersOf({ offsets, followers }: SocialGraph, author: number): Uint32Array {
  return followers.subarray(offsets[author], offsets[author + 1]);
}

/** Returns the reversed edges: its `followersOf` are the accounts that an account follows, ascending. */
export function transposed({ accounts, offsets, followers }: SocialGraph): SocialGraph {
  const turned = new Uint32Array(accounts + 1);
  for (const follower of followers) turned[follower + 1] = (turned[follower + 1] as number) + 1;
  for (let account = 0; account < accounts; account++) {
    turned[account + 1] = (turned[account + 1] as number) + (turned[account] as number);
  }
  const next = turned.slice(0, accounts);
  const followed = new Uint32Array(followers.length);
  for (let author = 0; author < accounts; author++) {
    const to = offsets[author + 1] as number;
    for (let place = offsets[author] as number; place < to; place++) {
      const follower = followers[place] as number;
      const at = next[follower] as number;
      followed[at] = author;
      next[follower] = at + 1;
    }
  }
  return { accounts, offsets: turned, followers: followed };
}

/**
 * Returns quantiles of the distribution with density d⁻² between a minimum degree and the largest, most followed first.
 */
function followerCounts(accounts: number, average: number, largest: number): Uint32Array {
  const degrees = new Uint32Array(accounts);
  const fill = (least: number) => {
    let sum = 0;
    for (let rank = 0; rank < accounts; rank++) {
      const reciprocal = 1 / largest + (rank / accounts) * (1 / least - 1 / largest);
      const degree = Math.max(1, Math.round(1 / reciprocal));
      degrees[rank] = degree;
      sum += degree;
    }
    return sum;
  };
  let [low, high] = [Number.MIN_VALUE, largest];
  for (let step = 0; step < HALVINGS; step++) {
    const middle = (low + high) / 2;
    if (fill(middle) < average * accounts) low = middle;
    else high = middle;
  }
  fill(high);
  return degrees;
}

/** Returns the lottery: each account as often as it is keen to follow; densities fall as k⁻², in random order. */
function tickets(accounts: number, random: Xorshift): Uint32Array {
  const shares = Float64Array.from({ length: accounts }, () => 1 / (1 - random.fraction() * (1 - 1 / KEENNESS)));
  const sum = shares.reduce((all, share) => all + share, 0);
  const lottery: number[] = [];
  for (let account = 0; account < accounts; account++) {
    const count = Math.max(1, Math.round(((shares[account] as number) / sum) * accounts * TICKETS));
    for (let ticket = 0; ticket < count; ticket++) lottery.push(account);
  }
  return Uint32Array.from(lottery);
}

function shuffle(values: Uint32Array, random: Xorshift): void {
  for (let index = values.length - 1; index > 0; index--) {
    const other = random.below(index + 1);
    [values[index], values[other]] = [values[other] as number, values[index] as number];
  }
}

/** Marsaglia's 32-bit xorshift ("Xorshift RNGs", 2003): forty million draws take a quarter of a second. */
export class Xorshift {
  #state: number;

  constructor(seed: number) {
    // Similar seeds must not start similarly; zero is the one state that it never leaves.
    this.#state = Math.imul(seed + 1, 0x9e3779b1) | 0 || 1;
    for (let step = 0; step < 16; step++) this.next();
  }

  /** Returns a whole number from 1 to 2³² − 1. */
  next(): number {
    let state = this.#state;
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    this.#state = state;
    return state >>> 0;
  }

  fraction(): number {
    return this.next() / 2 ** 32;
  }

  below(limit: number): number {
    return Math.floor((this.next() / 2 ** 32) * limit);
  }
}
