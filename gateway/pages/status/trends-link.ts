import { Type } from '@sinclair/typebox';
import type { LinkTrend } from '../../discovery/trends.js';
import { extended, type Shape } from '../../http/entity.js';
import type { InstanceSettings } from '../../settings/settings.js';
import { PreviewCard, renderPreviewCard } from './preview-card.js';
import { renderHistory, TagHistory } from './tag.js';

/** The REST API's Trends::Link: a preview card with the days on which the link was shared. */
export const TrendsLink = extended('TrendsLink', PreviewCard, {
  history: Type.Array(TagHistory),
  /** Fields for moderators. */
  id: Type.Optional(Type.String()),
  trendable: Type.Optional(Type.Boolean()),
  requires_review: Type.Optional(Type.Boolean()),
});
export type TrendsLink = Shape<typeof TrendsLink>;

/** Renders a link with the card of its page, or from the address alone if the page was not fetched. */
export function renderTrendsLink(
  instance: InstanceSettings,
  { name, history, card }: Pick<LinkTrend, 'name' | 'history' | 'card'>,
): TrendsLink {
  const shown = card === undefined ? addressCard(name) : renderPreviewCard(instance, card, undefined);
  return { ...shown, url: name, history: renderHistory(history) };
}

function addressCard(address: string): PreviewCard {
  const { host, origin, pathname } = new URL(address);
  return {
    url: address,
    title: pathname === '/' ? host : `${host}${pathname}`,
    description: '',
    type: 'link',
    author_name: '',
    author_url: '',
    authors: [],
    provider_name: host,
    provider_url: origin,
    html: '',
    width: 0,
    height: 0,
    image: null,
    image_description: '',
    embed_url: '',
    blurhash: null,
    published_at: null,
  };
}
