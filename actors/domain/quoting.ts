/** What the decision needs of a status that somebody would quote. */
export interface Quotable {
  readonly accountId: string;
  readonly visibility: string;
  readonly reblogOfId?: string | undefined;
  readonly quotePolicy?: string | undefined;
}

/** What holds where nothing was said, of a status or of all that somebody writes. Source: Mastodon UserSettings. */
export const QUOTE_POLICY_DEFAULT = 'public';

/** Whom a status' author lets quote it: everybody, followers, or nobody. What not everybody sees, nobody else quotes. */
export function quotableBy({ visibility, reblogOfId, quotePolicy }: Quotable): 'public' | 'followers' | 'nobody' {
  if ((visibility !== 'public' && visibility !== 'unlisted') || reblogOfId !== undefined) return 'nobody';
  if (quotePolicy === undefined) return QUOTE_POLICY_DEFAULT;
  return quotePolicy === 'public' || quotePolicy === 'followers' ? quotePolicy : 'nobody';
}

/**
 * The one place that says whether somebody may quote a status that they may see. `follows`: they follow its author.
 * Source: Mastodon Status#quote_policy_for_account.
 */
export function mayQuote(status: Quotable, by: string | undefined, follows: boolean): boolean {
  if (by === undefined || status.visibility === 'direct' || status.reblogOfId !== undefined) return false;
  if (by === status.accountId) return true;
  const allowed = quotableBy(status);
  return allowed === 'public' || (allowed === 'followers' && follows);
}

/** What is quoted is shown to those who see the quote: nothing for followers goes to everybody. */
export function fitsQuote(quoted: string, quoting: string): boolean {
  return quoted !== 'private' || quoting === 'private' || quoting === 'direct';
}
