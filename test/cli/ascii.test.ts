import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { runInNewContext } from 'node:vm';

const { asciiOf } = (await import(pathToFileURL(join(process.cwd(), 'scripts/ascii.mjs')).href)) as {
  asciiOf: (source: string) => string;
};

test('a program in ASCII has the same strings, templates and regular expressions', () => {
  const tag = '(strings, ...values) => strings.join("|") + values.join("|")';
  const source = `/* – */ const é = 'a–ス🦜'; const tag = ${tag};
    const found = '#スター・🦜'.replace(/[・🦜]/u, '_').replace(/🦜/, '+');
    [é, \`– \${é} 🦜\`, tag\`– \${1} ・\`, found, /[^#＃]+/.exec('＃ab')[0]]`;
  const ascii = asciiOf(source);
  assert.match(ascii, /^\p{ASCII}*$/u);
  assert.deepEqual([...runInNewContext(ascii)], [...runInNewContext(source)]);
});

test('a raw template that cannot be written in ASCII fails the build', () => {
  assert.throws(() => asciiOf('const a = String.raw`x\\n–`;'), /raw template/);
  assert.equal(asciiOf('const a = String.raw`x`; const b = `–`;'), 'const a = String.raw`x`; const b = `\\u2013`;');
});
