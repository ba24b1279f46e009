import { Type } from '@sinclair/typebox';
import { emptyProfile } from '../../../actors/account/profile.js';
import { accountUri, accountUrl, acctOf } from '../../../actors/domain/addresses.js';
import { fileUrl } from '../../../actors/domain/media.js';
import { QUOTE_POLICY_DEFAULT } from '../../../actors/domain/quoting.js';
import { isMemorial, isSuspended, signUpDayMs } from '../../../actors/domain/standing.js';
import { profileHtml } from '../../../actors/domain/text/profile-html.js';
import type { AccountField, AccountProfile, StoreAccountRecord } from '../../../proto/gen/types.js';
import { day, entity, extended, nullable, oneOf, type Shape, time, uri, VISIBILITIES } from '../../http/entity.js';
import { isoDay, isoTime } from '../../paging/iso-time.js';
import { CustomEmoji, emojiIn, NO_EMOJI, remoteEmoji } from '../../settings/custom-emoji.js';
import { remoteMediaUrl } from '../../settings/remote-media.js';
import type { InstanceSettings } from '../../settings/settings.js';
import { approvalFields } from '../approvals.js';
import { AccountRole, Role, renderAccountRoles, renderRole } from './role.js';

/** The REST API's Field. */
export const Field = entity('Field', {
  name: Type.String(),
  /** HTML in Account, plain text in source. */
  value: Type.String(),
  verified_at: nullable(time()),
});
export type Field = Shape<typeof Field>;

/** The REST API's FeatureApproval. It follows from the owner's settings without a request. */
export const FeatureApproval = entity('FeatureApproval', approvalFields);
export type FeatureApproval = Shape<typeof FeatureApproval>;

/** The REST API's Account. */
export const Account = entity('Account', {
  id: Type.String(),
  username: Type.String(),
  /** Username alone for local accounts, `user@host` for others. */
  acct: Type.String(),
  display_name: Type.String(),
  locked: Type.Boolean(),
  bot: Type.Boolean(),
  discoverable: nullable(Type.Boolean()),
  indexable: Type.Boolean(),
  group: Type.Boolean(),
  created_at: time(),
  note: Type.String(),
  url: uri(),
  uri: uri(),
  avatar: uri(),
  avatar_static: uri(),
  header: uri(),
  header_static: uri(),
  followers_count: Type.Integer(),
  following_count: Type.Integer(),
  statuses_count: Type.Integer(),
  last_status_at: nullable(day()),
  hide_collections: nullable(Type.Boolean()),
  emojis: Type.Array(CustomEmoji),
  roles: Type.Array(AccountRole),
  fields: Type.Array(Field),
  /** Absent if the picture has no description. */
  avatar_description: Type.Optional(Type.String()),
  header_description: Type.Optional(Type.String()),
  /** Sections that the page hides; absent if it shows them. */
  show_media: Type.Optional(Type.Literal(false)),
  show_media_replies: Type.Optional(Type.Literal(false)),
  show_featured: Type.Optional(Type.Literal(false)),
  /** Absent if false. */
  suspended: Type.Optional(Type.Literal(true)),
  limited: Type.Optional(Type.Literal(true)),
  memorial: Type.Optional(Type.Literal(true)),
  /** The account to which this one moved; absent if it did not, and within statuses. pages/account/moved.ts adds it. */
  moved: Type.Optional(Type.Unsafe<object>({ type: 'object' })),
  /** Permission of the viewer to add the account to a collection; pages/account/feature-approval.ts adds it. */
  feature_approval: Type.Optional(FeatureApproval),
});
export type Account = Shape<typeof Account>;

/** The REST API's MutedAccount. */
export const MutedAccount = extended('MutedAccount', Account, { mute_expires_at: nullable(time()) });
export type MutedAccount = Shape<typeof MutedAccount>;

/** Properties that only the owner sees: the profile as typed and the defaults for new statuses. */
const AccountSource = Type.Object({
  note: Type.String(),
  fields: Type.Array(Field),
  privacy: oneOf(...VISIBILITIES),
  sensitive: Type.Boolean(),
  language: nullable(Type.String()),
  follow_requests_count: Type.Integer(),
  hide_collections: nullable(Type.Boolean()),
  discoverable: nullable(Type.Boolean()),
  indexable: Type.Boolean(),
  attribution_domains: Type.Array(Type.String()),
  quote_policy: oneOf('public', 'followers', 'nobody'),
});

/** The REST API's CredentialAccount. */
export const CredentialAccount = extended('CredentialAccount', Account, { source: AccountSource, role: Role });
export type CredentialAccount = Shape<typeof CredentialAccount>;

/** Returns the public number of statuses. Direct statuses do not count. Source: Mastodon Status. */
export const statusesTold = ({ statuses, directStatuses = 0 }: StoreAccountRecord): number =>
  Math.max(0, statuses - directStatuses);

/** Pictures for accounts without their own; routes/instance/images.ts serves them. */
export const MISSING_AVATAR_PATH = '/avatars/original/missing.png';
export const MISSING_HEADER_PATH = '/headers/original/missing.png';

export function renderAccount(instance: InstanceSettings, record: StoreAccountRecord): Account {
  return isSuspended(record) ? withoutData(renderWhole(instance, record)) : renderWhole(instance, record);
}

/** Removes all data but the identity. Source: Mastodon REST::AccountSerializer. */
function withoutData(account: Account): Account {
  const { avatar: _avatar, header: _header, avatar_description: _said, header_description: _too, ...rest } = account;
  const [avatar, header] = [account.avatar, account.header].map((url) => new URL(url).origin);
  return {
    ...rest,
    display_name: '',
    note: '',
    fields: [],
    emojis: NO_EMOJI,
    roles: [],
    locked: false,
    bot: false,
    discoverable: false,
    hide_collections: null,
    followers_count: 0,
    following_count: 0,
    statuses_count: 0,
    last_status_at: null,
    avatar: `${avatar}${MISSING_AVATAR_PATH}`,
    avatar_static: `${avatar}${MISSING_AVATAR_PATH}`,
    header: `${header}${MISSING_HEADER_PATH}`,
    header_static: `${header}${MISSING_HEADER_PATH}`,
    suspended: true,
  };
}

/** Renders an account for moderators, ignoring a suspension. */
export function renderWhole(instance: InstanceSettings, record: StoreAccountRecord): Account {
  const profile = record.profile ?? emptyProfile;
  const { remote } = record;
  // Texts of other servers are HTML, sanitised when they were received.
  const html = remote === undefined ? profileHtml(instance, profile) : profile;
  const avatar =
    remotePicture(instance, record.id, remote?.avatarUrl) ?? pictureUrl(instance, profile.avatar, MISSING_AVATAR_PATH);
  const header =
    remotePicture(instance, record.id, remote?.headerUrl) ?? pictureUrl(instance, profile.header, MISSING_HEADER_PATH);
  return {
    id: record.id,
    username: record.username,
    acct: acctOf(record),
    display_name: profile.displayName,
    locked: profile.locked,
    bot: profile.bot,
    discoverable: profile.discoverable,
    indexable: profile.indexable,
    group: remote?.type === 'Group',
    created_at: isoTime(signUpDayMs(record)),
    note: html.note,
    url: accountUrl(instance.baseUrl, record),
    uri: accountUri(instance.baseUrl, record),
    avatar,
    avatar_static: avatar,
    header,
    header_static: header,
    // Numbers of other servers count if they are higher than what is known here.
    followers_count: Math.max(record.followers, remote?.followers ?? 0),
    following_count: Math.max(record.following, remote?.following ?? 0),
    statuses_count: Math.max(statusesTold(record), remote?.statuses ?? 0),
    last_status_at: record.lastStatusAtMs > 0 ? isoDay(record.lastStatusAtMs) : null,
    hide_collections: profile.hideCollections,
    emojis:
      remote === undefined
        ? ownEmoji(instance, profile)
        : remoteEmoji(instance, { of: 'accounts', id: record.id }, remote.emojis),
    roles: renderAccountRoles(record.role),
    ...(record.silenced === true ? { limited: true as const } : {}),
    ...(isMemorial(record) ? { memorial: true as const } : {}),
    ...choices(profile),
    fields: profile.fields.map((field, index) => ({
      name: field.name,
      value: html.fields[index]?.value ?? '',
      verified_at: verifiedAt(field),
    })),
  };
}

function ownEmoji(instance: InstanceSettings, { displayName, note, fields }: AccountProfile): readonly CustomEmoji[] {
  return emojiIn(instance, displayName, note, ...fields.flatMap((one) => [one.name, one.value]));
}

/** Returns the fields that differ from their defaults. */
function choices(profile: AccountProfile) {
  const { avatarDescription, headerDescription, hideMedia, hideMediaReplies, hideFeatured } = profile;
  return {
    ...(avatarDescription ? { avatar_description: avatarDescription } : {}),
    ...(headerDescription ? { header_description: headerDescription } : {}),
    ...(hideMedia === true ? { show_media: false as const } : {}),
    ...(hideMediaReplies === true ? { show_media_replies: false as const } : {}),
    ...(hideFeatured === true ? { show_featured: false as const } : {}),
  };
}

const verifiedAt = ({ verifiedAtMs }: AccountField) => (verifiedAtMs === undefined ? null : isoTime(verifiedAtMs));

const remotePicture = (instance: InstanceSettings, id: string, url: string | undefined): string | undefined =>
  url ? remoteMediaUrl(instance, { of: 'accounts', id }, url) : undefined;

/** Returns the address of a picture. Pictures are never animated, so each serves as its static variant, too. */
function pictureUrl({ baseUrl }: InstanceSettings, name: string | undefined, missing: string): string {
  return name ? fileUrl(baseUrl, name) : `${baseUrl}${missing}`;
}

/** Renders an account for its owner. */
export function renderCredentialAccount(instance: InstanceSettings, record: StoreAccountRecord): CredentialAccount {
  const profile = record.profile ?? emptyProfile;
  return {
    ...renderAccount(instance, record),
    source: {
      note: profile.note,
      fields: profile.fields.map((field) => ({
        name: field.name,
        value: field.value,
        verified_at: verifiedAt(field),
      })),
      privacy: profile.privacy === '' ? 'public' : profile.privacy,
      sensitive: profile.sensitive,
      language: profile.language === '' ? null : profile.language,
      follow_requests_count: record.followRequests,
      hide_collections: profile.hideCollections,
      discoverable: profile.discoverable,
      indexable: profile.indexable,
      attribution_domains: profile.attribution?.domains ?? [],
      quote_policy: profile.quotePolicy ?? QUOTE_POLICY_DEFAULT,
    },
    role: renderRole(record.role),
  };
}
