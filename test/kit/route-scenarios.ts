import type { AnyRoute } from '../../gateway/http/route.js';

/** What tests put in for a parameter: an id, a hashtag, something that is none. */
const PUT_IN = '\\$\\{[^}]+\\}|\\d+|owls|x';

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
  const verbs = parts.filter((part, index) => followsId(parts, index) && !part.startsWith(':'));
  if (new RegExp(pattern(parts, false)).test(text)) return true;
  const isWord = (verb: string) => new RegExp(`['"\`]${escaped(verb)}['"\`]`).test(text);
  return verbs.length > 0 && verbs.every(isWord) && new RegExp(pattern(parts, true)).test(text);
}

/** A path as tests write it. */
function pattern(parts: readonly string[], verbsPutIn: boolean): string {
  const each = parts.map((part, index) => {
    if (part.startsWith(':')) return `/(?:${PUT_IN}|${escaped(part)})`;
    return verbsPutIn && followsId(parts, index) ? '/\\$\\{\\w+\\}' : `/${escaped(part)}`;
  });
  return `${each.join('')}(?![\\w-]|/[\\w:$])`;
}

const followsId = (parts: readonly string[], index: number): boolean => parts[index - 1]?.startsWith(':') === true;
const escaped = (part: string): string => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
