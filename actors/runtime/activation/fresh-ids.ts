/** Ids remembered until their actor is first activated; most name no actor. Bounds it to some 2 MB. */
const FRESH_MAX = 16_384;

/**
 * Ids that this node minted of late, each with the epoch under which it did, until something is activated by that
 * name. Nobody else can have minted one, and nobody asks for what an id names before its event is stored: the first
 * activation under the same epoch is the first of all, and the store holds nothing of it.
 */
export class FreshIds {
  /**
   * In two generations, of which the older one goes when the younger has half of them: to find the oldest of one map,
   * V8 passes over all that were removed before it.
   */
  #young = new Map<string, number>();
  #old = new Map<string, number>();
  readonly #half: number;

  /** Remembers `max` at most, and half of it at least. */
  constructor(max = FRESH_MAX) {
    this.#half = Math.max(1, Math.floor(max / 2));
  }

  /** The id was minted under that epoch. */
  add(id: string, epoch: number): void {
    this.#young.set(id, epoch);
    if (this.#young.size < this.#half) return;
    this.#old = this.#young;
    this.#young = new Map();
  }

  /** True once for an id minted under that epoch: whatever has been activated since may have stored something. */
  take(id: string, epoch: number): boolean {
    const minted = this.#young.get(id) ?? this.#old.get(id);
    if (minted === undefined) return false;
    this.forget(id);
    return minted === epoch;
  }

  /** Something that was activated by that name has ended. */
  forget(id: string): void {
    this.#young.delete(id);
    this.#old.delete(id);
  }
}
