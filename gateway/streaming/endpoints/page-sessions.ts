import { type Problem, problem } from '../../../actors/domain/problem.js';
import { type Authenticated, sessionCaller, tokenHash, usable } from '../../http/authenticator.js';
import type { Head } from '../../http/request/head.js';
import type { Services } from '../../http/services.js';
import { isOwnOrigin, sessionAccount, sessionOf } from '../../oauth/session.js';

/** Path of the stream of the built-in client: the events of `user` for the session of the browser, over SSE. */
export const PAGE_STREAM_PATH = '/web/streaming';

/**
 * Sessions with which pages of this server open streams. A cookie is no access token: it opens this one path, whose
 * answer has no CORS headers, and only for pages of this origin.
 */
export class PageSessions {
  constructor(private readonly services: Pick<Services, 'tables' | 'clock' | 'instance' | 'registry'>) {}

  /** Returns the session of a request. @throws Unavailable when the store cannot answer */
  async of({ headers }: Head): Promise<Authenticated | Problem> {
    if (!isOwnPage(this.services, headers))
      return problem('forbidden', 'Only pages of this server may open this stream');
    const session = await sessionOf(this.services, headers);
    if (session === undefined) return problem('unauthorized', 'Please sign in');
    return sessionCaller({ account: session.account, tokenHash: tokenHash(session.token) });
  }

  /** Returns true if a session still allows its stream. @throws Unavailable when the store cannot answer */
  async allows(hash: string): Promise<boolean> {
    const account = await sessionAccount(this.services, hash);
    return account !== undefined && usable(account);
  }
}

/**
 * Returns false for a request of another site's page. Browsers send `Sec-Fetch-Site` (Fetch Metadata Request Headers
 * §2.4); for those that do not, `SameSite` withholds the cookie.
 */
function isOwnPage(services: Pick<Services, 'instance'>, headers: Head['headers']): boolean {
  const site = headers['sec-fetch-site'];
  return (site === undefined || site === 'same-origin') && isOwnOrigin(services, headers);
}
