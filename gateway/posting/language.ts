/** Characters examined: as reliable as the whole text, at 0.1 ms. */
const READ_CHARS_MAX = 100;
/** Fewer letters are not enough to detect a language. */
const LETTERS_MIN = 16;
/** Below this accuracy the result is a guess among many. */
const ACCURACY_MIN = 0.15;
/** Names, addresses and hashtags belong to no language. */
const nameless = /https?:\/\/\S+|[@#][\p{L}\p{N}_.@-]+/gu;
const letters = /\p{L}/gu;
/** Scripts in which one letter can be a word. */
const dense = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;

/** Loads the detector with the first text that needs it, because its tables take 0.1 s. */
const detector = () => import('tinyld/light');

/** Returns the language of a text, ISO 639; undefined if it cannot be detected. */
export async function languageOf(text: string): Promise<string | undefined> {
  const said = text.replaceAll(nameless, ' ').trim();
  const count = said.match(letters)?.length ?? 0;
  if (count === 0 || (count < LETTERS_MIN && !dense.test(said))) return undefined;
  const { detectAll } = await detector();
  const [best] = detectAll(said.slice(0, READ_CHARS_MAX));
  return best !== undefined && best.accuracy >= ACCURACY_MIN ? best.lang : undefined;
}
