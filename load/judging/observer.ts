import { randomBytes } from 'node:crypto';

/** A post of this run. Times are of this process' monotonic clock. */
export interface Witnessed {
  /** The number of its author among the users. */
  readonly author: number;
  readonly marker: string;
  /** From 0, in the order of beginning. */
  readonly number: number;
  readonly startedMs: number;
  /** When the 2xx answer was there; undefined: never acknowledged. */
  acknowledgedMs: number | undefined;
  id: string | undefined;
}

/** Posts that are kept an eye on: some 200 bytes each. The rest of a longer run is posted and not looked for. */
export const WITNESSED_MAX = 1_000_000;

/** Every post of the run, found again by a word in its text that no other post has. */
export class Witness {
  readonly run = `ml${randomBytes(4).toString('hex')}`;
  readonly #posts: Witnessed[] = [];
  readonly #byAuthor = new Map<number, Witnessed[]>();
  readonly #pattern = new RegExp(`\\b${this.run}x(\\d+)\\b`);

  /** A post about to be sent; undefined when there are too many already. */
  begin(author: number, startedMs: number): Witnessed | undefined {
    if (this.#posts.length >= WITNESSED_MAX) return undefined;
    const number = this.#posts.length;
    const marker = `${this.run}x${number}`;
    const post: Witnessed = { author, marker, number, startedMs, acknowledgedMs: undefined, id: undefined };
    this.#posts.push(post);
    const own = this.#byAuthor.get(author);
    if (own === undefined) this.#byAuthor.set(author, [post]);
    else own.push(post);
    return post;
  }

  /** The post whose text (or HTML) this is. */
  find(content: string): Witnessed | undefined {
    const number = this.#pattern.exec(content)?.[1];
    return number === undefined ? undefined : this.#posts[Number(number)];
  }

  get authors(): number[] {
    return [...this.#byAuthor.keys()];
  }

  /** In the order in which they were begun. */
  postsOf(author: number): readonly Witnessed[] {
    return this.#byAuthor.get(author) ?? [];
  }

  get acknowledged(): number {
    return this.#posts.filter(({ acknowledgedMs }) => acknowledgedMs !== undefined).length;
  }
}
