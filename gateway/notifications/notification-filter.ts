import type { StoreNotificationRecord } from '../../proto/gen/types.js';

/** Selection of notifications. */
export interface NotificationFilter {
  /** Undefined: all types. */
  readonly types?: readonly string[] | undefined;
  readonly excludeTypes?: readonly string[] | undefined;
  readonly from?: string | undefined;
  /** Includes notifications that wait for a decision. */
  readonly withFiltered?: boolean | undefined;
}

export function isAskedFor(
  { type, from, filtered }: StoreNotificationRecord,
  { types, excludeTypes, from: wantedFrom, withFiltered }: NotificationFilter,
): boolean {
  if (filtered === true && withFiltered !== true) return false;
  if (types?.includes(type) === false || excludeTypes?.includes(type) === true) return false;
  return wantedFrom === undefined || wantedFrom === from;
}
