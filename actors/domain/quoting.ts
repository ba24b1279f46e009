/** The fields of a status that decide who may quote it. */
export interface Quotable {
  readonly accountId: string;
  readonly visibility: string;
  readonly reblogOfId?: string | undefined;
  readonly quotePolicy?: string | undefined;
}

/** Policy of statuses and accounts that set none. Source: Mastodon UserSettings. */
export const QUOTE_POLICY_DEFAULT = 'public';

/**
 * Returns the accounts that may quote a status: everybody, followers, or nobody. Only its author may quote a status
 * that is not for everybody.
 */
export function quotableBy({ visibility, reblogOfId, quotePolicy }: Quotable): 'public' | 'followers' | 'nobody' {
  if ((visibility !== 'public' && visibility !== 'unlisted') || reblogOfId !== undefined) return 'nobody';
  if (quotePolicy === undefined) return QUOTE_POLICY_DEFAULT;
  return quotePolicy === 'public' || quotePolicy === 'followers' ? quotePolicy : 'nobody';
}

/**
 * The only place that decides whether an account may quote a status that it may see. `follows`: it follows the author.
 * Source: Mastodon Status#quote_policy_for_account.
 */
export function mayQuote(status: Quotable, by: string | undefined, follows: boolean): boolean {
  if (by === undefined || status.visibility === 'direct' || status.reblogOfId !== undefined) return false;
  if (by === status.accountId) return true;
  const allowed = quotableBy(status);
  return allowed === 'public' || (allowed === 'followers' && follows);
}

/**
 * True if the quoting status reaches only accounts that may see the quoted one: everybody who sees the quote sees what
 * it quotes.
 */
export function fitsQuote(quoted: string, quoting: string): boolean {
  return quoted !== 'private' || quoting === 'private' || quoting === 'direct';
}
