import { randomBytes } from 'node:crypto';

/** A post of this run. Times are of this process's monotonic clock. */
export interface ObservedPost {
  /** Number of its author among the users. */
  readonly author: number;
  readonly marker: string;
  /** From 0, in the order of starts. */
  readonly number: number;
  readonly startedMs: number;
  /** Time of the 2xx answer; undefined: never acknowledged. */
  acknowledgedMs: number | undefined;
  id: string | undefined;
}

/** Maximum number of watched posts, some 200 bytes each. Further posts of a longer run are not checked. */
export const OBSERVED_MAX = 1_000_000;

/** All posts of the run; a unique word in the text of each identifies it. */
export class Observer {
  readonly run = `ml${randomBytes(4).toString('hex')}`;
  readonly #posts: ObservedPost[] = [];
  readonly #byAuthor = new Map<number, ObservedPost[]>();
  readonly #pattern = new RegExp(`\\b${this.run}x(\\d+)\\b`);

  /** Registers a post that is about to be sent; undefined when there are too many. */
  begin(author: number, startedMs: number): ObservedPost | undefined {
    if (this.#posts.length >= OBSERVED_MAX) return undefined;
    const number = this.#posts.length;
    const marker = `${this.run}x${number}`;
    const post: ObservedPost = { author, marker, number, startedMs, acknowledgedMs: undefined, id: undefined };
    this.#posts.push(post);
    const own = this.#byAuthor.get(author);
    if (own === undefined) this.#byAuthor.set(author, [post]);
    else own.push(post);
    return post;
  }

  /** Returns the post with this text (or HTML). */
  find(content: string): ObservedPost | undefined {
    const number = this.#pattern.exec(content)?.[1];
    return number === undefined ? undefined : this.#posts[Number(number)];
  }

  get authors(): number[] {
    return [...this.#byAuthor.keys()];
  }

  /** In the order of their starts. */
  postsOf(author: number): readonly ObservedPost[] {
    return this.#byAuthor.get(author) ?? [];
  }

  get acknowledged(): number {
    return this.#posts.filter(({ acknowledgedMs }) => acknowledgedMs !== undefined).length;
  }
}
