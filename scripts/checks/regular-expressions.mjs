// Fails when a regular expression of the server takes quadratic time or more: 64 KB of blanks in a text of another server
// would stop the event loop for seconds. A limit on the length of a text is no excuse: the next caller may have none.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { checkSync } from 'recheck';
import ts from 'typescript';

const SOURCES = ['actors', 'cli', 'cluster', 'compose', 'gateway', 'media', 'parsers', 'proto', 'store', 'transport'];
/** Time for one expression, in milliseconds, on a busy machine. Most take some milliseconds. */
const PATIENCE_MS = 120_000;
/** Conditions before and behind a place. The checker can only guess about them, and they do not repeat anything here. */
const LOOKAROUND = /\(\?<?[=!](?:[^()]|\([^()]*\))*\)/g;
/** An expression that must be found, or the check finds nothing. */
const KNOWN_BAD = /[ \t]+\n/g;

function faultOf({ source, flags }) {
  // The checker does not know the flag v, which only adds syntax to u.
  const { status, complexity } = checkSync(source.replaceAll(LOOKAROUND, ''), flags.replace('v', 'u'), {
    checker: 'automaton',
    timeout: PATIENCE_MS,
  });
  return status === 'safe' ? undefined : (complexity?.summary ?? status);
}

function* expressionsIn(file) {
  const tree = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const open = [tree];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    ts.forEachChild(node, (child) => void open.push(child));
    if (node.kind !== ts.SyntaxKind.RegularExpressionLiteral) continue;
    const end = node.text.lastIndexOf('/');
    const { line } = tree.getLineAndCharacterOfPosition(node.getStart());
    yield { source: node.text.slice(1, end), flags: node.text.slice(end + 1), place: `${file}:${line + 1}` };
  }
}

const files = execFileSync('git', ['ls-files', ...SOURCES.flatMap((at) => [`${at}/*.ts`, `${at}/*.tsx`])], {
  encoding: 'utf8',
});
const found = files
  .split('\n')
  .filter(Boolean)
  .flatMap((file) => [...expressionsIn(file)])
  .flatMap((one) => {
    const fault = faultOf(one);
    return fault === undefined ? [] : [`${one.place}: /${one.source}/${one.flags} takes ${fault} time`];
  });
if (faultOf(KNOWN_BAD) === undefined) found.push('the checker passes an expression that takes quadratic time');
for (const fault of found) console.log(fault);
process.exit(found.length === 0 ? 0 : 1);
