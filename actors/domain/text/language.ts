/** Longest code of a language that is read: with a script and a region. */
export const LANGUAGE_CHARS_MAX = 20;

const form = /^([a-z]{2,3})(?:-[A-Za-z0-9]{2,8})*$/;
/** Of which statuses say where, since they are written otherwise there. Source: Mastodon LanguagesHelper, ISO_639_1_REGIONAL. */
const REGIONAL = new Set(['zh-CN', 'zh-HK', 'zh-TW', 'zh-YUE']);
/** It says that the language is not known. */
const UNDETERMINED = 'und';

/**
 * Whether the code is that of a language: one of ISO 639, of two letters or three, by itself or with a region or a
 * script (`de`, `pt-BR`, `sr-Latn`). Of a language there is, Unicode's data tell the script that it is written in.
 */
export function isLanguage(code: string): boolean {
  const language = code.length <= LANGUAGE_CHARS_MAX ? form.exec(code)?.[1] : undefined;
  return (
    language !== undefined && language !== UNDETERMINED && new Intl.Locale(language).maximize().script !== undefined
  );
}

/**
 * The language of a status by the code that a client sent, which may be that of somebody's settings (`en_US`): without
 * region and script, so that whoever follows in `en` gets it. Undefined: it is that of none. Source: Mastodon's
 * PostStatusService.
 */
export function statusLanguage(code: string): string | undefined {
  const plain = REGIONAL.has(code) ? code : (code.split(/[-_]/, 1)[0] ?? '');
  return isLanguage(plain) ? plain : undefined;
}
