import { isPermitted } from '../../../actors/domain/permissions.js';
import type { Reader } from '../../html/site.js';
import { languageOf, textsIn } from '../../html/texts/index.js';
import type { Request } from '../../http/route.js';
import { csrfOf, type Session, sessionOf } from '../../oauth/session.js';

type Asked = Pick<Request<unknown, unknown, unknown>, 'headers' | 'url' | 'services'>;

/** Describes who reads a page: their language, and who is signed in with the browser. @throws Unavailable */
export async function readerOf(asked: Asked): Promise<Reader & { readonly session: Session | undefined }> {
  const session = await sessionOf(asked.services, asked.headers);
  return { ...readerWith(asked, session), session };
}

/** Works as `readerOf`, for a session that was read already. */
export function readerWith({ headers, url }: Asked, session: Session | undefined): Reader {
  const language = languageOf(headers['accept-language']);
  const reader = { language, texts: textsIn(language), url, ifNoneMatch: headers['if-none-match'] };
  if (session === undefined) return reader;
  const { account, token } = session;
  const isModerator = isPermitted(account.role ?? '', 'manage_reports');
  return { ...reader, person: { username: account.username, isModerator, csrf: csrfOf(token) } };
}
