import { compareIds } from '../../actors/domain/ids.js';

/** Ids remembered per subscription: an hour of a busy timeline, some 60 KB. */
const SENT_IDS_MAX = 1_000;

/**
 * What a subscription has been sent, so that catching up from the store repeats nothing. Ids at or below `floor` are
 * not looked at again: they are from before the subscription, or so many others came since that they were forgotten.
 */
export class SentIds {
  #floor: string;
  /** Which of them are gone, as the subscription knows. */
  readonly #ids = new Map<string, 'shown' | 'gone'>();

  constructor(floor: string) {
    this.#floor = floor;
  }

  get floor(): string {
    return this.#floor;
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /** False when it was there already. */
  add(id: string): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.set(id, 'shown');
    if (this.#ids.size > SENT_IDS_MAX) this.#forgetOldest();
    return true;
  }

  /** It is deleted, whether it was sent or not. */
  gone(id: string): void {
    this.add(id);
    this.#ids.set(id, 'gone');
  }

  /** The latest that are not known to be gone, at most so many. */
  shown(max: number): string[] {
    const ids: string[] = [];
    for (const [id, state] of this.#ids) if (state === 'shown') ids.push(id);
    return ids.slice(-max);
  }

  #forgetOldest(): void {
    for (const oldest of this.#ids.keys()) {
      this.#ids.delete(oldest);
      if (compareIds(oldest, this.#floor) > 0) this.#floor = oldest;
      return;
    }
  }
}
