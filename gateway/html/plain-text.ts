import { foreignHtml } from '../../actors/domain/text/foreign-html.js';

/** Longest description for previews: other sites show at most this. */
const PREVIEW_CHARS_MAX = 300;

/** Characters of HTML that are read for it. */
const HTML_CHARS_MAX = 5_000;

/** Returns the text of sanitised HTML for previews and titles, shortened to `max` characters. */
export function plainText(html: string, max = PREVIEW_CHARS_MAX): string {
  const text = foreignHtml(html, HTML_CHARS_MAX).text.replaceAll(/\s+/g, ' ').trim();
  const characters = [...text];
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join('')}…`;
}
