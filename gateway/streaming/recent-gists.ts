import type { StoreStatusRecord } from '../../proto/gen/types.js';
import { REPEAT_ROWS } from '../timelines/repeats.js';

/** What a stream of a home or list has shown last: a reblog of it is not sent. What was there before is not known. */
export class RecentGists {
  /** By which status each was shown. */
  readonly #all = new Map<string, string>();

  /** False when it reblogs what was just shown. */
  add({ id, reblogOfId }: Pick<StoreStatusRecord, 'id' | 'reblogOfId'>): boolean {
    const gist = reblogOfId ?? id;
    if (reblogOfId !== undefined && this.#all.has(gist)) return false;
    this.#all.set(gist, id);
    const [oldest] = this.#all.keys();
    if (oldest !== undefined && this.#all.size > REPEAT_ROWS) this.#all.delete(oldest);
    return true;
  }

  /** A status that is gone: another reblog of the same may come. */
  gone(id: string): void {
    for (const [gist, by] of this.#all) if (by === id) this.#all.delete(gist);
  }
}
