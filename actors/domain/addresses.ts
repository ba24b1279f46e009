/** Names of an account in its record. Local accounts have no domain. */
interface Named {
  readonly username: string;
  readonly domain?: string | undefined;
}

/** Returns true for an account or status of this server. */
export const isLocal = ({ domain }: Pick<Named, 'domain'>): boolean => !domain;

/** Returns the name of an account as clients see it: `ann`, or `ann@far.example` for an account of another server. */
export const acctOf = (account: Named): string =>
  isLocal(account) ? account.username : `${account.username}@${account.domain}`;

/**
 * Returns the username in `ann`, `@ann` or `ann@here.example`, in lower case. Undefined: the text names an account of
 * another server, or none. `here`: the domain of this server.
 */
export function localName(acct: string, here: string): string | undefined {
  const [name = '', domain, ...rest] = acct.replace(/^@/, '').toLowerCase().split('@');
  const isHere = domain === undefined || domain === here.toLowerCase();
  return isHere && rest.length === 0 ? name : undefined;
}

/** Returns the ActivityPub identifier of an account. */
export const accountUri = (baseUrl: string, { username }: Named): string => `${baseUrl}/users/${username}`;

/** Returns the web page of an account. */
export const accountUrl = (baseUrl: string, { username }: Named): string => `${baseUrl}/@${username}`;

interface Written {
  readonly id: string;
  readonly reblogOfId?: string | undefined;
}

/** Returns the ActivityPub identifier of a status, or of the activity of a reblog. */
export function statusUri(baseUrl: string, { id, reblogOfId }: Written, author: Named): string {
  return `${accountUri(baseUrl, author)}/statuses/${id}${reblogOfId === undefined ? '' : '/activity'}`;
}

/** Returns the web page of a status. */
export const statusUrl = (baseUrl: string, { id }: Written, author: Named): string =>
  `${accountUrl(baseUrl, author)}/${id}`;
