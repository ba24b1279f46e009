import { accountUrl } from '../../../actors/domain/addresses.js';
import type { AccountFeaturedTag } from '../../../proto/gen/types.js';
import { isoDay } from '../../paging/iso-time.js';
import type { InstanceSettings } from '../../settings/settings.js';

/** The REST API's FeaturedTag, whose count is a string. */
export interface FeaturedTag {
  readonly id: string;
  readonly name: string;
  /** Address of the owner's statuses with the hashtag. */
  readonly url: string;
  readonly statuses_count: string;
  readonly last_status_at: string | null;
}

export function renderFeaturedTag(
  instance: InstanceSettings,
  username: string,
  { id, name, uses, lastAtMs }: AccountFeaturedTag,
): FeaturedTag {
  return {
    id,
    name,
    url: `${accountUrl(instance.baseUrl, { username })}/tagged/${encodeURIComponent(name)}`,
    statuses_count: String(uses),
    last_status_at: lastAtMs > 0 ? isoDay(lastAtMs) : null,
  };
}
