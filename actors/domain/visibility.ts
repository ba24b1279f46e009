/** Visibilities of a status, in the words of the REST API. */
export const VISIBILITIES = ['public', 'unlisted', 'private', 'direct'] as const;
export type Visibility = (typeof VISIBILITIES)[number];

/**
 * The fields of a status that decide who may see it. Stored records have them, so that no page allocates an object for
 * each status.
 */
export interface Seen {
  readonly accountId: string;
  readonly visibility: string;
  readonly mentions: readonly { readonly accountId: string }[];
}

/** The viewer's relation to the status's author, as far as it decides visibility. */
export interface Relation {
  readonly following: boolean;
  readonly blocking: boolean;
  readonly blockedBy: boolean;
}

/** True if a mute is in effect. `untilMs`: 0 for one without an end, undefined if there is none. */
export function isMuted(untilMs: number | undefined, nowMs: number): boolean {
  return untilMs !== undefined && (untilMs === 0 || untilMs > nowMs);
}

/**
 * The only place that decides whether a viewer may see a status. `viewer` is undefined for anonymous viewers.
 * `relation` is the viewer's to the author; anonymous viewers and the author need none.
 */
export function maySee(status: Seen, viewer: string | undefined, relation: Relation | undefined): boolean {
  if (viewer !== undefined && viewer === status.accountId) return true;
  if (relation?.blockedBy) return false;
  switch (status.visibility) {
    case 'public':
    case 'unlisted':
      return true;
    case 'private':
      return viewer !== undefined && (isMentioned(status, viewer) || relation?.following === true);
    case 'direct':
      return viewer !== undefined && isMentioned(status, viewer);
    default:
      return false;
  }
}

const isMentioned = ({ mentions }: Seen, account: string): boolean =>
  mentions.some(({ accountId }) => accountId === account);
