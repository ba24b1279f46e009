/** Longest code of a language that is read: with a script and a region. */
export const LANGUAGE_CHARS_MAX = 20;

const form = /^([a-z]{2,3})(?:-[A-Za-z0-9]{2,8})*$/;
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
