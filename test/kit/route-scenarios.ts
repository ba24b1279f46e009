import type { AnyRoute } from '../../gateway/http/route.js';

/** What tests put in for a parameter: an id, a hashtag, something that is none. */
const PUT_IN = '\\$\\{[^}]+\\}|\\d+|owls|x';

/** `api`, a version and what it is about. */
const FIXED_PARTS = 3;

/**
 * Routes that no test of their own names, by their address; `texts` are the sources of tests. A test may put ids in,
 * and verbs too when it has them as words: `/accounts/${id}/${verb}` with 'follow' besides.
 */
export function withoutScenario(routes: readonly AnyRoute[], texts: readonly string[]): AnyRoute[] {
  const whole = texts.map(withConstants);
  return routes.filter(({ path }) => !whole.some((text) => names(text, path)));
}

/** The text with the addresses that it names put in where it uses the names, each as it was last said. */
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
    // Ids are put in as expressions that may have slashes of their own; nothing else may.
    const written = whole
      .replace(/\$\{[^}]+\}/g, '$')
      .split('/')
      .slice(1);
    if (parts.every((part, index) => part.startsWith(':') || written[index] === part || isWord(part))) return true;
  }
  return false;
}

/** A path as tests write it: what comes behind its version may be put in, where it is said. */
function pattern(parts: readonly string[]): string {
  const each = parts.map((part, index) => {
    if (part.startsWith(':')) return `/(?:${PUT_IN}|${escaped(part)})`;
    return index < FIXED_PARTS ? `/${escaped(part)}` : `/(?:\\$\\{\\w+\\}|${escaped(part)})`;
  });
  return `${each.join('')}(?![\\w-]|/[\\w:$])`;
}

const escaped = (part: string): string => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
