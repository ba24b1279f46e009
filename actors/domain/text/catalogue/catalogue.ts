import { de } from './de.js';
import { en } from './en.js';
import type { Catalogue } from './texts.js';

export type { Catalogue } from './texts.js';

/** The complete catalogues. A language is added with its file and its line here. */
export const catalogues: readonly Catalogue[] = [en, de];

const byLanguage = new Map(catalogues.map((catalogue) => [catalogue.language, catalogue]));

/**
 * Returns the catalogue of a locale (`de`, `de-AT`, `de_DE`): the one of its language, English if there is none.
 * Source: RFC 4647 §3.4, lookup.
 */
export function catalogueFor(locale: string): Catalogue {
  const language = locale.split(/[-_]/, 1)[0]?.toLowerCase() ?? '';
  return byLanguage.get(language) ?? en;
}
