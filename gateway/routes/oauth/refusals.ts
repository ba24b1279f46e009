import { type Refusal, refusalPage, type Way } from '../../html/auth/notice-page.js';
import { type Reader, type Site, siteOf } from '../../html/site.js';
import type { Answer, Request } from '../../http/route.js';
import { readerWith } from '../html/reader.js';

/** The parts of a request that a page depends on. */
export type Asked = Pick<Request<unknown, unknown, unknown>, 'headers' | 'url' | 'services' | 'refused'>;

/** Returns the facts for a page of somebody whose session does not matter. @throws Unavailable */
export async function plainPage(asked: Asked): Promise<readonly [Site, Reader]> {
  return [await siteOf(asked.services), readerWith(asked, undefined)];
}

/** Answers with a page that says why not, and leads on. */
export async function refuse(
  asked: Asked,
  refusal: Refusal,
  status: number,
  more: { readonly detail?: string; readonly ways?: readonly Way[] } = {},
): Promise<Answer> {
  return refusalPage(...(await plainPage(asked)), { refusal, status, ...more });
}

/** Answers a form that did not come from a page of this server in this browser, or that outlived its session. */
export function foreignForm(asked: Asked): Promise<Answer> {
  const { auth } = readerWith(asked, undefined).texts;
  return refuse(asked, 'expired', 403, { ways: [{ href: '/auth/sign_in', label: auth.signIn }] });
}

export const tooMany = (asked: Asked): Promise<Answer> => refuse(asked, 'tooMany', 429);
