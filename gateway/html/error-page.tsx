import type { ComponentChildren } from 'preact';
import type { Answer } from '../http/route.js';
import { htmlAnswer } from './page.js';
import type { Reader, Site } from './site.js';
import { languageOf, textsIn } from './texts/index.js';

/** An answer that refuses a request, and what a person needs to know of the request. */
interface Refusal {
  readonly answer: Answer;
  /** Path of the request. */
  readonly path: string;
  readonly acceptLanguage: string | undefined;
  /** Id in the log. */
  readonly requestId: string;
  /** Text in place of the usual one for the status. */
  readonly text?: string | undefined;
  /** Content below the text, with a way on. Absent: a link to the front page. */
  readonly details?: ComponentChildren;
}

/** Renders a refusal as a page. Status and headers such as Retry-After stay as they are. */
export function errorPage(site: Site, refusal: Refusal): Answer {
  const { answer, path, acceptLanguage, requestId, details } = refusal;
  const { status, headers } = answer;
  const language = languageOf(acceptLanguage);
  const texts = textsIn(language);
  const reader: Reader = { language, texts, url: path };
  const known = Object.hasOwn(texts.errors, status) ? (status as keyof typeof texts.errors) : status < 500 ? 400 : 500;
  const [title, text] = texts.errors[known];
  const retryAfter = headers?.['retry-after'];
  const body = (
    <>
      <h1>{title}</h1>
      <p role="alert">{refusal.text ?? text}</p>
      {retryAfter !== undefined && <p>{waiting(language, Number(retryAfter))}</p>}
      {status >= 500 && <p class="soft small">{requestId}</p>}
      {details ?? (
        <p>
          <a href="/">{texts.shell.backToFront}</a>
        </p>
      )}
    </>
  );
  const { 'content-type': _type, ...others } = headers ?? {};
  return htmlAnswer(site, reader, { title, status, width: 'form', isUnlisted: true, headers: others }, body);
}

/** Returns `in 5 minutes` in the language of the page. */
function waiting(language: string, seconds: number): string {
  const format = new Intl.RelativeTimeFormat(language);
  return seconds < 60
    ? format.format(Math.max(1, seconds), 'second')
    : format.format(Math.ceil(seconds / 60), 'minute');
}
