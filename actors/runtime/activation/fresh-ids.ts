/**
 * Ids stored until their actor is first activated. Most ids name no actor. The bound keeps the memory at about 2 MB.
 */
const FRESH_MAX = 16_384;

/**
 * Ids that this node minted recently, with the epoch, until an actor of that id is activated. No other node can have
 * minted them, and no command names an id before its event is stored. The first activation under the same epoch is
 * therefore the first of all, and the store holds nothing of the actor.
 */
export class FreshIds {
  /**
   * Two generations: the older one is dropped when the younger holds half of the ids. Deleting the oldest key of a
   * single map is slow, because V8 passes over all keys deleted before it.
   */
  #young = new Map<string, number>();
  #old = new Map<string, number>();
  readonly #half: number;

  /** Stores at most `max` ids, and at least half as many. */
  constructor(max = FRESH_MAX) {
    this.#half = Math.max(1, Math.floor(max / 2));
  }

  /** Adds an id that this node minted under that epoch. */
  add(id: string, epoch: number): void {
    this.#young.set(id, epoch);
    if (this.#young.size < this.#half) return;
    this.#old = this.#young;
    this.#young = new Map();
  }

  /** Returns true if the id was minted under that epoch, and removes it: the activation may store something. */
  take(id: string, epoch: number): boolean {
    const minted = this.#young.get(id) ?? this.#old.get(id);
    if (minted === undefined) return false;
    this.forget(id);
    return minted === epoch;
  }

  /** Removes the id, because an activation of it has ended. */
  forget(id: string): void {
    this.#young.delete(id);
    this.#old.delete(id);
  }
}
