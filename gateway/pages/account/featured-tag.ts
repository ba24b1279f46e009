import { Type } from '@sinclair/typebox';
import { acctOf, taggedUrl } from '../../../actors/domain/addresses.js';
import type { AccountFeaturedTag, StoreAccountRecord } from '../../../proto/gen/types.js';
import { day, entity, nullable, type Shape, uri } from '../../http/entity.js';
import { isoDay } from '../../paging/iso-time.js';
import type { InstanceSettings } from '../../settings/settings.js';

/** The REST API's FeaturedTag, whose count is a string. */
export const FeaturedTag = entity('FeaturedTag', {
  id: Type.String(),
  name: Type.String(),
  /** Address of the owner's statuses with the hashtag. */
  url: uri(),
  statuses_count: Type.String(),
  last_status_at: nullable(day()),
});
export type FeaturedTag = Shape<typeof FeaturedTag>;

export function renderFeaturedTag(
  instance: InstanceSettings,
  owner: StoreAccountRecord,
  { id, name, uses, lastAtMs }: AccountFeaturedTag,
): FeaturedTag {
  return {
    id,
    name,
    url: taggedUrl(`${instance.baseUrl}/@${acctOf(owner)}`, name),
    statuses_count: String(uses),
    last_status_at: lastAtMs > 0 ? isoDay(lastAtMs) : null,
  };
}
