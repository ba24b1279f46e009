import { Type } from '@sinclair/typebox';
import { tagUrl } from '../../../actors/domain/addresses.js';
import { tagId } from '../../../actors/domain/text/tag-id.js';
import type { DayUse, TagUses } from '../../discovery/tag-histories.js';
import { entity, type Shape, uri } from '../../http/entity.js';
import type { InstanceSettings } from '../../settings/settings.js';

/** The REST API's TagHistory: numbers are strings, a day is its first second. */
export const TagHistory = entity('TagHistory', { day: Type.String(), uses: Type.String(), accounts: Type.String() });
export type TagHistory = Shape<typeof TagHistory>;

/** The REST API's Collection::Tag. */
export const ShallowTag = entity('ShallowTag', { name: Type.String(), url: uri() });
/** The REST API's Status::Tag. */
export const StatusTag = entity('StatusTag', ShallowTag.properties);

/** The REST API's Tag. */
export const Tag = entity('Tag', {
  /** Id computed from the name alone: a hashtag has no other identity. */
  id: Type.String(),
  /** Most common spelling. */
  name: Type.String(),
  url: uri(),
  history: Type.Array(TagHistory),
  /** Present only for a signed-in viewer. */
  following: Type.Optional(Type.Boolean()),
  /** Present for a signed-in viewer in answers about one hashtag. */
  featuring: Type.Optional(Type.Boolean()),
});
export type Tag = Shape<typeof Tag>;

export function renderTag(
  instance: InstanceSettings,
  name: string,
  history: TagUses,
  following: boolean | undefined,
): Tag {
  return {
    id: tagId(name),
    name: history.written ?? name,
    url: tagUrl(instance.baseUrl, name),
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
