import type { AccountQuote } from '../../../proto/gen/types.js';
import type { Quoters } from '../../domain/quoting.js';
import { PUBLIC } from '../documents/context.js';
import type { Stamped } from '../documents/stamp.js';
import { authority, isRefused } from './authority.js';
import { canonicalUri, isSameOrigin } from './uris.js';
import { idOf, idsOf, type JsonObject, objectOf, typesOf } from './values.js';

/** Properties by which a status quotes another; the first one counts. Source: FEP-044f, Misskey, Fedibird. */
const QUOTES = ['quote', 'quoteUrl', 'quoteUri', '_misskey_quote'];

/** The quote of a status as its document states it. Addresses are canonical. */
export interface ReadQuote {
  readonly uri: string;
  /** Address of the stamp by which the quoted author permits the quote. */
  readonly approvalUri: string | undefined;
}

/** Returns the quote that a status' document states; undefined if there is none. */
export function quoteIn(note: JsonObject): ReadQuote | undefined {
  const uri = QUOTES.flatMap((name) => idOf(note[name]) ?? [])[0];
  return uri === undefined ? undefined : { uri, approvalUri: idOf(note.quoteAuthorization) };
}

/** Returns a quote whose quoted status and proof are not known yet. */
export const unprovenQuote = ({ uri, approvalUri }: ReadQuote): AccountQuote => ({
  ...{ statusId: '', accountId: '', conversationId: '', state: 'pending', follows: false },
  ...{ uri, approvalUri },
});

/** Returns the accounts that may quote a status, and those that may ask to. Source: FEP-044f, `interactionPolicy`. */
export function quotePoliciesIn(
  { interactionPolicy }: JsonObject,
  followersUri: string,
): { readonly automatic: Quoters; readonly manual: Quoters } {
  const canQuote = objectOf(objectOf(interactionPolicy)?.canQuote) ?? {};
  const quoters = (allowed: unknown): Quoters => {
    const uris = idsOf(allowed);
    if (uris.includes(PUBLIC)) return 'public';
    const followers = canonicalUri(followersUri);
    return followers !== undefined && uris.includes(followers) ? 'followers' : 'nobody';
  };
  return { automatic: quoters(canQuote.automaticApproval), manual: quoters(canQuote.manualApproval) };
}

/** Returns true if a stamp can be the quoted author's: it lies on the author's origin. */
export const mayStamp = ({ uri, quotedAuthor }: Pick<Stamped, 'uri' | 'quotedAuthor'>): boolean =>
  isSameOrigin(uri, quotedAuthor);

/**
 * Returns true if a fetched document permits exactly this quote: it has the requested id, on the quoted author's origin,
 * and is attributed to that author. A stamp for another pair proves nothing. Source: FEP-044f, QuoteAuthorization.
 */
export function isStampOf(document: JsonObject, finalUrl: string, stamped: Stamped): boolean {
  const verdict = authority(document, { finalUrl, expected: stamped.uri });
  if (isRefused(verdict) || !mayStamp(stamped) || !typesOf(document).includes('QuoteAuthorization')) return false;
  const [author, ...others] = idsOf(document.attributedTo);
  return (
    author === stamped.quotedAuthor &&
    others.length === 0 &&
    idOf(document.interactingObject) === stamped.quoting &&
    idOf(document.interactionTarget) === stamped.quoted
  );
}
