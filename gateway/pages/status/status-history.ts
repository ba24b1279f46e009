import { Type } from '@sinclair/typebox';
import type { StoreAccountRecord, StoreStatusRecord, StoreStatusRevision } from '../../../proto/gen/types.js';
import { entity, type Shape, time } from '../../http/entity.js';
import { isoTime } from '../../paging/iso-time.js';
import { CustomEmoji, emojiIn } from '../../settings/custom-emoji.js';
import type { InstanceSettings } from '../../settings/settings.js';
import { Account, renderAccount } from '../account/account.js';
import { MediaAttachment, renderMediaList } from './media.js';
import { ShallowQuote } from './quote.js';
import { Quote } from './status.js';

/** The REST API's StatusEdit. */
export const StatusEdit = entity('StatusEdit', {
  content: Type.String(),
  spoiler_text: Type.String(),
  sensitive: Type.Boolean(),
  created_at: time(),
  account: Account,
  media_attachments: Type.Array(MediaAttachment),
  emojis: Type.Array(CustomEmoji),
  /** Present only if the status had a poll. */
  poll: Type.Optional(Type.Object({ options: Type.Array(Type.Object({ title: Type.String() })) })),
  /** Present only if the status quotes another; edits do not change the quote. */
  quote: Type.Optional(Type.Union([Quote, ShallowQuote])),
});
export type StatusEdit = Shape<typeof StatusEdit>;

/** The REST API's StatusSource. */
export const StatusSource = entity('StatusSource', {
  id: Type.String(),
  text: Type.String(),
  spoiler_text: Type.String(),
});
export type StatusSource = Shape<typeof StatusSource>;

export function renderStatusEdit(
  instance: InstanceSettings,
  id: string,
  revision: StoreStatusRevision,
  author: StoreAccountRecord,
  quote: Quote | undefined,
): StatusEdit {
  return {
    content: revision.html,
    spoiler_text: revision.spoilerText,
    sensitive: revision.sensitive,
    created_at: isoTime(revision.atMs),
    account: renderAccount(instance, author),
    media_attachments: renderMediaList(instance, revision.media, id),
    emojis: emojiIn(instance, revision.spoilerText, revision.text, ...revision.pollOptions),
    ...(revision.pollOptions.length === 0
      ? {}
      : { poll: { options: revision.pollOptions.map((title) => ({ title })) } }),
    ...(quote === undefined ? {} : { quote }),
  };
}

export function renderStatusSource({ id, text, spoilerText }: StoreStatusRecord): StatusSource {
  return { id, text, spoiler_text: spoilerText };
}
