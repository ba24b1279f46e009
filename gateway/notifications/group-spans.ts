import { ID_DIGITS, idMs, makeId, storedId } from '../../actors/domain/ids.js';
import type { PageBounds } from '../paging/bounds.js';
import { AHEAD_MS } from '../paging/eras.js';
import { GROUP_SPAN_MS } from './group-key.js';

/** Exclusive bounds between two ids. */
export interface IdSpan extends Omit<PageBounds, 'limit'> {
  readonly after: string;
  readonly before: string;
}

export const isUngrouped = (key: string): boolean => key.startsWith('ungrouped-');

/** Returns the ids of a half day. */
export function spanBounds(span: number): IdSpan {
  const startMs = span * GROUP_SPAN_MS;
  return between(BigInt(makeId(startMs, 0, 0)) - 1n, BigInt(makeId(startMs + GROUP_SPAN_MS, 0, 0)));
}

/**
 * Returns a lower bound for the ids of notifications about `subject`, which existed before them. Empty without a
 * subject.
 */
export const notBefore = (subject: string): string =>
  subject === '' ? '' : makeId(Math.max(0, idMs(subject) - AHEAD_MS), 0, 0);

/** Returns the ids among which the members of a group are: one id, or a half day. */
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
