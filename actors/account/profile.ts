import { codec } from '../../proto/codec.js';
import type * as P from '../../proto/gen/types.js';
import { type Problem, problem } from '../domain/problem.js';
import { domainName } from '../domain/servers/domain-name.js';
import { isLanguage } from '../domain/text/language.js';
import { countChars, readText } from '../domain/text/plain-text.js';
import { verifiableLink } from '../domain/text/verifiable-link.js';
import { VISIBILITIES } from '../domain/visibility.js';
import type { Slice } from '../runtime/slice.js';
import { chosen, type Events as IndexingEvents, type State as IndexingState } from './indexing.js';

export interface Commands {
  updateProfile: { in: P.AccountUpdateProfile; out: P.AccountProfile };
  verifyLink: { in: P.AccountVerifyLink; out: P.AccountEmpty };
}
export interface Events {
  profileUpdated: P.AccountProfileUpdated;
  linkVerified: P.AccountLinkVerified;
}
export interface State extends IndexingState {
  profile: P.AccountProfile;
}

/** Source: Mastodon Account::DISPLAY_NAME_LENGTH_LIMIT. */
export const DISPLAY_NAME_CHARS_MAX = 30;
/** Characters of a note, counted as in a status. Source: Mastodon Account::NOTE_LENGTH_LIMIT. */
export const NOTE_CHARS_MAX = 500;
/** Source: Mastodon Account::DEFAULT_FIELDS_SIZE. */
export const FIELDS_MAX = 4;
/** Characters of a field's name, and of its value. Source: Mastodon Account::Field::MAX_CHARACTERS_LOCAL. */
export const FIELD_CHARS_MAX = 255;

/** Characters of the alternative text of an avatar or header. Source: Mastodon Account::MAX_DESCRIPTION_LENGTH. */
export const PICTURE_DESCRIPTION_CHARS_MAX = 150;
/** Accounts that a profile links to. Bounds its row, and the lookups when it is saved. Further mentions stay text. */
export const PROFILE_MENTIONS_MAX = 50;
/** Source: Mastodon Account::ATTRIBUTION_DOMAINS_LIMIT. */
export const ATTRIBUTION_DOMAINS_MAX = 100;
/** The accounts that may quote a status. */
export const QUOTE_POLICIES = ['public', 'followers', 'nobody'] as const;

export const emptyProfile: P.AccountProfile = {
  displayName: '',
  note: '',
  locked: false,
  bot: false,
  discoverable: false,
  indexable: false,
  hideCollections: false,
  fields: [],
  privacy: 'public',
  sensitive: false,
  language: '',
};

/** The owner's profile, and the defaults for new statuses. */
export const profile: Slice<State, Commands, Events, Pick<IndexingEvents, 'indexingChosen'>> = {
  decide: {
    updateProfile(state, command, { nowMs }) {
      const next = changed(state.profile, command);
      const refusal = refused(next);
      if (refusal !== undefined) return refusal;
      // Saving unverified links again starts another verification, even if nothing changed.
      const isLookedAt = command.setFields && unverifiedLinks(next).length > 0;
      if (!isLookedAt && JSON.stringify(next) === JSON.stringify(state.profile)) return { events: [], reply: next };
      const dropped = droppedPictures(state.profile, next);
      const updated = { type: 'profileUpdated' as const, profile: next, atMs: nowMs, dropped };
      const isChosen = next.indexable !== state.profile.indexable;
      return { events: [updated, ...(isChosen ? [chosen(state, next.indexable, nowMs)] : [])], reply: next };
    },
    verifyLink(state, { value }, { nowMs }) {
      if (!unverifiedLinks(state.profile).includes(value)) return { events: [], reply: {} };
      return { events: [{ type: 'linkVerified', value, atMs: nowMs }], reply: {} };
    },
  },
  apply: {
    profileUpdated(state, event) {
      state.profile = event.profile ?? emptyProfile;
    },
    linkVerified(state, { value, atMs }) {
      const fields = state.profile.fields.map((field) =>
        field.value === value ? { ...field, verifiedAtMs: atMs } : field,
      );
      state.profile = { ...state.profile, fields };
    },
  },
  commands: {
    updateProfile: {
      in: codec('murmuration.account.UpdateProfile'),
      out: codec('murmuration.account.Profile'),
      repeats: 'idempotent',
      local: true,
    },
    verifyLink: {
      in: codec('murmuration.account.VerifyLink'),
      out: codec('murmuration.account.Empty'),
      repeats: 'idempotent',
      local: true,
    },
  },
  events: {
    profileUpdated: { codec: codec('murmuration.account.ProfileUpdated'), invalidates: true },
    linkVerified: { codec: codec('murmuration.account.LinkVerified'), invalidates: false },
  },
};

/** Returns the values of fields with links that are not verified to link back. */
export function unverifiedLinks({ fields }: P.AccountProfile): readonly string[] {
  const unverified = fields.filter(({ verifiedAtMs }) => verifiedAtMs === undefined).map(({ value }) => value);
  return [...new Set(unverified)].filter((value) => verifiableLink(value) !== undefined);
}

/** A field stays verified as long as its value is unchanged. The caller cannot set the verification. */
function withVerifications(now: readonly P.AccountField[], wanted: readonly P.AccountField[]): P.AccountField[] {
  const named = wanted.filter(({ name, value }) => name !== '' || value !== '');
  return named.map(({ name, value }) => {
    const verifiedAtMs = now.find((field) => field.value === value)?.verifiedAtMs;
    return verifiedAtMs === undefined ? { name, value } : { name, value, verifiedAtMs };
  });
}

function changed(now: P.AccountProfile, command: P.AccountUpdateProfile): P.AccountProfile {
  return {
    displayName: command.displayName?.trim() ?? now.displayName,
    note: command.note?.trim() ?? now.note,
    locked: command.locked ?? now.locked,
    bot: command.bot ?? now.bot,
    discoverable: command.discoverable ?? now.discoverable,
    indexable: command.indexable ?? now.indexable,
    hideCollections: command.hideCollections ?? now.hideCollections,
    fields: command.setFields ? withVerifications(now.fields, command.fields) : now.fields,
    privacy: command.privacy ?? now.privacy,
    sensitive: command.sensitive ?? now.sensitive,
    language: command.language ?? now.language,
    attribution: command.attribution === undefined ? now.attribution : attributed(command.attribution),
    quotePolicy: command.quotePolicy ?? now.quotePolicy,
    hideFeatured: command.hideFeatured ?? now.hideFeatured,
    hideMedia: command.hideMedia ?? now.hideMedia,
    hideMediaReplies: command.hideMediaReplies ?? now.hideMediaReplies,
    avatar: command.avatar ?? now.avatar,
    header: command.header ?? now.header,
    avatarDescription: command.avatarDescription?.trim() ?? now.avatarDescription,
    headerDescription: command.headerDescription?.trim() ?? now.headerDescription,
    mentions: command.note === undefined && !command.setFields ? now.mentions : mentioned(now, command),
  };
}

/**
 * Returns the accounts that the new profile mentions: those found by the caller, and earlier ones that are still named.
 */
function mentioned(now: P.AccountProfile, command: P.AccountUpdateProfile): P.AccountMentions | undefined {
  const note = command.note ?? now.note;
  const fields = command.setFields ? command.fields : now.fields;
  const named = new Set(namesIn(note, fields).map((name) => name.split('@', 1)[0] ?? ''));
  const known = [...(now.mentions?.mentions ?? []), ...(command.mentions?.mentions ?? [])];
  const all = new Map(known.map((one) => [one.accountId, one]));
  const mentions = [...all.values()].filter(({ username }) => named.has(username.toLowerCase()));
  return mentions.length === 0 ? undefined : { mentions: mentions.slice(0, PROFILE_MENTIONS_MAX) };
}

/** Returns the names that a profile mentions, in the form of `readText`. */
export function namesIn(note: string, fields: readonly Pick<P.AccountField, 'value'>[]): readonly string[] {
  return readText([note, ...fields.map(({ value }) => value)].join('\n')).mentions;
}

function droppedPictures(before: P.AccountProfile, next: P.AccountProfile): P.AccountMediaIds | undefined {
  const ids = [before.avatar, before.header].filter((name) => name && name !== next.avatar && name !== next.header);
  return ids.length === 0 ? undefined : { ids: ids.flatMap((name) => name ?? []) };
}

/** Normalises the domains. An invalid one becomes an empty text, which is refused later. */
function attributed({ domains }: P.AccountDomains): P.AccountDomains {
  const wanted = domains.filter((one) => one.trim() !== '').map((one) => domainName(one) ?? '');
  return { domains: [...new Set(wanted)] };
}

function refused(next: P.AccountProfile): Problem | undefined {
  if (countChars(next.displayName) > DISPLAY_NAME_CHARS_MAX)
    return tooLong('display_name', 'Display name', DISPLAY_NAME_CHARS_MAX);
  if (countChars(next.note) > NOTE_CHARS_MAX) return tooLong('note', 'Note', NOTE_CHARS_MAX);
  if (next.fields.length > FIELDS_MAX)
    return invalid('fields', 'Fields', 'ERR_TOO_LONG', `must be at most ${FIELDS_MAX}`);
  for (const [field, label, said] of [
    ['avatar_description', 'Avatar description', next.avatarDescription],
    ['header_description', 'Header description', next.headerDescription],
  ] as const)
    if (countChars(said ?? '') > PICTURE_DESCRIPTION_CHARS_MAX)
      return tooLong(field, label, PICTURE_DESCRIPTION_CHARS_MAX);
  for (const { name, value } of next.fields) {
    if (name === '') return invalid('fields', 'Fields', 'ERR_INVALID', 'contain a value without label');
    if (Math.max(name.length, value.length) > FIELD_CHARS_MAX) return tooLong('fields', 'Fields', FIELD_CHARS_MAX);
  }
  if (next.quotePolicy !== undefined && !QUOTE_POLICIES.some((policy) => policy === next.quotePolicy))
    return invalid('quote_policy', 'Quote policy', 'ERR_INCLUSION', 'is not included in the list');
  if ((next.attribution?.domains.length ?? 0) > ATTRIBUTION_DOMAINS_MAX)
    return invalid(
      'attribution_domains',
      'Attribution domains',
      'ERR_TOO_LONG',
      `are at most ${ATTRIBUTION_DOMAINS_MAX}`,
    );
  if (next.attribution?.domains.some((domain) => domain === '') === true)
    return invalid('attribution_domains', 'Attribution domains', 'ERR_INVALID', 'are invalid');
  if (!VISIBILITIES.some((visibility) => visibility === next.privacy))
    return invalid('privacy', 'Default privacy', 'ERR_INCLUSION', 'is not included in the list');
  if (next.language !== '' && !isLanguage(next.language))
    return invalid('language', 'Default language', 'ERR_INCLUSION', 'is not included in the list');
  return undefined;
}

function tooLong(field: string, label: string, max: number): Problem {
  return invalid(field, label, 'ERR_TOO_LONG', `is too long (maximum is ${max} characters)`);
}

function invalid(field: string, label: string, error: string, description: string): Problem {
  return problem('invalid', `Validation failed: ${label} ${description}`, { [field]: [{ error, description }] });
}
