// Fails when a document links to a file that does not exist, or names a path of the tree that does not.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

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

const all = listed('*.md').flatMap(faults);
for (const fault of all) console.error(fault);
process.exitCode = all.length === 0 ? 0 : 1;
