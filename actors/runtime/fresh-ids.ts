/** Ids remembered until their actor is first activated; most name no actor. Bounds it to some 2 MB. */
const FRESH_MAX = 16_384;

/**
 * Ids that this node minted of late, each with the epoch under which it did, until something is activated by that
 * name. Nobody else can have minted one, and nobody asks for what an id names before its event is stored: the first
 * activation under the same epoch is the first of all, and the store holds nothing of it.
 */
export class FreshIds {
  readonly #epochs = new Map<string, number>();

  constructor(private readonly max = FRESH_MAX) {}

  /** The id was minted under that epoch. */
  add(id: string, epoch: number): void {
    this.#epochs.set(id, epoch);
    if (this.#epochs.size <= this.max) return;
    const oldest = this.#epochs.keys().next();
    if (!oldest.done) this.#epochs.delete(oldest.value);
  }

  /** True once for an id minted under that epoch: whatever has been activated since may have stored something. */
  take(id: string, epoch: number): boolean {
    const minted = this.#epochs.get(id);
    if (minted === undefined) return false;
    this.#epochs.delete(id);
    return minted === epoch;
  }

  /** Something that was activated by that name has ended. */
  forget(id: string): void {
    this.#epochs.delete(id);
  }
}
