import { tagId } from '../../../actors/domain/text/tag-id.js';
import type { InstanceSettings } from '../../settings/settings.js';

/** The REST API's TagHistory: numbers are strings, a day is its first second. */
export interface TagHistory {
  readonly day: string;
  readonly uses: string;
  readonly accounts: string;
}

/** The REST API's Tag. */
export interface Tag {
  /** Id computed from the name alone: a hashtag has no other identity. */
  readonly id: string;
  /** Most common spelling. */
  readonly name: string;
  readonly url: string;
  readonly history: readonly TagHistory[];
  /** Present only for a signed-in viewer. */
  readonly following?: boolean;
}

export function renderTag(
  instance: InstanceSettings,
  name: string,
  history: TagUses,
  following: boolean | undefined,
): Tag {
  return {
    id: tagId(name),
    name: history.written ?? name,
    url: `${instance.baseUrl}/tags/${encodeURIComponent(name)}`,
    history: renderHistory(history),
    ...(following === undefined ? {} : { following }),
  };
}

export function renderHistory(history: readonly DayUse[]): TagHistory[] {
  return history.map(({ dayMs, uses, accounts }) => ({
    day: String(dayMs / 1_000),
    uses: String(uses),
    accounts: String(accounts),
  }));
}

/** Number of uses and users on one day (UTC). */
export interface DayUse {
  /** Beginning of the day, milliseconds. */
  readonly dayMs: number;
  readonly uses: number;
  readonly accounts: number;
}

/** History of a hashtag, with its most common recent spelling; absent if that is its name. */
export type TagUses = readonly DayUse[] & { readonly written?: string };
