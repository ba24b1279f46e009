import type { NodeHeardOf } from '../../proto/gen/types.js';

/**
 * Posts kept are those of the last half that is full, and what came since: at 3,500 a second those of 9 s, longer than
 * handing a shard over takes.
 */
const HALF = 32_768;

/** What this node heard of lately, for rings that come from another node: they may have missed some on the way. */
export class RecentlyHeard {
  /** By author, so that taking a ring does not look through all of them: ids of the half that fills, and of the last. */
  #newer = new Map<string, string[]>();
  #older: ReadonlyMap<string, readonly string[]> = new Map();
  #added = 0;
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
    if (this.#added % this.half === 0) {
      this.#lost = this.#halfBegan;
      this.#halfBegan = this.heard();
      this.#older = this.#newer;
      this.#newer = new Map();
    }
    this.#added += 1;
    const ids = this.#newer.get(author);
    if (ids === undefined) this.#newer.set(author, [id]);
    else ids.push(id);
  }

  /** Ids by any of these authors, in no order. */
  by(authors: readonly string[]): string[] {
    return authors.flatMap((author) => [...(this.#older.get(author) ?? []), ...(this.#newer.get(author) ?? [])]);
  }
}

/** In an author's place: what reaches this viewer alone, whoever wrote it. */
export const onlyFor = (viewer: string): string => `to ${viewer}`;
