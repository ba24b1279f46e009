import { Cache, type Caches } from '../../../store/cache/cache.js';

/** Ids stored until their actor is first activated. The bound keeps the memory at about 2 MB. */
const FRESH_MAX = 16_384;

/**
 * Ids that this node minted recently for actors, with the epoch, until an actor of that id is activated. No other node
 * can have minted them, and no command names an id before its event is stored. The first activation under the same epoch
 * is therefore the first of all, and the store holds nothing of the actor.
 */
export class FreshIds {
  /** Epochs by id. */
  readonly #epochs: Cache<number>;

  constructor(max = FRESH_MAX, caches?: Caches) {
    this.#epochs = new Cache('fresh_ids', max, caches);
  }

  /** Adds an actor's id that this node minted under that epoch. */
  add(id: string, epoch: number): void {
    this.#epochs.set(id, epoch);
  }

  /** Returns true if the id was minted under that epoch, and removes it: the activation may store something. */
  take(id: string, epoch: number): boolean {
    const minted = this.#epochs.peek(id);
    if (minted === undefined) return false;
    this.forget(id);
    return minted === epoch;
  }

  /** Removes the id, because an activation of it has ended. */
  forget(id: string): void {
    this.#epochs.delete(id);
  }
}
