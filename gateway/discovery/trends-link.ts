import { type PreviewCard, renderPreviewCard } from '../pages/status/preview-card.js';
import { renderHistory, type TagHistory } from '../pages/status/tag.js';
import type { InstanceSettings } from '../settings/settings.js';
import type { LinkTrend } from './trends.js';

/** The REST API's Trends::Link: a preview card with the days on which the link was shared. */
export interface TrendsLink extends PreviewCard {
  readonly history: readonly TagHistory[];
}

/** Renders a link with the card of its page, or from the address alone if the page was not fetched. */
export function renderTrendsLink(
  instance: InstanceSettings,
  { name, history, card }: Pick<LinkTrend, 'name' | 'history' | 'card'>,
): TrendsLink {
  const shown = card === undefined ? addressCard(name) : renderPreviewCard(instance, card);
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
