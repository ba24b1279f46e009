import { Type } from '@sinclair/typebox';
import { fileUrl } from '../../../actors/domain/media.js';
import { mayBeCreator } from '../../../actors/domain/servers/attribution.js';
import type { LinkCard, StoreAccountRecord } from '../../../proto/gen/types.js';
import { entity, nullable, oneOf, type Shape, time, uri } from '../../http/entity.js';
import { isoTime } from '../../paging/iso-time.js';
import type { InstanceSettings } from '../../settings/settings.js';
import { Account, renderAccount } from '../account/account.js';

/** The REST API's PreviewCard::Author. */
const PreviewCardAuthor = entity('PreviewCardAuthor', {
  name: Type.String(),
  url: uri(),
  /** The author's account, while it allows the page's domain. */
  account: nullable(Account),
});

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

/** Renders a card. `creator`: the account of its `authorId`, if it is known. */
export function renderPreviewCard(
  instance: InstanceSettings,
  card: LinkCard,
  creator: StoreAccountRecord | undefined,
): PreviewCard {
  const { baseUrl } = instance;
  const { authorName, authorUrl, publishedAtMs } = card;
  const host = URL.canParse(card.providerUrl) ? new URL(card.providerUrl).host : '';
  const author = creator !== undefined && mayBeCreator(creator, host) ? renderAccount(instance, creator) : null;
  const name = authorName || (author?.display_name ?? '') || (author?.username ?? '');
  return {
    url: card.url,
    title: card.title,
    description: card.description,
    type: card.type,
    author_name: authorName,
    author_url: authorUrl,
    authors: name === '' ? [] : [{ name, url: authorUrl || (author?.url ?? ''), account: author }],
    provider_name: card.providerName,
    provider_url: card.providerUrl,
    html: '',
    width: card.width,
    height: card.height,
    image: card.image === '' ? null : fileUrl(baseUrl, card.image),
    image_description: '',
    embed_url: '',
    blurhash: card.blurhash === '' ? null : card.blurhash,
    published_at: publishedAtMs > 0 ? isoTime(publishedAtMs) : null,
  };
}
