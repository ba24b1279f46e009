// Fails when a document links to a file or names a path that does not exist, when the README's table of folders differs
// from the tree, and when an ADR is not of its form or longer than a page.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Folders whose own folders have a line each in the README. */
const ROOMY = new Set(['actors', 'gateway', 'store', 'transport']);
const SECTIONS = 'Context, Decision, Consequences';
/** One page of an ADR. */
const WORDS_MAX = 620;

const listed = (...patterns) =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...patterns], { encoding: 'utf8' })
    .split('\n')
    .filter((file) => file !== '' && existsSync(file));
const files = listed();
const folders = new Set(files.filter((file) => file.includes('/')).map((file) => file.split('/')[0]));
const names = new Set(files.map((file) => file.split('/').at(-1)));

/** True for a file, a folder, or a test by its path without an ending. */
const exists = (path) => files.some((file) => file === path || file.startsWith(path));

function faults(document) {
  const text = readFileSync(document, 'utf8');
  const found = [];
  for (const [, target] of text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)) {
    if (!/^https?:/.test(target) && !existsSync(join(dirname(document), target))) found.push(`link to ${target}`);
  }
  for (const [, path] of text.matchAll(/`([\w./-]+)`/g)) {
    const [folder] = path.split('/');
    const isPath = path.includes('/') && folders.has(folder) && !/^(?:data|store)\/(?:writes|data)/.test(path);
    if (isPath ? !exists(path) : /^[\w-]+\.(?:ts|mjs)$/.test(path) && !names.has(path)) found.push(`path ${path}`);
  }
  return found.map((fault) => `${document}: ${fault}`);
}

/** Folders that hold code and need a line in the README: top folders, and those within the larger ones. */
function codeFolders() {
  const code = files.filter((file) => /^[a-z].*\/.*\.(?:ts|mjs|proto)$/.test(file)).map((file) => file.split('/'));
  return new Set(
    code.flatMap(([top, next, ...rest]) => {
      if (!ROOMY.has(top)) return [top];
      return rest.length === 0 ? [top] : [`${top}/${next}`];
    }),
  );
}

/** Compares the README's table of folders with the tree. */
function folderFaults() {
  const [, section = ''] = readFileSync('README.md', 'utf8').split('## Folders\n');
  const [table] = section.split('\n## ');
  const told = new Set([...table.matchAll(/^\| `([\w/-]+)` +\|/gm)].map((match) => match[1]));
  const there = codeFolders();
  return [
    ...[...there].filter((folder) => !told.has(folder)).map((folder) => `README.md: no line for ${folder}`),
    ...[...told].filter((folder) => !there.has(folder)).map((folder) => `README.md: there is no folder ${folder}`),
  ];
}

/** An ADR has one form and one page. */
function decisionFaults(document) {
  const text = readFileSync(document, 'utf8');
  const sections = [...text.matchAll(/^## (.+)$/gm)].map((match) => match[1]).join(', ');
  const words = text.split(/\s+/).length;
  return [
    ...(/^# \d{4}: \S/.test(text) ? [] : ['its heading is not of the form "# 0010: Title"']),
    ...(sections === SECTIONS ? [] : [`its sections are not ${SECTIONS}`]),
    ...(words <= WORDS_MAX ? [] : [`${words} words, at most ${WORDS_MAX}`]),
  ].map((fault) => `${document}: ${fault}`);
}

const all = [...listed('*.md').flatMap(faults), ...folderFaults(), ...listed('docs/adr/*.md').flatMap(decisionFaults)];
for (const fault of all) console.error(fault);
process.exitCode = all.length === 0 ? 0 : 1;
