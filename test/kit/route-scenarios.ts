import type { AnyRoute } from '../../gateway/http/route.js';

/** Forms of a parameter in tests: an expression, an id, a hashtag, an invalid value. */
const PUT_IN = '\\$\\{[^}]+\\}|\\d+|owls|x';

/** `api`, a version and the subject. */
const FIXED_PARTS = 3;

/**
 * Returns routes that no test names by their address; `texts` are the sources of tests. A test may write ids as
 * expressions, and verbs too if it contains them as words: `/accounts/${id}/${verb}` together with 'follow'.
 */
export function withoutScenario(routes: readonly AnyRoute[], texts: readonly string[]): AnyRoute[] {
  const whole = texts.map(withConstants);
  return routes.filter(({ path }) => !whole.some((text) => names(text, path)));
}

/** Replaces uses of constant addresses by their latest value in the text. */
function withConstants(text: string): string {
  const paths = new Map<string, string>();
  return text.replace(
    /\bconst (\w+) = ['"`](\/[^'"`\n]+)['"`]|\$\{(\w+)\}/g,
    (whole, name?: string, path?: string, used?: string) => {
      if (name !== undefined && path !== undefined) paths.set(name, path);
      return paths.get(used ?? '') ?? whole;
    },
  );
}

function names(text: string, path: string): boolean {
  const parts = path.split('/').slice(1);
  const isWord = (part: string) => new RegExp(`['"\`]${escaped(part)}['"\`]`).test(text);
  for (const [whole] of text.matchAll(new RegExp(pattern(parts), 'g'))) {
    // Only ids are written as expressions that may contain slashes.
    const written = whole
      .replace(/\$\{[^}]+\}/g, '$')
      .split('/')
      .slice(1);
    if (parts.every((part, index) => /^@?:/.test(part) || written[index] === part || isWord(part))) return true;
  }
  return false;
}

/** Returns a pattern for a path as tests write it: parts after the subject may be expressions. */
function pattern(parts: readonly string[]): string {
  const each = parts.map((part, index) => {
    if (/^@?:/.test(part)) return `/${part.startsWith('@') ? '@' : ''}(?:${PUT_IN}|${escaped(part.replace('@', ''))})`;
    return index < FIXED_PARTS ? `/${escaped(part)}` : `/(?:\\$\\{\\w+\\}|${escaped(part)})`;
  });
  return `${each.join('')}(?![\\w-]|/[\\w:$])`;
}

const escaped = (part: string): string => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
