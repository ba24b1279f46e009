import type { Answer } from '../http/route.js';
import { htmlAnswer } from './page.js';
import type { Reader, Site } from './site.js';
import type { Texts } from './texts/index.js';

/** A request to the API and its answer, as a page shows them. */
export interface Shown {
  readonly method: string;
  readonly path: string;
  /** JSON of the answer with line breaks; undefined if it is too long for a page. */
  readonly json: string | undefined;
  /** Address of the JSON alone, if there is one. */
  readonly alone: string | undefined;
  /** Address of the description of the request, if there is one. */
  readonly reference: string | undefined;
}

/** Longest JSON that a page shows: parsing and indenting it takes some 3 ms of the event loop. */
const JSON_BYTES_MAX = 262_144;
/** Characters that show nothing, or change the order of what follows: they are shown as escapes of JSON. */
const INVISIBLE = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Returns the JSON with line breaks, readable as text; undefined if it is too long for a page. */
export function readableJson(json: Uint8Array): string | undefined {
  if (json.length > JSON_BYTES_MAX) return undefined;
  const text = JSON.stringify(JSON.parse(Buffer.from(json).toString()), undefined, 2);
  return text.replaceAll(INVISIBLE, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** As for the JSON: nobody stores it. The page has no form and no token, so it may be compressed (http/compression.ts). */
const CACHE = { 'cache-control': 'private, no-store' };

/** Renders an answer of the API for a person who has opened its address. Status and other headers stay as they are. */
export function dataPage(site: Site, reader: Reader, answer: Answer, shown: Shown): Answer {
  const { status, headers } = answer;
  const { 'content-type': _type, etag: _etag, ...others } = headers ?? {};
  const title = `${shown.method} ${shown.path}`;
  const body = (
    <>
      <h1>
        <span class="mark">{shown.method}</span> <bdi>{shown.path}</bdi>
      </h1>
      <p class="soft">{reader.texts.reference.forPrograms}</p>
      <Data shown={shown} texts={reader.texts} />
    </>
  );
  return htmlAnswer(
    site,
    reader,
    { title, status, width: 'wide', isUnlisted: true, headers: { ...others, ...CACHE } },
    body,
  );
}

/** The JSON, with the ways to it alone and to its description. */
export function Data({ shown, texts }: { readonly shown: Shown; readonly texts: Texts }) {
  const { json, alone, reference } = shown;
  return (
    <>
      <ul class="ways">
        {reference !== undefined && (
          <li>
            <a href={reference}>{texts.reference.title}</a>
          </li>
        )}
        {alone !== undefined && (
          <li>
            <a href={alone}>{texts.reference.alone}</a>
          </li>
        )}
        <li>
          <a href="/">{texts.shell.backToFront}</a>
        </li>
      </ul>
      {json === undefined ? (
        <p class="notice">{texts.reference.tooLong}</p>
      ) : (
        <pre class="card data" dir="ltr">
          {json}
        </pre>
      )}
    </>
  );
}
