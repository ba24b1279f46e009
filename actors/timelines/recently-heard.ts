/** Posts kept: at 3,500 a second those of 18 s, longer than handing a shard over takes. */
const HEARD_MAX = 65_536;

/** What this node heard of lately, for rings that come from another node: they may have missed some on the way. */
export class RecentlyHeard {
  readonly #authors: string[] = [];
  readonly #ids: string[] = [];
  #next = 0;

  add(author: string, id: string): void {
    this.#authors[this.#next] = author;
    this.#ids[this.#next] = id;
    this.#next = (this.#next + 1) % HEARD_MAX;
  }

  /** Ids by any of these authors, in no order. */
  by(authors: ReadonlySet<string>): string[] {
    return this.#ids.filter((_, index) => authors.has(this.#authors[index] ?? ''));
  }
}
