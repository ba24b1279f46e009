import { ID_DIGITS, idMs, makeId, storedId } from '../../actors/domain/ids.js';
import { GROUP_SPAN_MS } from '../entities/notification/notification.js';
import type { PageBounds } from '../paging/bounds.js';
import { AHEAD_MS } from '../paging/eras.js';

/** Between two ids, without them. */
export interface IdSpan extends Omit<PageBounds, 'limit'> {
  readonly after: string;
  readonly before: string;
}

export const isUngrouped = (key: string): boolean => key.startsWith('ungrouped-');

/** The ids of a half day. */
export function spanBounds(span: number): IdSpan {
  const startMs = span * GROUP_SPAN_MS;
  return between(BigInt(makeId(startMs, 0, 0)) - 1n, BigInt(makeId(startMs + GROUP_SPAN_MS, 0, 0)));
}

/** An id that nothing which tells of `subject` is below: it was there first. Empty where there is no subject. */
export const notBefore = (subject: string): string =>
  subject === '' ? '' : makeId(Math.max(0, idMs(subject) - AHEAD_MS), 0, 0);

/** Where the members of a group are: at one id, or within a half day. */
export function boundsOf(key: string): IdSpan | undefined {
  const end = /-(\d{1,18})$/.exec(key)?.[1];
  if (end === undefined) return undefined;
  const id = BigInt(end);
  if (isUngrouped(key)) return between(id - 1n, id + 1n);
  return Number(id) * GROUP_SPAN_MS > idMs('9'.repeat(18)) ? undefined : spanBounds(Number(id));
}

function between(after: bigint, before: bigint): IdSpan {
  const text = (id: bigint) => storedId((id < 0n ? 0n : id).toString()).slice(-ID_DIGITS);
  return { after: text(after), before: text(before), upwards: false };
}
