import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import type { TSchema } from '@sinclair/typebox';
import type { AnyRoute } from '../gateway/http/route.js';
import { paramNames } from '../gateway/http/router.js';
import { allRoutes } from '../gateway/routes/index.js';
import tsconfig from '../tsconfig.json' with { type: 'json' };
import { fieldsOf, hostileValues } from './kit/hostile/hostile-values.js';
import { withoutScenario } from './kit/route-scenarios.js';

/** Tests run at the root of the source tree, as `npm test` does. */
const root = process.cwd();
const LINES_MAX = 500;
/** The compiler's folders, and the scripts. */
const FOLDERS = [...tsconfig.include.filter((source) => source !== 'main.ts'), 'scripts'];
/** Files that a program generates. */
const GENERATED = /^proto\/gen\//;
/** Files that combine slices into an actor; tested through the slices and through the reactions' tests. */
const COMPOSED: Readonly<Record<string, readonly string[]>> = {
  account: ['slices.ts', 'standing.ts'],
  conversation: ['slices.ts', 'state.ts'],
  instance: ['commands.ts'],
  mail: ['templates'],
  report: [],
  'web-page': ['slices.ts', 'state.ts'],
};
/** Slices whose tests share one file, as users use them together. */
const TOGETHER: Readonly<Record<string, string>> = {
  'conversation/favourite.ts': 'conversation/conversation.test.ts',
  'conversation/reblog.ts': 'conversation/conversation.test.ts',
  'conversation/thread.ts': 'conversation/conversation.test.ts',
};
/** Routes that accept any valid token: it identifies only itself. */
const WITHOUT_SCOPE = new Set(['GET /api/v1/apps/verify_credentials']);
/** The title of the test that requires a successful request of every route. */
const SUCCESS_OF_ALL_ROUTES = 'every route answers a fitting request with success';

const nameOf = ({ method, path }: AnyRoute) => `${method} ${path}`;

async function sources(folder: string): Promise<string[]> {
  const names = await readdir(join(root, folder), { recursive: true });
  return names.filter((name) => /\.(?:tsx?|mjs|py)$/.test(name)).map((name) => join(folder, name));
}

test('every route that looks at a token says which scope it needs', () => {
  const wrong = allRoutes.filter(
    (route) => route.auth !== 'none' && (route.scope === undefined) !== WITHOUT_SCOPE.has(nameOf(route)),
  );
  assert.deepEqual(wrong.map(nameOf), []);
  const pointless = allRoutes.filter((route) => route.auth === 'none' && route.scope !== undefined);
  assert.deepEqual(pointless.map(nameOf), []);
});

test('every parameter of a path has a schema, and every schema is one that the hostile tests can attack', () => {
  for (const route of allRoutes) {
    const named = paramNames(route.path);
    const declared = Object.keys((route.params as { properties?: object } | undefined)?.properties ?? {});
    assert.deepEqual(declared.sort(), named.sort(), nameOf(route));
    for (const field of [...fieldsOf(route.query), ...fieldsOf(route.body)]) {
      assert.ok(hostileValues(field.schema).length > 0, `${nameOf(route)} ${field.path.join('.')}`);
    }
  }
});

test('every text and every list that a client sends has a bound', () => {
  const unbounded = allRoutes.flatMap((route) =>
    [route.query, route.body].flatMap((schema) =>
      fieldsOf(schema)
        .filter((field) => !isBounded(field.schema))
        .map((field) => `${nameOf(route)} ${field.path.join('.')}`),
    ),
  );
  assert.deepEqual(unbounded, []);
});

function isBounded(schema: TSchema | object): boolean {
  const { type, anyOf, maxLength, maxItems, pattern, items, ...rest } = schema as Partial<Record<string, unknown>>;
  if (Array.isArray(anyOf)) return anyOf.every(isBounded);
  if (type === 'string') return maxLength !== undefined || 'const' in rest || /\{1,\d+\}\$$/.test(String(pattern));
  if (type === 'array') return maxItems !== undefined && isBounded(items as object);
  return true;
}

test('the tests over all routes, for success and for hostile input, are there and read the list of routes itself', async () => {
  const suite = 'test/scenarios/suites/bad-input-suite.ts';
  for (const runs of ['test/scenarios/bad-input.test.ts', 'test/scenarios/cluster/shared-nodes.test.ts'])
    assert.match(await readFile(join(root, runs), 'utf8'), /^badInputTests\(/m, runs);
  const text = await readFile(join(root, suite), 'utf8');
  assert.match(text, /import \{ allRoutes \} from '\.\.\/\.\.\/\.\.\/gateway\/routes\/index\.js'/);
  assert.ok(text.includes(`test('${SUCCESS_OF_ALL_ROUTES}', async`));
  assert.doesNotMatch(text, /\b(?:skip|todo|only):/);
  const area = await readFile(join(root, 'gateway/routes/index.ts'), 'utf8');
  const files = (await sources('gateway/routes')).filter((name) => !name.endsWith('/index.ts'));
  const declaring: string[] = [];
  for (const file of files) {
    const source = await readFile(join(root, file), 'utf8');
    const lists = [...source.matchAll(/export const (\w+): readonly AnyRoute\[\]/g)].map((match) => match[1] ?? '');
    for (const list of lists) if (!area.includes(`...${list},`)) declaring.push(`${file}: ${list}`);
  }
  assert.deepEqual(declaring, [], 'lists of routes that are not among allRoutes');
});

test('scenarios start the program that users start, not a server within the test', async () => {
  const files = await sources('test/scenarios');
  assert.ok(files.some((name) => name.endsWith('/text-beyond-ascii-suite.ts')));
  for (const name of files) assert.doesNotMatch(await readFile(join(root, name), 'utf8'), /\bTestServer\b/, name);
});

test('every route is named in a test of its own besides', async () => {
  const tables = /\/(?:every-route|refusal-cases|\w+-requests|status-views)\.ts$/;
  const files = (await sources('test')).filter((name) => /\/(?:gateway|scenarios)\//.test(name) && !tables.test(name));
  const texts = await Promise.all(files.map((name) => readFile(join(root, name), 'utf8')));
  const planted = { method: 'POST', path: '/api/v1/accounts/:id/planted' } as AnyRoute;
  assert.deepEqual(withoutScenario([...allRoutes, planted], texts).map(nameOf), [nameOf(planted)]);
});

test('every slice of an actor has a test', async () => {
  for (const [actor, composed] of Object.entries(COMPOSED)) {
    const slices = (await readdir(join(root, 'actors', actor))).filter((name) => !composed.includes(name));
    assert.ok(slices.length > 0);
    for (const slice of slices) {
      const own = join(actor, slice.replace(/\.ts$/, '.test.ts'));
      const file = TOGETHER[join(actor, slice)] ?? own;
      const text = await readFile(join(root, 'test/actors', file), 'utf8').catch(() => '');
      assert.match(text, /\btest\('/, `${actor}/${slice} has no test at test/actors/${file}`);
    }
  }
});

test('no source is longer than 500 lines', async () => {
  const files = (await Promise.all(FOLDERS.map(sources))).flat().filter((name) => !GENERATED.test(name));
  assert.ok(files.length > 200);
  const long: string[] = [];
  for (const file of files) {
    const lines = (await readFile(join(root, file), 'utf8')).split('\n').length - 1;
    if (lines > LINES_MAX) long.push(`${file}: ${lines}`);
  }
  assert.deepEqual(long, []);
});

test('folders have no names that say nothing', async () => {
  const files = (await Promise.all(FOLDERS.map(sources))).flat();
  const vague = files.filter((name) =>
    /(?:^|\/)(?:utils?|helpers?|common|misc)(?:\/|\.)/.test(`${dirname(name)}/${name}`),
  );
  assert.deepEqual(vague, []);
});

test('random values of tests come from one seed, the same in each run', async () => {
  const own = await Promise.all(
    (await sources('test')).map(async (file) => [file, await readFile(join(root, file), 'utf8')]),
  );
  const drawing = own.filter(([, text]) => /from 'fast-chec[k]'|Math\.random\(/.test(text ?? '')).map(([file]) => file);
  // The second one supplies random keys, on which no answer depends.
  assert.deepEqual(drawing.sort(), ['test/gateway/http/gateway-fixture.ts', 'test/kit/property.ts']);
});

/** Words with which no comment begins: the subject would come last. */
const OPENERS = /^(?:Of|What|Whatever|Who|Whoever|Whom|Whose|Whether|Where|By|With whom|That which)\b/;

/** The first words of all comments of a text, with their lines. */
function commentStarts(text: string): { line: number; words: string }[] {
  const lines = text.split('\n');
  return lines.flatMap((line, index) => {
    const block = /^\s*\/\*\*?\s*(.*)$/.exec(line)?.[1];
    const isFirst = !/^\s*(?:\/\/|#)\s/.test(lines[index - 1] ?? '');
    const single = isFirst ? /^\s*(?:\/\/|#)\s+(.*)$/.exec(line)?.[1] : undefined;
    const title = /^\s*test\((['"`])(?:\$\{\w+\}: )?(.)(.*)\1/.exec(line);
    if (title !== null) return [{ line: index + 1, words: `${title[2]?.toUpperCase()}${title[3]}` }];
    const words = block === '' ? (lines[index + 1] ?? '').replace(/^\s*\*\s?/, '') : (block ?? single);
    return words === undefined ? [] : [{ line: index + 1, words }];
  });
}

test('every comment and every title of a test begins with its subject', async () => {
  const planted = commentStarts(
    "code();\n/** Of one that failed nobody knows. */\n// Whose it is.\n// Where more follows.\ntest('who is it', f);\n",
  );
  assert.deepEqual(
    planted.filter(({ words }) => OPENERS.test(words)).map(({ line }) => line),
    [2, 3, 5],
  );
  const files = (await Promise.all(FOLDERS.map(sources))).flat().filter((name) => !GENERATED.test(name));
  const found: string[] = [];
  for (const file of files)
    for (const { line, words } of commentStarts(await readFile(join(root, file), 'utf8')))
      if (OPENERS.test(words)) found.push(`${file}:${line}: ${words}`);
  assert.deepEqual(found, []);
});

/**
 * Words that name no concept of the field, or a private one: docs/glossary.md has the terms. `told`, `heard` and
 * `silent` meant publications, receipts and unreachable nodes; the others were metaphors.
 */
const BANNED =
  /\b(?:told|heard|hears?|overhears?|silent|quiet|at hand|taken (?:up|away)|tak(?:es|ing) away|comes? to rest|fleeting|cut off|surroundings|furnish\w*|gists?|by hand|once in a while)\b/i;

/** Returns the prose of a source: comments, titles of tests and log messages, without code in it. */
function proseOf(file: string, text: string): { line: number; words: string }[] {
  const [isMarkdown, isMessage] = [file.endsWith('.md'), file.endsWith('.proto')];
  return text.split('\n').flatMap((line, index, all) => {
    const comment = /^\s*(?:\/\*\*?|\*|\/\/|#)\s(.*)$/.exec(line)?.[1] ?? /\s\/\/ (.*)$/.exec(line)?.[1];
    const isTitle = /^\s*test\($/.test(all[index - 1] ?? '');
    const title = /\btest\((['"`])(.*)\1/.exec(line)?.[2] ?? (isTitle ? line : undefined);
    const logged = /\b(?:info|warn|error|fatal|debug)\(.*(['"`])(.*?)\1\)/.exec(line)?.[2];
    const prose = isMarkdown ? line : [comment, title, logged].filter((one) => one !== undefined).join('; ');
    const plain = prose.replace(/`[^`]*`/g, '');
    // Names of fields stand before a colon in comments on messages.
    const words = isMessage ? plain.replace(/\b[\w.]+:/g, '') : plain;
    return words === '' ? [] : [{ line: index + 1, words }];
  });
}

test('comments, documents, logs and titles of tests use words of the field', async () => {
  const planted = proseOf(
    'a.ts',
    "// A node is silent.\nlog.warn({}, 'it was cut off');\ntest('who is told', () => {});\nheard();\n",
  );
  assert.deepEqual(
    planted.filter(({ words }) => BANNED.test(words)).map(({ line }) => line),
    [1, 2, 3],
  );
  const sourceFiles = (await Promise.all(FOLDERS.map(sources))).flat();
  const files = [...sourceFiles, ...(await documents())].filter((name) => !GENERATED.test(name));
  const found: string[] = [];
  for (const file of files) {
    // This list names the words.
    if (file === 'test/tidy.test.ts') continue;
    for (const { line, words } of proseOf(file, await readFile(join(root, file), 'utf8')))
      if (BANNED.test(words)) found.push(`${file}:${line}: ${words.trim()}`);
  }
  assert.deepEqual(found, []);
});

/** Returns all documents of the repository. */
async function documents(): Promise<string[]> {
  const docs = (await readdir(join(root, 'docs'), { recursive: true })).map((name) => join('docs', name));
  const messages = (await readdir(join(root, 'proto'))).map((name) => join('proto', name));
  const top = (await readdir(root)).filter((name) => name.endsWith('.md'));
  return [
    ...top,
    ...docs.filter((name) => name.endsWith('.md')),
    ...messages.filter((name) => name.endsWith('.proto')),
  ];
}

/** One file for each concern of an account, and its test. */
const CROWDED = new Set(['actors/account', 'test/actors/account']);
/** Files of a folder that a reader takes in at one look. */
const FOLDER_FILES_MAX = 20;

test('no folder holds more than 20 files, but the slices of an account', async () => {
  const files = (await Promise.all(FOLDERS.map(sources))).flat().filter((name) => !GENERATED.test(name));
  const counts = new Map<string, number>();
  for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  const crowded = [...counts].filter(([folder, count]) => count > FOLDER_FILES_MAX && !CROWDED.has(folder));
  assert.deepEqual(crowded, []);
});

/** Folders whose code reads time and waits through the ports `Clock` and `Pacing` only. */
const TIMED = ['actors', 'cluster', 'compose', 'gateway', 'media', 'parsers', 'proto', 'store', 'transport'];
/** Files that use the machine's clocks and timers themselves, each with the reason. */
const TIMELESS: readonly RegExp[] = [
  // Implements the port.
  /^actors\/runtime\/system\.ts$/,
  // Bounds the time of child processes.
  /^parsers\/(?:child-parser|parser-pool)\.ts$/,
  // Starts and watches other processes on a development machine.
  /^cluster\/local\//,
];
const DIRECT_TIME =
  /\b(?:Date\.now|performance\.now|process\.hrtime|setTimeout|setInterval)\b|timers\/promises|new Date\(\)/;

test('clocks and timers are injected', async () => {
  assert.match('await setTimeout(5)', DIRECT_TIME);
  const files = (await Promise.all(TIMED.map(sources)))
    .flat()
    .filter((name) => !TIMELESS.some((one) => one.test(name)));
  const found: string[] = [];
  for (const file of files) if (DIRECT_TIME.test(await readFile(join(root, file), 'utf8'))) found.push(file);
  assert.deepEqual(found, []);
});
