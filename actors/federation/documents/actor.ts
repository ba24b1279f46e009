import type { AccountProfile, StoreAccountRecord } from '../../../proto/gen/types.js';
import { consentOf } from '../../account/feature-consent.js';
import { emptyProfile } from '../../account/profile.js';
import { accountUri, accountUrl } from '../../domain/addresses.js';
import { fileType, fileUrl } from '../../domain/media.js';
import { isSuspended, signUpDayMs } from '../../domain/standing.js';
import { type Here, profileHtml } from '../../domain/text/profile-html.js';
import { asTime, type EmojiPicture, emojiTags, PUBLIC } from './context.js';

/** Addresses of a local actor. Source: ActivityPub §4.1. */
export const actorAddresses = (uri: string) => ({
  inbox: `${uri}/inbox`,
  outbox: `${uri}/outbox`,
  followers: `${uri}/followers`,
  following: `${uri}/following`,
  featured: `${uri}/collections/featured`,
  featuredTags: `${uri}/collections/tags`,
  featuredAccounts: `${uri}/collections/accounts`,
  featuredCollections: `${uri}/featured_collections`,
});

/** Returns the address of the actor that stands for the instance. */
export const instanceActorUri = (baseUrl: string): string => `${baseUrl}/actor`;

const sharedInbox = (baseUrl: string) => ({ sharedInbox: `${baseUrl}/inbox` });

/** Returns the address of a local actor's key. */
export const keyIdOf = (actorUri: string): string => `${actorUri}#main-key`;

const keyOf = (owner: string, publicKeyPem: string) => ({ id: keyIdOf(owner), owner, publicKeyPem });

/** Renders a local account as an actor, without the context. Of a suspended account only the identity remains. */
export function actorDocument(
  here: Here,
  record: StoreAccountRecord,
  publicKeyPem: string,
  emojis: readonly EmojiPicture[],
) {
  const id = accountUri(here.baseUrl, record);
  const isEmptied = isSuspended(record);
  const profile = isEmptied ? emptyProfile : (record.profile ?? emptyProfile);
  return {
    id,
    type: profile.bot ? 'Service' : 'Person',
    ...actorAddresses(id),
    preferredUsername: record.username,
    name: profile.displayName,
    url: accountUrl(here.baseUrl, record),
    ...described(here, profile),
    manuallyApprovesFollowers: profile.locked,
    discoverable: profile.discoverable,
    indexable: profile.indexable,
    published: asTime(signUpDayMs(record)),
    memorial: record.memorial === true,
    ...(record.aliases !== undefined && !isEmptied ? { alsoKnownAs: record.aliases.uris } : {}),
    ...(record.movedTo !== undefined && !isEmptied ? { movedTo: record.movedTo.uri } : {}),
    ...(isEmptied ? { suspended: true } : {}),
    publicKey: keyOf(id, publicKeyPem),
    tag: isEmptied ? [] : emojiTags(emojis, fileType),
    interactionPolicy: { canFeature: featurePolicy(id, profile) },
    attributionDomains: profile.attribution?.domains ?? [],
    endpoints: sharedInbox(here.baseUrl),
    ...pictures(here, profile),
  };
}

/** Renders the accounts that may feature an account; its own address stands for nobody. Source: FEP-7aa9. */
function featurePolicy(id: string, profile: AccountProfile) {
  const allowed = { public: PUBLIC, followers: actorAddresses(id).followers, nobody: id }[consentOf(profile)];
  return { automaticApproval: [allowed], manualApproval: [] };
}

/** Renders the texts of a profile. */
function described(here: Here, profile: AccountProfile) {
  const { note, fields } = profileHtml(here, profile);
  return { summary: note, attachment: fields.map(({ name, value }) => ({ type: 'PropertyValue', name, value })) };
}

function pictures({ baseUrl }: Here, { avatar, header, avatarDescription, headerDescription }: AccountProfile) {
  const picture = (name: string, description: string | undefined) => ({
    type: 'Image',
    mediaType: fileType(name),
    url: fileUrl(baseUrl, name),
    ...(description ? { summary: description } : {}),
  });
  return {
    ...(avatar ? { icon: picture(avatar, avatarDescription) } : {}),
    ...(header ? { image: picture(header, headerDescription) } : {}),
  };
}

/** Returns the name of the instance's actor: the domain without its port, which no name may contain. */
export const instanceName = (domain: string): string => domain.replace(/:\d+$/, '').toLowerCase();

/** Renders the actor that stands for the instance, without the context. It signs requests that belong to no account. */
export function instanceActorDocument({ baseUrl, domain }: Here, publicKeyPem: string) {
  const id = instanceActorUri(baseUrl);
  return {
    id,
    type: 'Application',
    inbox: `${id}/inbox`,
    outbox: `${id}/outbox`,
    preferredUsername: instanceName(domain),
    url: `${baseUrl}/about`,
    manuallyApprovesFollowers: true,
    publicKey: keyOf(id, publicKeyPem),
    endpoints: sharedInbox(baseUrl),
  };
}
