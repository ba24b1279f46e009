import { Type } from '@sinclair/typebox';
import type { StoreAccountRecord } from '../../../proto/gen/types.js';
import { entity, type Shape } from '../../http/entity.js';
import type { InstanceSettings } from '../../settings/settings.js';
import { CredentialAccount, Field, renderCredentialAccount } from './account.js';

/** The REST API's Profile: the fields that the owner edits, as typed. */
export const Profile = entity('Profile', {
  ...Type.Pick(CredentialAccount, [
    'id',
    'display_name',
    'note',
    'avatar',
    'avatar_static',
    'header',
    'header_static',
    'locked',
    'bot',
    'hide_collections',
    'discoverable',
    'indexable',
  ]).properties,
  fields: Type.Array(Field),
  avatar_description: Type.String(),
  header_description: Type.String(),
  show_media: Type.Boolean(),
  show_media_replies: Type.Boolean(),
  show_featured: Type.Boolean(),
  attribution_domains: Type.Array(Type.String()),
});
export type Profile = Shape<typeof Profile>;

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
