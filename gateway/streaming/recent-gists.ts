import type { StoreStatusRecord } from '../../proto/gen/types.js';
import { REPEAT_ROWS } from '../viewing/repeat-window.js';

/**
 * Statuses that a home or list stream has shown lately; reblogs of them are not sent. Statuses from before the stream
 * are unknown.
 */
export class RecentGists {
  /** Id of the status that showed each original. */
  readonly #all = new Map<string, string>();

  /** Adds a status. Returns false if it reblogs one that was just shown. */
  add({ id, reblogOfId }: Pick<StoreStatusRecord, 'id' | 'reblogOfId'>): boolean {
    const gist = reblogOfId ?? id;
    if (reblogOfId !== undefined && this.#all.has(gist)) return false;
    this.#all.set(gist, id);
    const [oldest] = this.#all.keys();
    if (oldest !== undefined && this.#all.size > REPEAT_ROWS) this.#all.delete(oldest);
    return true;
  }

  /** Removes a deleted status, so that another reblog of the same may be sent. */
  gone(id: string): void {
    for (const [gist, by] of this.#all) if (by === id) this.#all.delete(gist);
  }
}
