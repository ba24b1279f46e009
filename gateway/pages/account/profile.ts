import type { StoreAccountRecord } from '../../../proto/gen/types.js';
import type { InstanceSettings } from '../../settings/settings.js';
import { type CredentialAccount, type Field, renderCredentialAccount } from './account.js';

/** The REST API's Profile: the fields that the owner edits, as typed. */
export interface Profile
  extends Pick<
    CredentialAccount,
    | 'id'
    | 'display_name'
    | 'note'
    | 'avatar'
    | 'avatar_static'
    | 'header'
    | 'header_static'
    | 'locked'
    | 'bot'
    | 'hide_collections'
    | 'discoverable'
    | 'indexable'
  > {
  readonly fields: readonly Field[];
  readonly avatar_description: string;
  readonly header_description: string;
  readonly show_media: boolean;
  readonly show_media_replies: boolean;
  readonly show_featured: boolean;
  readonly attribution_domains: readonly string[];
}

export function renderProfile(instance: InstanceSettings, record: StoreAccountRecord): Profile {
  const { source, ...account } = renderCredentialAccount(instance, record);
  const { profile } = record;
  return {
    id: account.id,
    display_name: account.display_name,
    note: source.note,
    fields: source.fields,
    avatar: account.avatar,
    avatar_static: account.avatar_static,
    avatar_description: profile?.avatarDescription ?? '',
    header: account.header,
    header_static: account.header_static,
    header_description: profile?.headerDescription ?? '',
    locked: account.locked,
    bot: account.bot,
    hide_collections: account.hide_collections,
    discoverable: account.discoverable,
    indexable: account.indexable,
    show_media: profile?.hideMedia !== true,
    show_media_replies: profile?.hideMediaReplies !== true,
    show_featured: profile?.hideFeatured !== true,
    attribution_domains: source.attribution_domains,
  };
}
