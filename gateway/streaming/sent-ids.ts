import { compareIds } from '../../actors/domain/ids.js';
import type { StoreStatusRecord } from '../../proto/gen/types.js';

/** Ids remembered per subscription: an hour of a busy timeline, some 60 KB. */
const SENT_IDS_MAX = 1_000;

const GONE = -1;

/** By its last edit, and by whether it has a card: when either is new, it is shown otherwise than before. */
export const versionOf = ({ editedAtMs, card }: StoreStatusRecord): number =>
  2 * editedAtMs + (card === undefined ? 0 : 1);

/**
 * What a subscription has been sent, so that catching up from the store repeats nothing. Ids at or below `floor` are
 * not looked at again: they are from before the subscription, or so many others came since that they were forgotten.
 */
export class SentIds {
  #floor: string;
  /** The version that was sent last; GONE: none is left, as the subscription knows. */
  readonly #ids = new Map<string, number>();

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
  add(id: string, version = 0): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.set(id, version);
    if (this.#ids.size > SENT_IDS_MAX) this.#forgetOldest();
    return true;
  }

  /** It is deleted, whether it was sent or not. */
  gone(id: string): void {
    this.add(id);
    this.#ids.set(id, GONE);
  }

  /** Another version of it was sent; of what never was itself, nothing is remembered. */
  renew(id: string, version: number): void {
    if (this.#ids.has(id)) this.#ids.set(id, version);
  }

  /** Of what is not known to be gone, the version that was sent last. */
  version(id: string): number | undefined {
    const version = this.#ids.get(id);
    return version === GONE ? undefined : version;
  }

  /** The latest that are not known to be gone, at most so many. */
  shown(max: number): string[] {
    const ids: string[] = [];
    for (const [id, version] of this.#ids) if (version !== GONE) ids.push(id);
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
