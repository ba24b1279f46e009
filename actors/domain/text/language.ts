/** Longest language code, including a script and a region. */
export const LANGUAGE_CHARS_MAX = 20;

const form = /^([a-z]{2,3})(?:-[A-Za-z0-9]{2,8})*$/;
/**
 * Languages for which a status keeps the region, since writing differs between regions. Source: Mastodon
 * LanguagesHelper, ISO_639_1_REGIONAL.
 */
const REGIONAL = new Set(['zh-CN', 'zh-HK', 'zh-TW', 'zh-YUE']);
/** The code of an undetermined language. */
const UNDETERMINED = 'und';

/**
 * True for a language code of ISO 639 with two or three letters, by itself or with a region or script (`de`, `pt-BR`,
 * `sr-Latn`). Unicode's data contain the script of every existing language.
 */
export function isLanguage(code: string): boolean {
  const language = code.length <= LANGUAGE_CHARS_MAX ? form.exec(code)?.[1] : undefined;
  return (
    language !== undefined && language !== UNDETERMINED && new Intl.Locale(language).maximize().script !== undefined
  );
}

/**
 * Returns the language of a status from a client's code, which may be a locale (`en_US`). It drops region and script,
 * so that a follow limited to `en` matches. Undefined if the code is no language. Source: Mastodon's PostStatusService.
 */
export function statusLanguage(code: string): string | undefined {
  const plain = REGIONAL.has(code) ? code : (code.split(/[-_]/, 1)[0] ?? '');
  return isLanguage(plain) ? plain : undefined;
}

/** Returns the English name of a language, or its code if it has none. */
export function languageName(code: string): string {
  try {
    return new Intl.DisplayNames(['en'], { type: 'language' }).of(code) ?? code;
  } catch {
    return code;
  }
}
