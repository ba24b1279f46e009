/** Addressee of public objects. Source: ActivityPub §5.6. */
export const PUBLIC = 'https://www.w3.org/ns/activitystreams#Public';

/** Media type of ActivityStreams documents. Source: ActivityPub §3.2 and Activity Streams 2.0 §6. */
export const ACTIVITY_TYPE = 'application/activity+json';

/** Names a term whose values are addresses. */
const address = (id: string) => ({ '@id': id, '@type': '@id' });

/**
 * The JSON-LD context of all documents of this server. One context for all types of objects keeps documents comparable;
 * it has only compact terms, so other servers need not process it.
 */
export const CONTEXT: readonly unknown[] = [
  'https://www.w3.org/ns/activitystreams',
  'https://w3id.org/security/v1',
  {
    toot: 'http://joinmastodon.org/ns#',
    schema: 'http://schema.org#',
    gts: 'https://gotosocial.org/ns#',
    manuallyApprovesFollowers: 'as:manuallyApprovesFollowers',
    sensitive: 'as:sensitive',
    Hashtag: 'as:Hashtag',
    Emoji: 'toot:Emoji',
    PropertyValue: 'schema:PropertyValue',
    value: 'schema:value',
    alsoKnownAs: address('as:alsoKnownAs'),
    movedTo: address('as:movedTo'),
    featured: address('toot:featured'),
    featuredTags: address('toot:featuredTags'),
    featuredAccounts: address('urn:murmuration:featuredAccounts'),
    discoverable: 'toot:discoverable',
    indexable: 'toot:indexable',
    suspended: 'toot:suspended',
    memorial: 'toot:memorial',
    attributionDomains: address('toot:attributionDomains'),
    blurhash: 'toot:blurhash',
    focalPoint: { '@container': '@list', '@id': 'toot:focalPoint' },
    votersCount: 'toot:votersCount',
    quote: address('https://w3id.org/fep/044f#quote'),
    QuoteRequest: 'https://w3id.org/fep/044f#QuoteRequest',
    QuoteAuthorization: 'https://w3id.org/fep/044f#QuoteAuthorization',
    quoteAuthorization: address('https://w3id.org/fep/044f#quoteAuthorization'),
    FeaturedCollection: 'https://w3id.org/fep/7aa9#FeaturedCollection',
    FeaturedItem: 'https://w3id.org/fep/7aa9#FeaturedItem',
    featuredCollections: address('https://w3id.org/fep/7aa9#featuredCollections'),
    featuredObject: address('https://w3id.org/fep/7aa9#featuredObject'),
    featuredObjectType: 'https://w3id.org/fep/7aa9#featuredObjectType',
    featureAuthorization: address('https://w3id.org/fep/7aa9#featureAuthorization'),
    topic: 'https://w3id.org/fep/7aa9#topic',
    FeatureRequest: 'https://w3id.org/fep/7aa9#FeatureRequest',
    FeatureAuthorization: 'https://w3id.org/fep/7aa9#FeatureAuthorization',
    interactingObject: address('gts:interactingObject'),
    interactionTarget: address('gts:interactionTarget'),
    quoteUri: 'http://fedibird.com/ns#quoteUri',
    _misskey_quote: 'https://misskey-hub.net/ns#_misskey_quote',
    interactionPolicy: address('gts:interactionPolicy'),
    canQuote: address('gts:canQuote'),
    canFeature: address('https://w3id.org/fep/7aa9#canFeature'),
    automaticApproval: address('gts:automaticApproval'),
    manualApproval: address('gts:manualApproval'),
  },
];

/** Returns a time as ActivityStreams writes it: in seconds, UTC. */
export const asTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

/** Adds the context to the outermost object. */
export const document = <T extends object>(object: T) => ({ '@context': CONTEXT, ...object });

/** A custom emoji in a text. */
export interface EmojiPicture {
  readonly shortcode: string;
  readonly url: string;
}

/** Renders the custom emoji of a text as tags. */
export const emojiTags = (emojis: readonly EmojiPicture[], mediaTypeOf: (url: string) => string | undefined) =>
  emojis.map(({ shortcode, url }) => ({
    id: url,
    type: 'Emoji',
    name: `:${shortcode}:`,
    icon: { type: 'Image', mediaType: mediaTypeOf(url), url },
  }));
