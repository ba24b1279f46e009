import type { StoreNotificationRecord } from '../../proto/gen/types.js';
import { groupKey, type SeenNotification, spanOf } from '../entities/notification.js';
import { type IdSpan, notBefore, spanBounds } from './group-spans.js';

/** Notifications that say the same of the same. */
export interface NotificationGroup {
  readonly key: string;
  /** Newest first; those of the page, or all that are looked at. */
  readonly members: SeenNotification[];
  /** Newest first; those that lie below the page. */
  readonly older: SeenNotification[];
  /** Where others of it may be; undefined: it stays alone. */
  readonly span: IdSpan | undefined;
}

/**
 * Groups in the order in which they are found. They are found again by what they are about, without their keys: those
 * would have to be put together for each row of a page.
 */
export class FoundGroups {
  readonly groups: NotificationGroup[] = [];
  readonly #about = new Map<string, NotificationGroup[]>();
  /** Rows come in order: mostly of the half day of those before. */
  #span: IdSpan | undefined;

  constructor(private readonly types: readonly string[]) {}

  /** The group that it is of, if that has begun. */
  of(id: string, record: StoreNotificationRecord): NotificationGroup | undefined {
    const same = this.#about.get(subjectId(record));
    if (same === undefined) return undefined;
    for (const group of same)
      if (group.members[0]?.record.type === record.type && isWithin(group.span, id)) return group;
    return undefined;
  }

  begin(one: SeenNotification): void {
    const { id, record } = one;
    const span = this.types.includes(record.type) ? this.#spanOf(id) : undefined;
    const group = { key: groupKey(id, record, this.types), members: [one], older: [], span };
    this.groups.push(group);
    if (span === undefined) return;
    const subject = subjectId(record);
    const same = this.#about.get(subject);
    if (same === undefined) this.#about.set(subject, [group]);
    else same.push(group);
  }

  /** Where below an id more may be of these groups; undefined: nowhere. */
  goingOn(id: string): IdSpan | undefined {
    let oldest: string | undefined;
    let span: IdSpan | undefined;
    for (const group of this.groups) {
      if (!isWithin(group.span, id)) continue;
      span = group.span;
      const subject = subjectId((group.members[0] as SeenNotification).record);
      if (oldest === undefined || subject < oldest) oldest = subject;
    }
    if (span === undefined || oldest === undefined) return undefined;
    const bornAt = notBefore(oldest);
    return bornAt > span.after ? { ...span, after: bornAt } : span;
  }

  #spanOf(id: string): IdSpan {
    if (this.#span === undefined || !isWithin(this.#span, id)) this.#span = spanBounds(spanOf(id));
    return this.#span;
  }
}

const isWithin = (span: IdSpan | undefined, id: string): boolean =>
  span !== undefined && span.after < id && id < span.before;

/** What it is about; empty where that is the viewer. */
const subjectId = ({ statusId, collectionId }: StoreNotificationRecord): string => statusId ?? collectionId ?? '';
