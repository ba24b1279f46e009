import type { NodeHeardOf } from '../../proto/gen/types.js';

/**
 * Posts kept are those of the last half that is full, and what came since: at 3,500 a second those of 9 s, longer than
 * handing a shard over takes.
 */
const HALF = 32_768;

/** What this node heard of lately, for rings that come from another node: they may have missed some on the way. */
export class RecentlyHeard {
  readonly #authors: string[] = [];
  readonly #ids: string[] = [];
  #next = 0;
  #halfBegan: readonly NodeHeardOf[] = [];
  #lost: readonly NodeHeardOf[] = [];

  /** `heard`: where the publishers are; tests make it small. */
  constructor(
    private readonly heard: () => readonly NodeHeardOf[],
    private readonly half = HALF,
  ) {}

  /** All that came after it is remembered. */
  get lost(): readonly NodeHeardOf[] {
    return this.#lost;
  }

  /** `author`: or for whom alone it is, see `onlyFor`. */
  add(author: string, id: string): void {
    if (this.#next % this.half === 0) {
      this.#lost = this.#halfBegan;
      this.#halfBegan = this.heard();
    }
    this.#authors[this.#next] = author;
    this.#ids[this.#next] = id;
    this.#next = (this.#next + 1) % (2 * this.half);
  }

  /** Ids by any of these authors, in no order. */
  by(authors: ReadonlySet<string>): string[] {
    return this.#ids.filter((_, index) => authors.has(this.#authors[index] ?? ''));
  }
}

/** In an author's place: what reaches this viewer alone, whoever wrote it. */
export const onlyFor = (viewer: string): string => `to ${viewer}`;
