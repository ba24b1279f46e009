import { Type } from '@sinclair/typebox';
import { fileUrl } from '../../../actors/domain/media.js';
import type { LinkCard } from '../../../proto/gen/types.js';
import { entity, nullable, oneOf, type Shape, time, uri } from '../../http/entity.js';
import type { InstanceSettings } from '../../settings/settings.js';

/** The REST API's PreviewCard::Author. */
const PreviewCardAuthor = entity('PreviewCardAuthor', { name: Type.String(), url: uri(), account: Type.Null() });

/** The REST API's PreviewCard. Content of pages is never embedded, so `html` stays empty. */
export const PreviewCard = entity('PreviewCard', {
  url: uri(),
  title: Type.String(),
  description: Type.String(),
  type: oneOf('link', 'photo', 'video', 'rich'),
  author_name: Type.String(),
  author_url: uri(),
  authors: Type.Array(PreviewCardAuthor),
  provider_name: Type.String(),
  provider_url: uri(),
  html: Type.String(),
  width: Type.Integer(),
  height: Type.Integer(),
  image: nullable(uri()),
  image_description: Type.String(),
  embed_url: uri(),
  blurhash: nullable(Type.String()),
  published_at: nullable(time()),
});
export type PreviewCard = Shape<typeof PreviewCard>;

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
