import { taggedUrl } from '../../domain/addresses.js';

/** A hashtag that a person features, as documents name it. */
export interface Hashtag {
  readonly type: 'Hashtag';
  readonly href: string;
  readonly name: string;
}

/** Renders a featured hashtag. `page`: the address of the person's page. Source: Mastodon's `featuredTags`. */
export const hashtagDocument = (page: string, name: string): Hashtag => ({
  type: 'Hashtag',
  href: taggedUrl(page, name),
  name: `#${name}`,
});
