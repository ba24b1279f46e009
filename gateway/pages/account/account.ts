import { emptyProfile } from '../../../actors/account/profile.js';
import { accountUri, accountUrl, acctOf } from '../../../actors/domain/addresses.js';
import { fileUrl } from '../../../actors/domain/media.js';
import { QUOTE_POLICY_DEFAULT } from '../../../actors/domain/quoting.js';
import { type RenderOptions, renderHtml, renderInline } from '../../../actors/domain/text/plain-text.js';
import type { AccountField, AccountProfile, StoreAccountRecord } from '../../../proto/gen/types.js';
import { isoDay } from '../../paging/iso-time.js';
import { type CustomEmoji, emojiIn, NO_EMOJI } from '../../settings/custom-emoji.js';
import type { InstanceSettings } from '../../settings/settings.js';
import { isSuspended } from '../../viewing/standing.js';
import { type AccountRole, type Role, renderAccountRoles, renderRole } from './role.js';

/** The REST API's Field. */
export interface Field {
  readonly name: string;
  /** HTML in Account, plain text in source. */
  readonly value: string;
  readonly verified_at: string | null;
}

/** The REST API's Account. */
export interface Account {
  readonly id: string;
  readonly username: string;
  /** Username alone for local accounts, `user@host` for others. */
  readonly acct: string;
  readonly display_name: string;
  readonly locked: boolean;
  readonly bot: boolean;
  readonly discoverable: boolean | null;
  readonly indexable: boolean;
  readonly group: boolean;
  readonly created_at: string;
  readonly note: string;
  readonly url: string;
  readonly uri: string;
  readonly avatar: string;
  readonly avatar_static: string;
  readonly header: string;
  readonly header_static: string;
  readonly followers_count: number;
  readonly following_count: number;
  readonly statuses_count: number;
  readonly last_status_at: string | null;
  readonly hide_collections: boolean | null;
  readonly emojis: readonly CustomEmoji[];
  readonly roles: readonly AccountRole[];
  readonly fields: readonly Field[];
  /** Absent if the picture has no description. */
  readonly avatar_description?: string;
  readonly header_description?: string;
  /** Sections that the page hides; absent if it shows them. */
  readonly show_media?: false;
  readonly show_media_replies?: false;
  readonly show_featured?: false;
  /** Absent if false. */
  readonly suspended?: true;
  readonly limited?: true;
}

/** The REST API's MutedAccount. */
export interface MutedAccount extends Account {
  readonly mute_expires_at: string | null;
}

/** Properties that only the owner sees: the profile as typed and the defaults for new statuses. */
export interface AccountSource {
  readonly note: string;
  readonly fields: readonly Field[];
  readonly privacy: string;
  readonly sensitive: boolean;
  readonly language: string | null;
  readonly follow_requests_count: number;
  readonly hide_collections: boolean | null;
  readonly discoverable: boolean | null;
  readonly indexable: boolean;
  readonly attribution_domains: readonly string[];
  readonly quote_policy: string;
}

/** The REST API's CredentialAccount. */
export interface CredentialAccount extends Account {
  readonly source: AccountSource;
  readonly role: Role;
}

/** Returns the public number of statuses. Direct statuses do not count. Source: Mastodon Status. */
export const statusesTold = ({ statuses, directStatuses = 0 }: StoreAccountRecord): number =>
  Math.max(0, statuses - directStatuses);

/** Pictures for accounts without their own; routes/instance/images.ts serves them. */
export const MISSING_AVATAR_PATH = '/avatars/original/missing.png';
export const MISSING_HEADER_PATH = '/headers/original/missing.png';

const DAY_MS = 86_400_000;

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
  const text = { mentions: mentionTargets(instance, profile), baseUrl: instance.baseUrl };
  const avatar = pictureUrl(instance, profile.avatar, MISSING_AVATAR_PATH);
  const header = pictureUrl(instance, profile.header, MISSING_HEADER_PATH);
  return {
    id: record.id,
    username: record.username,
    acct: acctOf(record),
    display_name: profile.displayName,
    locked: profile.locked,
    bot: profile.bot,
    discoverable: profile.discoverable,
    indexable: profile.indexable,
    group: false,
    // Midnight: the exact moment of signing up is not public. Source: Mastodon REST::AccountSerializer.
    created_at: new Date(Math.floor(record.createdAtMs / DAY_MS) * DAY_MS).toISOString(),
    note: renderHtml(profile.note, text),
    url: accountUrl(instance.baseUrl, record),
    uri: accountUri(instance.baseUrl, record),
    avatar,
    avatar_static: avatar,
    header,
    header_static: header,
    followers_count: record.followers,
    following_count: record.following,
    statuses_count: statusesTold(record),
    last_status_at: record.lastStatusAtMs > 0 ? isoDay(record.lastStatusAtMs) : null,
    hide_collections: profile.hideCollections,
    emojis: emojiIn(
      instance,
      profile.displayName,
      profile.note,
      ...profile.fields.flatMap((one) => [one.name, one.value]),
    ),
    roles: renderAccountRoles(record.role),
    ...(record.silenced === true ? { limited: true as const } : {}),
    ...choices(profile),
    fields: profile.fields.map((field) => ({
      name: field.name,
      value: renderInline(field.value, { ...text, rel: 'me' }),
      verified_at: verifiedAt(field),
    })),
  };
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

/** Returns the targets of mentions by name, with and without this server's domain. */
function mentionTargets({ domain }: InstanceSettings, { mentions }: AccountProfile): RenderOptions['mentions'] {
  if (mentions === undefined) return NOBODY_MENTIONED;
  return new Map(
    mentions.mentions.flatMap(({ username, url }) => {
      const name = username.toLowerCase();
      return [name, `${name}@${domain.toLowerCase()}`].map((key) => [key, { username, url }] as const);
    }),
  );
}

const NOBODY_MENTIONED: RenderOptions['mentions'] = new Map();

const verifiedAt = ({ verifiedAtMs }: AccountField) =>
  verifiedAtMs === undefined ? null : new Date(verifiedAtMs).toISOString();

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
