// Writes JavaScript in ASCII, because a start reads the bundle as one byte a character (cli/bundle.ts).

/** A template whose tag reads its raw text: an escape would become part of that text. */
const RAW_TEMPLATE = /\braw`(?:[^`\\]|\\[\s\S])*?\P{ASCII}/u;

/**
 * Returns the source with each UTF-16 unit beyond ASCII as `\uXXXX`. esbuild leaves such units in regular expressions, tagged
 * templates and comments. The escape means the same in a regular expression, in an identifier and in a template's text.
 * @throws when a raw template holds such a unit
 */
export function asciiOf(source) {
  const raw = RAW_TEMPLATE.exec(source);
  if (raw !== null) throw new Error(`a raw template cannot be written in ASCII: ${raw[0].slice(-80)}`);
  return source.replace(/\P{ASCII}/gu, (letter) => [...units(letter)].join(''));
}

function* units(letter) {
  for (let at = 0; at < letter.length; at++) yield `\\u${letter.charCodeAt(at).toString(16).padStart(4, '0')}`;
}
