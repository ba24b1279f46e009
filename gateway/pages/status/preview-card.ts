import { fileUrl } from '../../../actors/domain/media.js';
import type { LinkCard } from '../../../proto/gen/types.js';
import type { InstanceSettings } from '../../settings/settings.js';

/** The REST API's PreviewCard. Content of pages is never embedded, so `html` stays empty. */
export interface PreviewCard {
  readonly url: string;
  readonly title: string;
  readonly description: string;
  readonly type: string;
  readonly author_name: string;
  readonly author_url: string;
  readonly authors: readonly { readonly name: string; readonly url: string; readonly account: null }[];
  readonly provider_name: string;
  readonly provider_url: string;
  readonly html: string;
  readonly width: number;
  readonly height: number;
  readonly image: string | null;
  readonly image_description: string;
  readonly embed_url: string;
  readonly blurhash: string | null;
  readonly published_at: string | null;
}

export function renderPreviewCard({ baseUrl }: InstanceSettings, card: LinkCard): PreviewCard {
  const { authorName, authorUrl, publishedAtMs } = card;
  return {
    url: card.url,
    title: card.title,
    description: card.description,
    type: card.type,
    author_name: authorName,
    author_url: authorUrl,
    authors: authorName === '' ? [] : [{ name: authorName, url: authorUrl, account: null }],
    provider_name: card.providerName,
    provider_url: card.providerUrl,
    html: '',
    width: card.width,
    height: card.height,
    image: card.image === '' ? null : fileUrl(baseUrl, card.image),
    image_description: '',
    embed_url: '',
    blurhash: card.blurhash === '' ? null : card.blurhash,
    published_at: publishedAtMs > 0 ? new Date(publishedAtMs).toISOString() : null,
  };
}
