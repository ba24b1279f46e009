/** Who may see a status; the words of the REST API. */
export const VISIBILITIES = ['public', 'unlisted', 'private', 'direct'] as const;
export type Visibility = (typeof VISIBILITIES)[number];

/** What the decision needs of a status: stored ones have it as it is, and no page makes another object for each. */
export interface Seen {
  readonly accountId: string;
  readonly visibility: string;
  readonly mentions: readonly { readonly accountId: string }[];
}

/** What the decision needs of the viewer's relation to the status's author. */
export interface Relation {
  readonly following: boolean;
  readonly blocking: boolean;
  readonly blockedBy: boolean;
}

/** Whether a mute holds at a time; `untilMs`: 0 for one without an end, undefined where there is none. */
export function isMuted(untilMs: number | undefined, nowMs: number): boolean {
  return untilMs !== undefined && (untilMs === 0 || untilMs > nowMs);
}

/**
 * The one place that says whether a viewer may see a status. `viewer` undefined: nobody is signed in.
 * `relation` is the viewer's to the author; not needed (undefined) for anonymous viewers and the author.
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
