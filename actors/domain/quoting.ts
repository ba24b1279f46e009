/** The fields of a status that decide who may quote it. */
export interface Quotable {
  readonly accountId: string;
  readonly visibility: string;
  readonly reblogOfId?: string | undefined;
  readonly domain?: string | undefined;
  readonly quotePolicy?: string | undefined;
  readonly manualQuotePolicy?: string | undefined;
}

/** Classes of accounts in a policy. */
export type Permitted = 'public' | 'followers' | 'nobody';

/** The accounts that may do something with what is another's, and those that may ask its owner. */
export interface Policies {
  readonly automatic: Permitted;
  readonly manual: Permitted;
}

/** `automatic`: it is permitted; `manual`: the owner decides; `denied`: it is not permitted. */
export type Approval = 'automatic' | 'manual' | 'denied';

/** Policy of local statuses and accounts that set none. Source: Mastodon UserSettings. */
export const QUOTE_POLICY_DEFAULT = 'public';

/**
 * Returns the accounts that may quote a status: everybody, followers, or nobody. Only its author may quote a status
 * that is not for everybody. Nobody may quote a status of another server that states no policy. Source: FEP-044f.
 */
export function quotableBy(status: Quotable): Permitted {
  if (!isQuotable(status)) return 'nobody';
  return permittedIn(status.quotePolicy ?? (status.domain ? undefined : QUOTE_POLICY_DEFAULT));
}

/** Returns the accounts that may ask the author of a status for the permission to quote it. */
export const quotableOnRequest = (status: Quotable): Permitted =>
  isQuotable(status) ? permittedIn(status.manualQuotePolicy) : 'nobody';

const isQuotable = ({ visibility, reblogOfId }: Quotable): boolean =>
  (visibility === 'public' || visibility === 'unlisted') && reblogOfId === undefined;

/** Reads a stored class of accounts; absent or unknown: nobody. */
export const permittedIn = (policy: string | undefined): Permitted =>
  policy === 'public' || policy === 'followers' ? policy : 'nobody';

/** Returns true if accounts that follow the author get another approval than those that do not. */
export const distinguishesFollowers = ({ quotePolicy, manualQuotePolicy }: Quotable): boolean =>
  quotePolicy === 'followers' || manualQuotePolicy === 'followers';

/** Returns the approval of an account that is not the owner. `follows`: it follows the owner. */
export function approvalBy({ automatic, manual }: Policies, follows: boolean): Approval {
  const isAmong = (permitted: Permitted) => permitted === 'public' || (permitted === 'followers' && follows);
  if (isAmong(automatic)) return 'automatic';
  return isAmong(manual) ? 'manual' : 'denied';
}

/**
 * The only place that decides whether an account may quote a status that it may see. `follows`: it follows the author.
 * Source: Mastodon Status#quote_policy_for_account.
 */
export function quoteApproval(status: Quotable, by: string | undefined, follows: boolean): Approval {
  if (by === undefined || status.visibility === 'direct' || status.reblogOfId !== undefined) return 'denied';
  if (by === status.accountId) return 'automatic';
  return approvalBy({ automatic: quotableBy(status), manual: quotableOnRequest(status) }, follows);
}

/** Returns true if an account may quote a status without asking its author. */
export const mayQuote = (status: Quotable, by: string | undefined, follows: boolean): boolean =>
  quoteApproval(status, by, follows) === 'automatic';

/**
 * True if the quoting status reaches only accounts that may see the quoted one: everybody who sees the quote sees what
 * it quotes.
 */
export function fitsQuote(quoted: string, quoting: string): boolean {
  return quoted !== 'private' || quoting === 'private' || quoting === 'direct';
}
