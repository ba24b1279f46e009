import type { NodeHeardOf } from '../../proto/gen/types.js';

/**
 * Statuses per generation. It holds the last full half and the current one: at 3,500 statuses a second at least 9 s,
 * longer than a handover of a shard takes.
 */
const HALF = 32_768;

/**
 * Recently delivered statuses, to complete rings from other nodes that may have missed some during the handover. It is
 * no `Cache`: both halves are read as a whole, and the position where the older one began is part of the answer.
 */
export class RecentlyReceived {
  /** Ids by author, so that accepting a ring does not scan all of them: those of the current half, and of the last. */
  #newer = new Map<string, string[]>();
  #older: ReadonlyMap<string, readonly string[]> = new Map();
  #added = 0;
  #halfBegan: readonly NodeHeardOf[] = [];
  #lost: readonly NodeHeardOf[] = [];

  /** `received` returns the positions of the publishers; tests lower `half`. */
  constructor(
    private readonly received: () => readonly NodeHeardOf[],
    private readonly half = HALF,
  ) {}

  /** Positions after which everything is stored here. */
  get lost(): readonly NodeHeardOf[] {
    return this.#lost;
  }

  /** Adds an id. `author` may be `onlyFor(viewer)` for a status that one viewer receives. */
  add(author: string, id: string): void {
    if (this.#added % this.half === 0) {
      this.#lost = this.#halfBegan;
      this.#halfBegan = this.received();
      this.#older = this.#newer;
      this.#newer = new Map();
    }
    this.#added += 1;
    const ids = this.#newer.get(author);
    if (ids === undefined) this.#newer.set(author, [id]);
    else ids.push(id);
  }

  /** Returns ids by any of these authors, in no order. */
  by(authors: readonly string[]): string[] {
    return authors.flatMap((author) => [...(this.#older.get(author) ?? []), ...(this.#newer.get(author) ?? [])]);
  }
}

/** Returns the key that replaces the author for statuses delivered to this viewer alone, whoever wrote them. */
export const onlyFor = (viewer: string): string => `to ${viewer}`;
