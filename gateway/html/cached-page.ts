import { Cache } from '../../store/cache/cache.js';
import type { Answer } from '../http/route.js';
import type { Reader, Site } from './site.js';

interface CachedPage {
  readonly parts: readonly unknown[];
  readonly answer: Answer;
}

/** Cached pages, and their total size: a page with 20 posts takes some 25 KB. */
const PAGES_MAX = 4_096;
const PAGES_BYTES_MAX = 48 * 2 ** 20;
const sizeOf = ({ answer: { body } }: CachedPage): number => (body instanceof Uint8Array ? body.length : 0);

const pages = new Cache<CachedPage>('html_pages', PAGES_MAX, undefined, { of: sizeOf, max: PAGES_BYTES_MAX });

/** A public page for one reader. */
interface Asked {
  readonly site: Site;
  readonly reader: Reader;
  /**
   * Everything that the page shows: texts, and stored records and pieces of JSON, which stay the same objects until they
   * are written (pages/status/cached-statuses.ts). Compared by identity.
   */
  readonly parts: readonly unknown[];
}

/**
 * Returns a page that is equal for everybody who is not signed in, rendered again only after one of its parts has changed.
 * A cached account page with 20 posts costs a fifth of a rendered one.
 */
export function cachedPage({ site, reader, parts }: Asked, render: (reader: Reader) => Answer): Answer {
  if (reader.person !== undefined) return render(reader);
  const { title, hasTerms, sourceUrl, canSignUp, instance } = site;
  const whole = [instance, title, hasTerms, sourceUrl, canSignUp, ...parts];
  const key = `${reader.language} ${reader.url}`;
  const known = pages.get(key);
  if (known !== undefined && isSame(known.parts, whole)) return fresh(known.answer, reader);
  const { ifNoneMatch: _known, ...stranger } = reader;
  const made = render(stranger);
  const answer = typeof made.body === 'string' ? { ...made, body: Buffer.from(made.body) } : made;
  if (answer.status === 200) pages.set(key, { parts: whole, answer });
  return fresh(answer, reader);
}

/** Returns 304 if the browser has the page (RFC 9110 §13.1.2). */
const fresh = (answer: Answer, { ifNoneMatch }: Reader): Answer =>
  ifNoneMatch !== undefined && answer.headers?.etag === ifNoneMatch
    ? { ...answer, status: 304, body: undefined }
    : answer;

function isSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index++) if (a[index] !== b[index]) return false;
  return true;
}
