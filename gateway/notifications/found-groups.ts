import type { StoreAccountRecord, StoreNotificationRecord } from '../../proto/gen/types.js';
import { type SeenNotification, spanOf } from '../entities/notification/notification.js';
import type { Entry } from '../paging/cursor.js';
import { type IdSpan, notBefore, spanBounds } from './group-spans.js';

type Row = Entry<StoreNotificationRecord>;

/** How many of a group are named. Source: Mastodon NotificationGroup::SAMPLE_ACCOUNTS_SIZE. */
const SAMPLE_ACCOUNTS_MAX = 8;

/** Notifications that say the same of the same. */
export interface NotificationGroup {
  /** False: it stays alone, also where others say the same. */
  readonly isGrouped: boolean;
  readonly newest: SeenNotification;
  /** Of those on the page, or of all that are looked at. */
  readonly oldestId: string;
  /** How often it was done, also below the page. */
  readonly count: number;
  /** Different people who did it, the latest first; those below the page last. */
  readonly sample: readonly StoreAccountRecord[];
}

/** Of `people`, the latest first: the first different ones. */
export function sampleOf(people: readonly StoreAccountRecord[]): readonly StoreAccountRecord[] {
  const sample: StoreAccountRecord[] = [];
  for (const account of people) {
    if (sample.length === SAMPLE_ACCOUNTS_MAX) break;
    if (!sample.some((other) => other === account || other.id === account.id)) sample.push(account);
  }
  return sample;
}

/** One that is being found, by rows in the order of reading. */
export interface FoundGroup {
  readonly type: string;
  readonly subject: string;
  /** Where others of it may be; undefined: it stays alone. */
  readonly span: IdSpan | undefined;
  readonly first: Row;
  last: Row;
  /** Who did it, each time, in the order of reading. */
  readonly people: StoreAccountRecord[];
  /** The first, once it is judged: what they tell of is the same for all of them. */
  seen: SeenNotification | undefined;
}

/**
 * Groups in the order in which they are found. They are found again by what they are about, without their keys: those
 * would have to be put together for each row of a page.
 */
export class FoundGroups {
  #groups: FoundGroup[] = [];
  readonly #about = new Map<string, FoundGroup[]>();
  /** How many are judged: the others may not be for the viewer. */
  #judged = 0;
  /** What began groups that are not for the viewer. */
  readonly lost: Row[] = [];
  /** Rows come in order: mostly of the half day of those before. */
  #span: IdSpan | undefined;
  /** Members of a group often follow one another. */
  #latest: FoundGroup | undefined;

  constructor(private readonly types: readonly string[]) {}

  get groups(): readonly FoundGroup[] {
    return this.#groups;
  }

  /** The group that it is of, if that has begun. */
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

  /** The first rows of those begun since some were judged. */
  unjudged(): Row[] {
    const rows: Row[] = [];
    for (let index = this.#judged; index < this.#groups.length; index++) {
      rows.push((this.#groups[index] as FoundGroup).first);
    }
    return rows;
  }

  /** What the viewer sees of `unjudged`, and perhaps of more; groups of which that is nothing were none. */
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

  /** Where below an id more may be of these groups; undefined: nowhere. */
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

/** What it is about; empty where that is the viewer. */
const subjectId = ({ statusId, collectionId }: StoreNotificationRecord): string => statusId ?? collectionId ?? '';
