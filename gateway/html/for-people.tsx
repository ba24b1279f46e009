import { opensPage, PAGE_VARY, prefersDocument } from '../http/accept.js';
import { bytesOf } from '../http/compression.js';
import { type Head, hasFormat, JSON_SUFFIX } from '../http/request/head.js';
import { type Answer, type AnyRoute, Streamed } from '../http/route.js';
import type { InstanceSettings } from '../settings/settings.js';
import { Data, dataPage, readableJson, type Shown } from './data-page.js';
import { errorPage } from './error-page.js';
import { referenceOf } from './pages/reference-pages.js';
import { plainSite, type Reader } from './site.js';
import { languageOf, textsIn } from './texts/index.js';

/** Addresses for programs. `/api/docs` is the reference for people. */
const FOR_PROGRAMS =
  /^\/(?:api\/(?!docs\/)|oauth\/(?:token|revoke|userinfo)$|nodeinfo\/|\.well-known\/(?!change-password$))/;

/** An answer, and what its form depends on. */
interface Answered {
  readonly head: Pick<Head, 'method' | 'path' | 'rawPath' | 'query' | 'authorization' | 'first'>;
  readonly answer: Answer;
  /** Id in the log. */
  readonly requestId: string;
  /** Route of the request, if it has one. */
  readonly route: Pick<AnyRoute, 'method' | 'path'> | undefined;
}

/** Returns true for an answer that stays as it is for every client of a request: one look, for the usual requests. */
export const isPlain = ({ status }: Answer, head: Answered['head']): boolean => status < 400 && !opensPage(head);

/**
 * Returns the answer in the form that the client wants. A person who opens an address in a browser gets JSON within a
 * page, and a refusal as a page. An address that ends in `.json` names the form itself.
 */
export function forPeople(instance: InstanceSettings, answered: Answered): Answer {
  const { head, answer, requestId } = answered;
  const { path } = head;
  const isRefused = answer.status >= 400;
  const acceptLanguage = head.first('accept-language');
  if (isRefused && !FOR_PROGRAMS.test(path)) {
    const accept = head.first('accept');
    if (answer.headers?.['content-type'] !== undefined || accept === undefined || prefersDocument(accept))
      return answer;
    return errorPage(plainSite(instance), { answer, path, acceptLanguage, requestId });
  }
  if (!isJson(answer) || head.rawPath.endsWith(JSON_SUFFIX) || !opensPage(head)) return answer;
  const language = languageOf(acceptLanguage);
  const texts = textsIn(language);
  const shown = shownOf(answered);
  const page = { ...answer, headers: { ...answer.headers, vary: PAGE_VARY } };
  const site = plainSite(instance);
  if (isRefused) {
    const text = answer.status === 401 ? texts.reference.tokenNeeded : undefined;
    return errorPage(site, {
      ...{ answer: page, path, acceptLanguage, requestId, text },
      details: <Data shown={shown} texts={texts} />,
    });
  }
  const reader: Reader = { language, texts, url: path };
  return dataPage(site, reader, page, shown);
}

/** Returns true for JSON that is shown, not saved: it has a body, and is no file to download. */
function isJson({ status, headers, body }: Answer): boolean {
  if (body === undefined || body instanceof Streamed || (status >= 300 && status < 400)) return false;
  const type = headers?.['content-type'];
  return (type === undefined || /^application\/(?:[\w.-]+\+)?json\b/.test(type)) && !headers?.['content-disposition'];
}

function shownOf({ head, answer, route }: Answered): Shown {
  const { method, path, query } = head;
  const hasJsonAlone = hasFormat(path) && (method === 'GET' || method === 'HEAD');
  return {
    method,
    path,
    json: readableJson(bytesOf(answer.body, answer.headers?.['content-type'] !== undefined)),
    alone: hasJsonAlone ? `${path}${JSON_SUFFIX}${query === '' ? '' : `?${query}`}` : undefined,
    reference: route === undefined ? (path.startsWith('/api/') ? '/api' : undefined) : referenceOf(route),
  };
}
