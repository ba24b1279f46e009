import type { StoreStatusRecord } from '../../proto/gen/types.js';
import { statuses } from '../../store/tables.js';
import type { Select } from '../paging/page.js';
import { type Soon, soon } from '../paging/soon.js';
import type { ReadServices } from '../viewing/read-services.js';
import { REPEAT_ROWS } from '../viewing/repeat-window.js';
import { loadStatuses } from '../viewing/visible.js';
import type { VisibleStatus } from '../viewing/visible-status.js';

type Seen = VisibleStatus | undefined;

/** Reads the next rows below one, newest first. */
export type Below<E> = (id: string, count: number) => Soon<readonly E[]>;

const originalIdIn = ({ reblogOfId, id }: StoreStatusRecord): string => reblogOfId ?? id;
const originalIdOf = (status: Seen): string | undefined => status && originalIdIn(status.record);

/** Removes repeats from visible rows. The result does not depend on the direction of reading or the page size. */
export class Repeats<E extends { readonly id: string }> {
  /** Upwards: ids of the originals of the earlier rows, and the id at which they began. */
  #past: (string | undefined)[] = [];
  #first: string | undefined;

  constructor(
    private readonly services: ReadServices,
    private readonly upwards: boolean,
    private readonly judge: Select<E, VisibleStatus>,
    private readonly below: Below<E>,
  ) {}

  without(rows: readonly E[], seen: readonly Seen[]): Soon<readonly Seen[]> {
    return this.upwards ? this.#upwards(rows, seen) : this.#downwards(rows, seen);
  }

  #downwards(rows: readonly E[], seen: readonly Seen[]): Soon<readonly Seen[]> {
    const last = seen.findLastIndex(isReblog);
    if (last < 0) return seen;
    const missing = REPEAT_ROWS - (rows.length - 1 - last);
    const { ids, areApart } = originalsOf(seen);
    const older = missing > 0 ? this.#originalIdsBelow(rows.at(-1)?.id ?? '', missing, ids) : [];
    return soon(older, (found) => {
      if (found.length === 0 && areApart) return seen;
      const originalIds = seen.map(originalIdOf);
      for (const originalId of found) originalIds.push(originalId);
      return seen.map((status, at) => {
        if (!isReblog(status)) return status;
        const place = originalIds.indexOf(originalIds[at], at + 1);
        return place > 0 && place - at <= REPEAT_ROWS ? undefined : status;
      });
    });
  }

  #upwards(rows: readonly E[], seen: readonly Seen[]): Soon<readonly Seen[]> {
    this.#first ??= rows[0]?.id;
    const before = this.#past;
    this.#past = [...before, ...seen.map(originalIdOf)];
    const first = seen.findIndex(isReblog);
    if (first < 0) return seen;
    const missing = REPEAT_ROWS - before.length - first;
    const older = missing > 0 ? this.#originalIdsBelow(this.#first ?? '', missing, originalsOf(seen).ids) : [];
    return soon(older, (found) => {
      const originalIds = [...found.toReversed(), ...this.#past];
      const from = found.length + before.length;
      return seen.map((status, index) => {
        if (!isReblog(status)) return status;
        const at = from + index;
        const place = originalIds.lastIndexOf(originalIds[at], at - 1);
        return at > 0 && place >= 0 && at - place <= REPEAT_ROWS ? undefined : status;
      });
    });
  }

  /** Returns the ids of the originals of the visible rows below one, as far as they are `wanted`. */
  #originalIdsBelow(id: string, count: number, wanted: ReadonlySet<string>): Soon<readonly (string | undefined)[]> {
    return soon(this.below(id, count), (rows) => {
      if (this.#saysNone(rows, wanted)) return [];
      const ids = rows.map((row) => row.id);
      return soon(loadStatuses(this.services, ids), (records) => {
        const originalIds = records.map((record) => record && originalIdIn(record));
        const same = rows.filter((_row, at) => wanted.has(originalIds[at] ?? ''));
        if (same.length === 0) return [];
        return soon(this.judge(same), (judged) => {
          const shown = new Set(same.filter((_row, at) => judged[at] !== undefined));
          return originalIds.map((originalId, at) => (shown.has(rows[at] as E) ? originalId : undefined));
        });
      });
    });
  }

  /** Returns true if all rows are in memory and none has one of these originals, as in most cases. */
  #saysNone(rows: readonly E[], wanted: ReadonlySet<string>): boolean {
    const { tables } = this.services;
    for (const { id } of rows) {
      const record = tables.peekId?.(statuses, id);
      if (record === undefined || wanted.has(originalIdIn(record))) return false;
    }
    return true;
  }
}

/** Returns the ids of the originals, and true if no two statuses have the same one. */
function originalsOf(seen: readonly Seen[]): { readonly ids: ReadonlySet<string>; readonly areApart: boolean } {
  const ids = new Set<string>();
  let count = 0;
  for (const status of seen) {
    if (status === undefined) continue;
    ids.add(originalIdIn(status.record));
    count += 1;
  }
  return { ids, areApart: ids.size === count };
}

const isReblog = (status: Seen): boolean => status?.original !== undefined;

/**
 * Statuses that a page shows, themselves or as a reblog: further reblogs of them are hidden. The oldest row stays, in
 * both directions, as in Mastodon's feeds: a status that was seen does not return to the top.
 */
export class Shown {
  readonly #all: string[] = [];
  /** Created at the first reblog; most pages have none. */
  #known: Set<string> | undefined;

  /** Returns `statuses` without the reblogs of statuses that the page shows. */
  once(statuses: readonly Seen[], upwards: boolean): readonly Seen[] {
    if (upwards) return statuses.map((status) => this.#first(status));
    const selected = [...statuses];
    for (let at = selected.length - 1; at >= 0; at--) selected[at] = this.#first(selected[at]);
    return selected;
  }

  #first(status: Seen): Seen {
    if (status === undefined) return undefined;
    const { record, original } = status;
    const originalId = originalIdIn(record);
    if (original !== undefined) {
      this.#known ??= new Set(this.#all);
      if (this.#known.has(originalId)) return undefined;
    }
    this.#known?.add(originalId);
    this.#all.push(originalId);
    return status;
  }
}
