import type { StoreAccountRecord, StoreNotificationRecord } from '../../proto/gen/types.js';
import type { Entry } from '../paging/cursor.js';
import { spanOf } from './group-key.js';
import { type IdSpan, notBefore, spanBounds } from './group-spans.js';
import type { SeenNotification } from './seen-notifications.js';

type Row = Entry<StoreNotificationRecord>;

/** Accounts named for a group. Source: Mastodon NotificationGroup::SAMPLE_ACCOUNTS_SIZE. */
const SAMPLE_ACCOUNTS_MAX = 8;

/** Notifications of the same type about the same subject. */
export interface NotificationGroup {
  /** False: the notification stays alone, even if others are of the same type and subject. */
  readonly isGrouped: boolean;
  readonly newest: SeenNotification;
  /** Oldest member on the page, or of all members examined. */
  readonly oldestId: string;
  /** Number of members, including those below the page. */
  readonly count: number;
  /** Distinct senders, latest first; those below the page come last. */
  readonly sample: readonly StoreAccountRecord[];
}

/** Returns the first distinct accounts of `people`, which are sorted latest first. */
export function sampleOf(people: readonly StoreAccountRecord[]): readonly StoreAccountRecord[] {
  const sample: StoreAccountRecord[] = [];
  for (const account of people) {
    if (sample.length === SAMPLE_ACCOUNTS_MAX) break;
    if (!sample.some((other) => other === account || other.id === account.id)) sample.push(account);
  }
  return sample;
}

/** A group under construction, from rows in the order of reading. */
export interface FoundGroup {
  readonly type: string;
  readonly subject: string;
  /** Ids among which further members may be; undefined: the notification stays alone. */
  readonly span: IdSpan | undefined;
  readonly first: Row;
  last: Row;
  /** Senders of all members, with repeats, in the order of reading. */
  readonly people: StoreAccountRecord[];
  /** Rendered first member, after the visibility check. Its subject is the same for all members. */
  seen: SeenNotification | undefined;
}

/**
 * Groups in the order in which they are found. They are indexed by subject instead of by key, because a key would have
 * to be built for each row of a page.
 */
export class FoundGroups {
  #groups: FoundGroup[] = [];
  readonly #about = new Map<string, FoundGroup[]>();
  /** Number of groups with a visibility check; the viewer may not see the others. */
  #judged = 0;
  /** First rows of groups that the viewer may not see. */
  readonly lost: Row[] = [];
  /** Span of the last row. Rows are ordered, so the next one is mostly in the same half day. */
  #span: IdSpan | undefined;
  /** Group of the last row. Members of a group often follow one another. */
  #latest: FoundGroup | undefined;

  constructor(private readonly types: readonly string[]) {}

  get groups(): readonly FoundGroup[] {
    return this.#groups;
  }

  /** Returns the group of a row if it has begun. */
  of({ id, value }: Row): FoundGroup | undefined {
    const subject = subjectId(value);
    const latest = this.#latest;
    if (latest !== undefined && subject === latest.subject && isOf(latest, id, value)) return latest;
    const same = this.#about.get(subject);
    if (same === undefined) return undefined;
    for (const group of same) {
      if (!isOf(group, id, value)) continue;
      this.#latest = group;
      return group;
    }
    return undefined;
  }

  begin(row: Row, sender: StoreAccountRecord): void {
    const { type } = row.value;
    const span = this.types.includes(type) ? this.#spanOf(row.id) : undefined;
    const subject = subjectId(row.value);
    const group = { type, subject, span, first: row, last: row, people: [sender], seen: undefined };
    this.#groups.push(group);
    if (span === undefined) return;
    this.#latest = group;
    const same = this.#about.get(subject);
    if (same === undefined) this.#about.set(subject, [group]);
    else same.push(group);
  }

  /** Returns the first rows of the groups that began after the last check. */
  unjudged(): Row[] {
    const rows: Row[] = [];
    for (let index = this.#judged; index < this.#groups.length; index++) {
      rows.push((this.#groups[index] as FoundGroup).first);
    }
    return rows;
  }

  /**
   * Applies the result of the visibility check of `unjudged`; further results are ignored. Invisible groups are
   * removed.
   */
  judge(seen: readonly (SeenNotification | undefined)[]): void {
    const groups = this.#groups.slice(0, this.#judged);
    for (let index = this.#judged; index < this.#groups.length; index++) {
      const group = this.#groups[index] as FoundGroup;
      group.seen = seen[index - this.#judged];
      if (group.seen === undefined) {
        this.lost.push(group.first);
        this.#forget(group);
      } else groups.push(group);
    }
    this.#groups = groups;
    this.#judged = groups.length;
  }

  /** Returns the span below an id in which further members of these groups may be; undefined if there is none. */
  goingOn(id: string): IdSpan | undefined {
    let oldest: string | undefined;
    let span: IdSpan | undefined;
    for (const group of this.#groups) {
      if (!isWithin(group.span, id)) continue;
      span = group.span;
      if (oldest === undefined || group.subject < oldest) oldest = group.subject;
    }
    if (span === undefined || oldest === undefined) return undefined;
    const bornAt = notBefore(oldest);
    return bornAt > span.after ? { ...span, after: bornAt } : span;
  }

  #forget(group: FoundGroup): void {
    if (this.#latest === group) this.#latest = undefined;
    const same = this.#about.get(group.subject);
    const place = same?.indexOf(group) ?? -1;
    if (place >= 0) same?.splice(place, 1);
  }

  #spanOf(id: string): IdSpan {
    if (this.#span === undefined || !isWithin(this.#span, id)) this.#span = spanBounds(spanOf(id));
    return this.#span;
  }
}

const isOf = ({ type, span }: FoundGroup, id: string, record: StoreNotificationRecord): boolean =>
  type === record.type && isWithin(span, id);

const isWithin = (span: IdSpan | undefined, id: string): boolean =>
  span !== undefined && span.after < id && id < span.before;

/** Returns the subject's id; empty if the subject is the viewer. */
const subjectId = ({ statusId, collectionId }: StoreNotificationRecord): string => statusId ?? collectionId ?? '';
