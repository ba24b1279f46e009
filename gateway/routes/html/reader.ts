import { isPermitted } from '../../../actors/domain/permissions.js';
import type { Reader } from '../../html/site.js';
import { languageOf, type Texts, textsIn } from '../../html/texts/index.js';
import type { RefusedForm } from '../../http/request/refused-form.js';
import type { Request } from '../../http/route.js';
import { csrfOf, type Session, sessionOf } from '../../oauth/session.js';

type Asked = Pick<Request<unknown, unknown, unknown>, 'headers' | 'url' | 'services' | 'refused'>;

/** Describes who reads a page: their language, and who is signed in with the browser. @throws Unavailable */
export async function readerOf(asked: Asked): Promise<Reader & { readonly session: Session | undefined }> {
  const session = await sessionOf(asked.services, asked.headers);
  return { ...readerWith(asked, session), session };
}

/** Works as `readerOf`, for a session that was read already. */
export function readerWith({ headers, url, services, refused }: Asked, session: Session | undefined): Reader {
  const language = languageOf(headers['accept-language'], session?.account.locale);
  const texts = textsIn(language);
  const fault = refused && faultOf(refused, texts);
  const reader = { language, texts, url, ifNoneMatch: headers['if-none-match'], ...(fault !== undefined && { fault }) };
  if (session === undefined) return reader;
  const { account, token } = session;
  const { username, role } = account;
  const isModerator = isPermitted(role, 'manage_reports');
  const mayInvite = services.instance.invites === 'everyone' || isPermitted(role, 'invite_users');
  return { ...reader, person: { username, isModerator, mayInvite, role, csrf: csrfOf(token) } };
}

/** Returns why a form is refused, in the language of the page. */
function faultOf({ problem: { fields = {} } }: RefusedForm, { shell }: Texts): string {
  const isTooLong = Object.values(fields).some((faults) => faults.some(({ error }) => error === 'ERR_TOO_LONG'));
  return isTooLong ? shell.tooLong : shell.unfit;
}
