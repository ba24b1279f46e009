import type { AccountQuote } from '../../../proto/gen/types.js';
import { idOf, type JsonObject } from './values.js';

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
