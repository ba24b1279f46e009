import { Type } from '@sinclair/typebox';
import { FEATURED_TAGS_MAX } from '../../../actors/account/featured-tags.js';
import { PINS_MAX } from '../../../actors/account/pin.js';
import {
  DISPLAY_NAME_CHARS_MAX,
  FIELD_CHARS_MAX,
  FIELDS_MAX,
  NOTE_CHARS_MAX,
  PICTURE_DESCRIPTION_CHARS_MAX,
} from '../../../actors/account/profile.js';
import {
  DESCRIPTION_CHARS_MAX,
  IMAGE_BYTES_MAX,
  IMAGE_PIXELS_MAX,
  STATUS_MEDIA_MAX,
  UPLOAD_TYPES,
  VIDEO_BYTES_MAX,
  VIDEO_FRAMES_PER_S_MAX,
  VIDEO_PIXELS_MAX,
} from '../../../actors/domain/media.js';
import {
  POLL_MS_MAX,
  POLL_MS_MIN,
  POLL_OPTION_CHARS_MAX,
  POLL_OPTIONS_MAX,
} from '../../../actors/domain/poll-rules.js';
import { LINK_COUNTS_AS } from '../../../actors/domain/text/plain-text.js';
import { STATUS_CHARS_MAX } from '../../../actors/domain/text/status-text.js';
import { entity, nullable, oneOf, type Shape, uri } from '../../http/entity.js';
import type { InstanceSettings } from '../../settings/settings.js';
import { Account, MISSING_HEADER_PATH, renderAccount } from '../account/account.js';
import type { About } from './about.js';
import { Rule, renderRule } from './rule.js';

/**
 * Version of the API that clients may expect, before the name of this software. Clients read the number before the
 * space.
 */
export const API_VERSION = '4.6.0';
/** Number of API changes that clients may query; test/gateway/routes/api-versions lists what each promises. */
const API_CHANGES = 10;

export function versionText(instance: InstanceSettings): string {
  return `${API_VERSION} (compatible; Murmuration ${instance.version})`;
}

const Configuration = Type.Object({
  accounts: Type.Object({ max_featured_tags: Type.Integer(), max_pinned_statuses: Type.Integer() }),
  statuses: Type.Object({
    max_characters: Type.Integer(),
    max_media_attachments: Type.Integer(),
    characters_reserved_per_url: Type.Integer(),
  }),
  media_attachments: Type.Object({
    supported_mime_types: Type.Array(Type.String()),
    description_limit: Type.Integer(),
    image_size_limit: Type.Integer(),
    image_matrix_limit: Type.Integer(),
    video_size_limit: Type.Integer(),
    video_frame_rate_limit: Type.Integer(),
    video_matrix_limit: Type.Integer(),
  }),
  polls: Type.Object({
    max_options: Type.Integer(),
    max_characters_per_option: Type.Integer(),
    min_expiration: Type.Integer(),
    max_expiration: Type.Integer(),
  }),
});

/** The REST API's V1::Instance. */
export const V1Instance = entity('V1Instance', {
  uri: Type.String(),
  title: Type.String(),
  short_description: Type.String(),
  description: Type.String(),
  email: Type.String(),
  version: Type.String(),
  urls: Type.Object({ streaming_api: uri() }),
  stats: Type.Object({ user_count: Type.Integer(), status_count: Type.Integer(), domain_count: Type.Integer() }),
  thumbnail: uri(),
  languages: Type.Array(Type.String()),
  registrations: Type.Boolean(),
  approval_required: Type.Boolean(),
  invites_enabled: Type.Boolean(),
  configuration: Configuration,
  contact_account: nullable(Account),
  rules: Type.Array(Rule),
});

const Access = Type.Object({
  local: oneOf('public', 'authenticated', 'disabled'),
  remote: oneOf('public', 'authenticated', 'disabled'),
});

/** The REST API's Instance (v2). */
export const Instance = entity('Instance', {
  domain: Type.String(),
  title: Type.String(),
  version: Type.String(),
  source_url: uri(),
  description: Type.String(),
  usage: Type.Object({ users: Type.Object({ active_month: Type.Integer() }) }),
  thumbnail: Type.Object({ url: uri(), blurhash: Type.Null(), versions: Type.Object({}) }),
  icon: Type.Array(entity('InstanceIcon', { src: Type.String(), size: Type.String() })),
  languages: Type.Array(Type.String()),
  configuration: Type.Object({
    ...Configuration.properties,
    accounts: Type.Object({
      ...Configuration.properties.accounts.properties,
      max_display_name_length: Type.Integer(),
      max_note_length: Type.Integer(),
      max_avatar_description_length: Type.Integer(),
      max_header_description_length: Type.Integer(),
      max_profile_fields: Type.Integer(),
      profile_field_name_limit: Type.Integer(),
      profile_field_value_limit: Type.Integer(),
    }),
    urls: Type.Object({
      streaming: uri(),
      about: uri(),
      privacy_policy: uri(),
      terms_of_service: nullable(uri()),
      status: Type.Optional(uri()),
    }),
    timelines_access: Type.Object({ live_feeds: Access, hashtag_feeds: Access, trending_link_feeds: Access }),
    vapid: Type.Object({ public_key: Type.String() }),
    translation: Type.Object({ enabled: Type.Boolean() }),
    limited_federation: Type.Boolean(),
  }),
  registrations: Type.Object({
    enabled: Type.Boolean(),
    approval_required: Type.Boolean(),
    reason_required: Type.Boolean(),
    message: nullable(Type.String()),
    min_age: nullable(Type.Integer()),
    url: nullable(uri()),
  }),
  api_versions: Type.Object({ mastodon: Type.Integer() }),
  contact: Type.Object({ email: Type.String(), account: nullable(Account) }),
  rules: Type.Array(Rule),
});

/** Returns the fields that both versions of the entity share. */
function configuration(): Shape<typeof Configuration> {
  return {
    accounts: { max_featured_tags: FEATURED_TAGS_MAX, max_pinned_statuses: PINS_MAX },
    statuses: {
      max_characters: STATUS_CHARS_MAX,
      max_media_attachments: STATUS_MEDIA_MAX,
      characters_reserved_per_url: LINK_COUNTS_AS,
    },
    media_attachments: {
      supported_mime_types: UPLOAD_TYPES,
      description_limit: DESCRIPTION_CHARS_MAX,
      image_size_limit: IMAGE_BYTES_MAX,
      image_matrix_limit: IMAGE_PIXELS_MAX,
      video_size_limit: VIDEO_BYTES_MAX,
      video_frame_rate_limit: VIDEO_FRAMES_PER_S_MAX,
      video_matrix_limit: VIDEO_PIXELS_MAX,
    },
    polls: {
      max_options: POLL_OPTIONS_MAX,
      max_characters_per_option: POLL_OPTION_CHARS_MAX,
      min_expiration: POLL_MS_MIN / 1_000,
      max_expiration: POLL_MS_MAX / 1_000,
    },
  };
}

/** Renders the REST API's V1::Instance. */
export function renderInstanceV1(instance: InstanceSettings, about: About): Shape<typeof V1Instance> {
  return {
    uri: instance.domain,
    title: about.title,
    short_description: about.shortDescription,
    description: about.description,
    email: about.contactEmail,
    version: versionText(instance),
    urls: { streaming_api: instance.streamingUrl },
    stats: { user_count: about.totals.users, status_count: about.totals.statuses, domain_count: about.servers },
    thumbnail: `${instance.baseUrl}${MISSING_HEADER_PATH}`,
    languages: about.languages,
    registrations: instance.registrations !== 'closed',
    approval_required: instance.registrations === 'approval',
    invites_enabled: instance.invites === 'everyone',
    configuration: configuration(),
    contact_account: about.contact === undefined ? null : renderAccount(instance, about.contact),
    rules: about.rules.map(renderRule),
  };
}

/** Renders the REST API's Instance (v2). `serverKey` is the key for push services, base64url. */
export function renderInstance(instance: InstanceSettings, about: About, serverKey: string): Shape<typeof Instance> {
  const shared = configuration();
  return {
    domain: instance.domain,
    title: about.title,
    version: versionText(instance),
    source_url: about.sourceUrl,
    description: about.description,
    usage: { users: { active_month: about.totals.activeMonth } },
    thumbnail: { url: `${instance.baseUrl}${MISSING_HEADER_PATH}`, blurhash: null, versions: {} },
    icon: [],
    languages: about.languages,
    configuration: {
      ...shared,
      accounts: {
        ...shared.accounts,
        max_display_name_length: DISPLAY_NAME_CHARS_MAX,
        max_note_length: NOTE_CHARS_MAX,
        max_avatar_description_length: PICTURE_DESCRIPTION_CHARS_MAX,
        max_header_description_length: PICTURE_DESCRIPTION_CHARS_MAX,
        max_profile_fields: FIELDS_MAX,
        profile_field_name_limit: FIELD_CHARS_MAX,
        profile_field_value_limit: FIELD_CHARS_MAX,
      },
      urls: {
        streaming: instance.streamingUrl,
        about: `${instance.baseUrl}/about`,
        privacy_policy: `${instance.baseUrl}/privacy-policy`,
        terms_of_service: about.hasTerms ? `${instance.baseUrl}/terms-of-service` : null,
        ...(about.statusPage === undefined ? {} : { status: about.statusPage }),
      },
      timelines_access: {
        live_feeds: { local: 'public', remote: 'public' },
        hashtag_feeds: { local: 'public', remote: 'public' },
        trending_link_feeds: { local: 'public', remote: 'public' },
      },
      vapid: { public_key: serverKey },
      translation: { enabled: false },
      limited_federation: false,
    },
    registrations: {
      enabled: instance.registrations !== 'closed',
      approval_required: instance.registrations === 'approval',
      // A person who waits for approval may give a reason, but need not.
      reason_required: false,
      message: about.registrationsMessage ?? null,
      min_age: null,
      url: instance.registrations === 'closed' ? null : `${instance.baseUrl}/auth/sign_up`,
    },
    api_versions: { mastodon: API_CHANGES },
    contact: {
      email: about.contactEmail,
      account: about.contact === undefined ? null : renderAccount(instance, about.contact),
    },
    rules: about.rules.map(renderRule),
  };
}
