import type { StoreAccountRecord, StoreStatusRecord, StoreStatusRevision } from '../../../proto/gen/types.js';
import { isoTime } from '../../paging/iso-time.js';
import { type CustomEmoji, emojiIn } from '../../settings/custom-emoji.js';
import type { InstanceSettings } from '../../settings/settings.js';
import { type Account, renderAccount } from '../account/account.js';
import { type MediaAttachment, renderMediaList } from './media.js';
import type { Quote } from './status.js';

/** The REST API's StatusEdit. */
export interface StatusEdit {
  readonly content: string;
  readonly spoiler_text: string;
  readonly sensitive: boolean;
  readonly created_at: string;
  readonly account: Account;
  readonly media_attachments: readonly MediaAttachment[];
  readonly emojis: readonly CustomEmoji[];
  /** Present only if the status had a poll. */
  readonly poll?: { readonly options: readonly { readonly title: string }[] };
  /** Present only if the status quotes another; edits do not change the quote. */
  readonly quote?: Quote;
}

/** The REST API's StatusSource. */
export interface StatusSource {
  readonly id: string;
  readonly text: string;
  readonly spoiler_text: string;
}

export function renderStatusEdit(
  instance: InstanceSettings,
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
    media_attachments: renderMediaList(instance, revision.media),
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
