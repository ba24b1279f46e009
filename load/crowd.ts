import type { User } from './users.js';

/** A follow before the run: `follower` and `author` are numbers of users. */
export interface Follow {
  readonly follower: number;
  readonly author: number;
}

/** Maximum number of follows that change during the run; with so many, most requests of a run are each pair's first. */
const LOOSE_MAX = 100_000;

/**
 * The users of a run, and the fixed follows on which its verdicts rely: every user follows the next few authors, in a
 * ring.
 */
export class Crowd {
  readonly authors: number;
  readonly #followees: readonly (readonly number[])[];
  readonly #followers: number[][];
  /** Authors of other servers, by the users who follow them. */
  readonly #remote = new Map<number, number[]>();
  #loose: readonly Follow[] | undefined;

  /**
   * @param authors number of users who post, from the first on; @param follows number of authors that each user
   *   follows, apart from itself
   */
  constructor(
    readonly users: readonly User[],
    authors: number,
    follows: number,
  ) {
    this.authors = Math.min(authors, users.length);
    const atATime = Math.min(follows, this.authors);
    this.#followers = users.map(() => []);
    this.#followees = users.map((_, follower) => {
      const chosen: number[] = [];
      for (let step = 1; step <= this.authors && chosen.length < atATime; step++) {
        const author = (follower + step) % this.authors;
        if (author !== follower) chosen.push(author);
      }
      return chosen;
    });
    for (const { follower, author } of this.follows()) this.#followers[author]?.push(follower);
  }

  *follows(): Iterable<Follow> {
    for (const [follower, followees] of this.#followees.entries()) {
      for (const author of followees) yield { follower, author };
    }
  }

  followeesOf(user: number): readonly number[] {
    return this.#followees[user] ?? [];
  }

  /** Adds an author of another server whom these users follow. Returns the author's number, which no user has. */
  addRemote(followers: readonly number[]): number {
    const author = this.#followers.push([...followers]) - 1;
    for (const follower of followers) this.#remote.set(follower, [...(this.#remote.get(follower) ?? []), author]);
    return author;
  }

  /** Returns the authors of this server and of others whose posts the user receives. */
  sourcesOf(user: number): readonly number[] {
    return [...this.followeesOf(user), ...(this.#remote.get(user) ?? [])];
  }

  /** Returns true if the user receives all posts of the author during the whole run: a fixed follow, or their own. */
  alwaysReceives(user: number, author: number): boolean {
    return user === author || this.sourcesOf(user).includes(author);
  }

  followersOf(author: number): readonly number[] {
    return this.#followers[author] ?? [];
  }

  /**
   * Returns the `step`th follow outside the ring, which may change without affecting the verdicts: all of them are
   * followed first, then unfollowed, and so on. Undefined when everybody follows everybody.
   */
  looseFollow(step: number): (Follow & { readonly on: boolean }) | undefined {
    this.#loose ??= this.#looseFollows();
    const follow = this.#loose[step % this.#loose.length];
    if (follow === undefined) return undefined;
    return { ...follow, on: Math.floor(step / this.#loose.length) % 2 === 0 };
  }

  #looseFollows(): Follow[] {
    const loose: Follow[] = [];
    for (let distance = 1; distance < this.users.length; distance++) {
      for (let follower = 0; follower < this.users.length; follower++) {
        const author = (follower + distance) % this.users.length;
        if (!this.followeesOf(follower).includes(author)) loose.push({ follower, author });
        if (loose.length >= LOOSE_MAX) return loose;
      }
    }
    return loose;
  }
}
