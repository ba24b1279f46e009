import { de } from './de/index.js';
import { en } from './en/index.js';
import type { Texts } from './texts.js';

export type { Texts } from './texts.js';

/** Languages with complete texts, by BCP 47 tag. The first one is the default. */
const LANGUAGES = { en, de } satisfies Readonly<Record<string, Texts>>;
export type Language = keyof typeof LANGUAGES;

export const LANGUAGE_TAGS = Object.keys(LANGUAGES) as readonly Language[];

const isLanguage = (tag: string): tag is Language => Object.hasOwn(LANGUAGES, tag);

export const textsIn = (language: Language): Texts => LANGUAGES[language];

/** Longest header that is read; browsers send some 60 characters. */
const HEADER_CHARS_MAX = 500;

/**
 * Returns the language of a page: the account's, or the one that the browser prefers (Accept-Language, RFC 9110
 * §12.5.4), or English.
 */
export function languageOf(header = '', ofAccount = ''): Language {
  const own = primary(ofAccount);
  if (isLanguage(own)) return own;
  let best: { readonly language: Language; readonly weight: number } | undefined;
  for (const range of header.slice(0, HEADER_CHARS_MAX).split(',')) {
    const [tag = '', ...parameters] = range.split(';').map((part) => part.trim());
    const weight = Number(parameters.find((one) => one.startsWith('q='))?.slice(2) ?? 1);
    const language = primary(tag);
    if (isLanguage(language) && weight > (best?.weight ?? 0)) best = { language, weight };
  }
  return best?.language ?? 'en';
}

const primary = (tag: string): string => tag.toLowerCase().split('-', 1)[0] ?? '';
