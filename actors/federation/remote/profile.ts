import type {
  AccountDomains,
  AccountField,
  AccountProfile,
  StoreRemoteActor,
  StoreRemoteEmoji,
} from '../../../proto/gen/types.js';
import { ATTRIBUTION_DOMAINS_MAX } from '../../account/profile.js';
import { domainName } from '../../domain/servers/domain-name.js';
import { foreignHtml, foreignName } from '../../domain/text/foreign-html.js';
import { ACTOR_TYPES, type Allowed, keysOf } from '../reading/authority.js';
import { policiesIn } from '../reading/interaction-policy.js';
import { canonicalUri, isSameOrigin } from '../reading/uris.js';
import {
  asList,
  countOf,
  idOf,
  idsOf,
  isObject,
  isTrue,
  type JsonObject,
  objectOf,
  textOf,
  timeOf,
  typeAmong,
  typesOf,
} from '../reading/values.js';

/** Characters of a display name, of a biography as HTML, and number of fields. Excess is cut. */
const NAME_CHARS_MAX = 500;
const BIO_CHARS_MAX = 20_000;
const FIELDS_MAX = 16;
/** Characters of the name of a field, and of its value as HTML. Source: Mastodon Account::Field, 2,047. */
const FIELD_CHARS_MAX = 2_047;
/** Emoji of one object. */
const EMOJI_MAX = 100;
/** Tags and attachments of one object that are read. */
const TAGS_READ_MAX = 500;
const SHORTCODE_CHARS_MAX = 100;
/** Former accounts of one owner. */
const ALIASES_MAX = 20;
/** Names that addresses can contain. Longest: more than any known server allows. */
const USERNAME = /^[a-z0-9_](?:[a-z0-9_.-]{0,98}[a-z0-9_])?$/i;

/** An actor as its document describes it. The caller decides which domain its name has. */
export interface ReadActor {
  readonly username: string;
  readonly profile: AccountProfile;
  readonly actor: StoreRemoteActor;
}

/**
 * Reads the document of an actor that `authority()` has allowed. Undefined: without an inbox or a usable name it cannot
 * be followed. Everything else is optional.
 */
export function readActor(document: JsonObject, { id = '', url }: Allowed, nowMs: number): ReadActor | undefined {
  const type = typeAmong(document, ACTOR_TYPES);
  const inbox = idOf(document.inbox);
  const username = textOf(document.preferredUsername, NAME_CHARS_MAX);
  if (type === undefined || inbox === undefined || id === '' || !USERNAME.test(username)) return undefined;
  const actor = {
    uri: id,
    url: url ?? '',
    inbox,
    sharedInbox: idOf(objectOf(document.endpoints)?.sharedInbox) ?? '',
    ...collectionsOf(document, id),
    ...featurePoliciesOf(document, id),
    keys: keysOf(document),
    type,
    alsoKnownAs: idsOf(document.alsoKnownAs, ALIASES_MAX),
    movedTo: idOf(document.movedTo) ?? '',
    fetchedAtMs: nowMs,
    gone: false,
    followers: countOf(objectOf(document.followers)?.totalItems),
    following: countOf(objectOf(document.following)?.totalItems),
    statuses: countOf(objectOf(document.outbox)?.totalItems),
    avatarUrl: pictureOf(document.icon),
    headerUrl: pictureOf(document.image),
    emojis: emojisOf(document.tag),
    publishedMs: Math.max(0, Math.min(timeOf(document.published) ?? 0, nowMs)),
    ...(isTrue(document.memorial) ? { memorial: true } : {}),
  };
  return { username, profile: profileOf(document, type), actor };
}

/** Collections count only on the actor's own server: others could claim somebody else's followers. */
function collectionsOf(document: JsonObject, id: string) {
  const own = (value: unknown) => {
    const uri = idOf(value);
    return uri !== undefined && isSameOrigin(uri, id) ? uri : '';
  };
  return {
    outbox: own(document.outbox),
    followersUri: own(document.followers),
    featuredUri: own(document.featured),
    featuredAccountsUri: own(document.featuredAccounts) || undefined,
    featuredCollectionsUri: own(document.featuredCollections) || undefined,
  };
}

/** Reads `canFeature`. Nobody may feature an account that states no policy. Source: FEP-7aa9. */
function featurePoliciesOf(document: JsonObject, id: string) {
  const { automatic, manual } = policiesIn(document, 'canFeature', collectionsOf(document, id).followersUri);
  return {
    ...(automatic === 'nobody' ? {} : { featurePolicy: automatic }),
    ...(manual === 'nobody' ? {} : { manualFeaturePolicy: manual }),
  };
}

const BOTS = new Set(['Service', 'Application']);

function profileOf(document: JsonObject, type: string): AccountProfile {
  return {
    displayName: foreignName(textOf(document.name, NAME_CHARS_MAX), NAME_CHARS_MAX),
    note: foreignHtml(textOf(document.summary, BIO_CHARS_MAX), BIO_CHARS_MAX).html,
    locked: isTrue(document.manuallyApprovesFollowers),
    bot: BOTS.has(type),
    discoverable: isTrue(document.discoverable),
    indexable: isTrue(document.indexable),
    hideCollections: false,
    fields: fieldsOf(document.attachment),
    privacy: 'public',
    sensitive: false,
    language: '',
    attribution: attributionOf(document.attributionDomains),
  };
}

/** Returns the domains whose pages may name the account as their author; undefined for none. */
function attributionOf(domains: unknown): AccountDomains | undefined {
  const named = asList(domains, ATTRIBUTION_DOMAINS_MAX).map((one) =>
    typeof one === 'string' ? domainName(one) : undefined,
  );
  const valid = [...new Set(named.filter((one) => one !== undefined))];
  return valid.length === 0 ? undefined : { domains: valid };
}

function fieldsOf(attachment: unknown): AccountField[] {
  const pairs = asList(attachment, TAGS_READ_MAX).filter(
    (one): one is JsonObject => isObject(one) && typesOf(one).includes('PropertyValue'),
  );
  return pairs.slice(0, FIELDS_MAX).map(({ name, value }) => ({
    name: foreignName(textOf(name, FIELD_CHARS_MAX), FIELD_CHARS_MAX),
    value: foreignHtml(textOf(value, FIELD_CHARS_MAX), FIELD_CHARS_MAX).html,
  }));
}

/** Returns the custom emoji that an object names in its tags, each shortcode once. */
export function emojisOf(tag: unknown): StoreRemoteEmoji[] {
  const found = new Map<string, StoreRemoteEmoji>();
  for (const one of asList(tag, TAGS_READ_MAX)) {
    if (!isObject(one) || !typesOf(one).includes('Emoji') || found.size >= EMOJI_MAX) continue;
    const shortcode = textOf(one.name, SHORTCODE_CHARS_MAX).replaceAll(/^:|:$/g, '');
    const url = pictureOf(one.icon);
    if (/^\w{1,100}$/.test(shortcode) && url !== '' && !found.has(shortcode)) found.set(shortcode, { shortcode, url });
  }
  return [...found.values()];
}

/** Returns the address of a picture: of an Image, of a Link, or of the first of a list; empty for none. */
function pictureOf(value: unknown): string {
  const [first] = asList(value, 1);
  if (!isObject(first)) return typeof first === 'string' ? (canonicalUri(first) ?? '') : '';
  const [url] = asList(first.url ?? first.href, 1);
  const address = isObject(url) ? url.href : url;
  return typeof address === 'string' ? (canonicalUri(address) ?? '') : '';
}
