import type { Clock } from '../../domain/time.js';
import type { Placement } from './placement.js';

/**
 * Largest offset of stamps and rows of alarms from the time that most members' clocks show. Source: the offset from which nodes
 * warn; clocks below it count as synchronised.
 */
const APART_MS_MAX = 500;

/**
 * Returns this machine's wall-clock time, corrected to within 500 ms of the time that most members' clocks show; whole
 * milliseconds. Alone or with one other member it is not corrected, because nobody knows which clock is wrong.
 */
export function agreedMs(clock: Pick<Clock, 'nowMs'>, placement: Pick<Placement, 'clusterMs'>): number {
  const nowMs = clock.nowMs();
  const clusterMs = placement.clusterMs?.();
  if (clusterMs === undefined) return nowMs;
  return Math.floor(Math.max(clusterMs - APART_MS_MAX, Math.min(nowMs, clusterMs + APART_MS_MAX)));
}

/**
 * Returns the present for rows of alarms, in whole milliseconds: a clock that is ahead for a while must not write rows
 * for a time far ahead. The time of most members, or on a lone node the time without steps of its clock.
 */
export function alarmsMs(clock: Pick<Clock, 'nowMs'>, placement: Pick<Placement, 'clusterMs' | 'unsteppedMs'>): number {
  return Math.min(agreedMs(clock, placement), Math.floor(placement.unsteppedMs?.() ?? Number.POSITIVE_INFINITY));
}
