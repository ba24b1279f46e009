/** Of a text's beginning: as sure as with all of it, at 0.1 ms. */
const READ_CHARS_MAX = 100;
/** Of fewer letters nobody can say. */
const LETTERS_MIN = 16;
/** Below this it is a guess between many. */
const ACCURACY_MIN = 0.15;
/** Names, addresses and hashtags are in no language. */
const nameless = /https?:\/\/\S+|[@#][\p{L}\p{N}_.@-]+/gu;
const letters = /\p{L}/gu;
/** Scripts with a word in each letter. */
const dense = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;

/** Its tables are loaded with the first text that needs them: 0.1 s. */
const detector = () => import('tinyld/light');

/** The language of a text, ISO 639; undefined when that cannot be told. */
export async function languageOf(text: string): Promise<string | undefined> {
  const said = text.replaceAll(nameless, ' ').trim();
  const count = said.match(letters)?.length ?? 0;
  if (count === 0 || (count < LETTERS_MIN && !dense.test(said))) return undefined;
  const { detectAll } = await detector();
  const [best] = detectAll(said.slice(0, READ_CHARS_MAX));
  return best !== undefined && best.accuracy >= ACCURACY_MIN ? best.lang : undefined;
}

/** What a language is called in English; its code, where it has no name. */
export function languageName(code: string): string {
  try {
    return new Intl.DisplayNames(['en'], { type: 'language' }).of(code) ?? code;
  } catch {
    return code;
  }
}
