import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { HTTP_STATUS } from '../../gateway/http/problem-answer.js';
import type { AnyRoute } from '../../gateway/http/route.js';
import { allRoutes } from '../../gateway/routes/index.js';
import { type Field, fieldsOf, formName, hostileValues, jsonWith } from '../kit/hostile-values.js';
import { RawClient } from '../kit/raw-request.js';
import { prefixed, program, ServerProcess, withoutSettings } from '../kit/server-process.js';
import { EveryRoute, type Fitting, NOTHING_THERE, nameOf, pathOf } from './every-route.js';
import { ScopedTokens } from './scoped-tokens.js';

const run = promisify(execFile);
const AT_A_TIME = 8;
/** A health check takes about a millisecond; a machine at its limit and a pause for garbage are allowed for. */
const BLOCKED_MS_MAX = 2_000;
const REFUSALS = new Set(Object.values(HTTP_STATUS).filter((status) => status < 500));
const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';
/** Routes whose refusals are pages for people. */
const PAGES = /^\/(?:auth\/|oauth\/authorize)/;

let server: ServerProcess;
let client: RawClient;
let world: EveryRoute;
let scoped: ScopedTokens;
let pid: number;
const tokens = { push: '', app: '', unconfirmed: '' };
const beat = { slowestMs: 0, failures: 0, stop: () => {} };

before(async () => {
  server = await ServerProcess.start({ LOG_LEVEL: 'warn' });
  client = new RawClient(server.url);
  world = await EveryRoute.prepare(server);
  scoped = new ScopedTokens(server.dataDir);
  pid = server.pid;
  const env = { ...withoutSettings(), ...prefixed({ DATA_DIR: server.dataDir }) };
  const cli = async (...args: string[]) => (await run(process.execPath, [program, ...args], { env })).stdout.trim();
  tokens.push = await cli('token', 'create', 'ada', '--scopes', 'push');
  await cli('account', 'create', 'dora', '--email', 'dora@example.org', '--password', 'correct horse battery');
  tokens.unconfirmed = await cli('token', 'create', 'dora', '--scopes', 'read write follow');
  const { body } = await world.fitting(routeNamed('POST /oauth/token'));
  const granted = await send(routeNamed('POST /oauth/token'), { body: { ...body, scope: 'read write' } });
  tokens.app = JSON.parse(granted.text).access_token;
  watchHealth();
});
after(async () => {
  beat.stop();
  client?.close();
  await server?.dispose();
});

function routeNamed(name: string): AnyRoute {
  const found = allRoutes.find((route) => nameOf(route) === name);
  assert.ok(found, name);
  return found;
}

/** Asks for /health without pause for as long as the tests run. */
function watchHealth(): void {
  let stopped = false;
  const asking = async () => {
    while (!stopped) {
      const startedMs = performance.now();
      const answer = await fetch(`${server.url}/health`).catch(() => undefined);
      if (answer?.status !== 200) beat.failures++;
      beat.slowestMs = Math.max(beat.slowestMs, performance.now() - startedMs);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  beat.stop = () => {
    stopped = true;
  };
  void asking();
}

interface Sent extends Fitting {
  /** The body as it is, instead of `body` as JSON. One byte a character. */
  readonly raw?: string | Buffer;
  readonly type?: string;
}

function send(route: AnyRoute, sent: Sent) {
  const { id = '', rest, query, headers, body, token, form } = sent;
  const isForm = form !== undefined && sent.raw === undefined && sent.type === undefined;
  const { raw = isForm ? form.bytes : undefined, type = isForm ? form.type : JSON_TYPE } = sent;
  const path = pathOf(route, id, rest) + (query === undefined ? '' : `?${query}`);
  const text = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  return client.send({
    method: route.method,
    path,
    headers: {
      ...headers,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(text === undefined ? {} : { 'content-type': type }),
    },
    body: typeof text === 'string' ? Buffer.from(text, 'latin1') : text,
  });
}

type Answer = Awaited<ReturnType<typeof send>>;

/** Empty when the answer is a refusal as the API has them. */
function faultOf(route: AnyRoute, answer: Answer, statuses: ReadonlySet<number> = REFUSALS): string {
  if (!statuses.has(answer.status)) return `answered ${answer.status} ${answer.text.slice(0, 100)}`;
  if (PAGES.test(route.path)) return '';
  if (!answer.type.startsWith('application/json')) return `refused as ${answer.type}`;
  const { error } = JSON.parse(answer.text) as { error?: unknown };
  return typeof error === 'string' && error !== '' ? '' : `refused without an error: ${answer.text.slice(0, 100)}`;
}

interface Case {
  readonly name: string;
  readonly route: AnyRoute;
  readonly sent: (fitting: Fitting) => Sent;
  readonly statuses?: ReadonlySet<number>;
}

/** Runs them, some at a time, and says which were not refused as they should be. */
async function faults(cases: readonly Case[]): Promise<string[]> {
  const found: string[] = [];
  const open = [...cases];
  const work = async () => {
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const { route, name, sent, statuses } = next;
      const label = `${nameOf(route)}: ${name}`;
      const answer = await send(route, { token: world.viewer.token, ...sent(await world.fitting(route)) });
      const fault = faultOf(route, answer, statuses);
      if (fault !== '') found.push(`${label} ${fault}`);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  return found.sort();
}

/** A token that may do no more than the route demands; whoever the request is of. */
async function enough(route: AnyRoute, { token }: Fitting): Promise<string | undefined> {
  if (route.auth === 'app') return tokens.app;
  if (route.permission !== undefined) return scoped.alone('chief', route);
  return route.auth === 'none' || token !== undefined ? token : scoped.alone('ada', route);
}

test('every route answers a fitting request with success', async () => {
  const found: string[] = [];
  for (const route of allRoutes) {
    const fitting = await world.fitting(route);
    const answer = await send(route, { ...fitting, token: await enough(route, fitting) });
    const isGone = NOTHING_THERE.get(nameOf(route)) === answer.status;
    if (answer.status >= 400 && !isGone) found.push(`${nameOf(route)}: ${answer.status} ${answer.text.slice(0, 200)}`);
  }
  assert.deepEqual(found, []);
});

test('no token, a broken one, one of another scope, an application’s, an unconfirmed user’s: each route its refusal', async () => {
  const cases: Case[] = [];
  const only = (status: number) => new Set([status]);
  for (const route of allRoutes.filter(({ auth }) => auth !== 'none')) {
    const add = (name: string, token: string | undefined, status: number) =>
      cases.push({ name, route, sent: (fitting) => ({ ...fitting, token }), statuses: only(status) });
    if (route.auth !== 'optional') add('no token', undefined, 401);
    for (const token of ['x', '', '\xff\xfe', 'x'.repeat(2_000), `${world.viewer.token}x`, `${world.viewer.token} x`]) {
      add(`token ${token.slice(0, 10)}`, token, 401);
    }
    if (route.scope !== undefined) {
      if (route.scope !== 'push') add('scope push', tokens.push, 403);
      const who = route.permission === undefined ? 'ada' : 'chief';
      add('every other scope', await scoped.without(who, route), 403);
    }
    if (route.auth === 'user') add('unconfirmed', tokens.unconfirmed, 403);
    if (route.auth === 'user' || route.auth === 'unconfirmed') add('application’s token', tokens.app, 422);
  }
  assert.deepEqual(await faults(cases), []);
});

test('ids in paths that are none, or nobody’s, are 404, and what is no text is 400', async () => {
  const cases: Case[] = [];
  const nothing = [
    '0',
    '1',
    '-1',
    'x',
    '1.5',
    '1e3',
    '9'.repeat(18),
    '9'.repeat(30),
    'x'.repeat(3_000),
    '[]',
    '{}',
    "'",
    '..%2f1',
  ];
  const broken = ['%00', '%ff', '1%00', '%ed%a0%80', '\xff', '%', '%zz', '%c3%28'];
  for (const route of allRoutes.filter(({ path }) => path.includes(':id'))) {
    for (const id of nothing)
      cases.push({ name: `id ${id}`, route, sent: (fitting) => ({ ...fitting, id }), statuses: new Set([404]) });
    for (const id of broken)
      cases.push({ name: `id ${id}`, route, sent: (fitting) => ({ ...fitting, id }), statuses: new Set([400]) });
  }
  assert.deepEqual(await faults(cases), []);
});

const joined = (...parts: readonly (string | undefined)[]) => parts.filter((part) => part).join('&');
const asForm = (body: Fitting['body'] = {}) =>
  Object.entries(body)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join('&');
/** The fitting request's own value would win or contradict. */
const without = (body: Fitting['body'] = {}, name = '') =>
  Object.fromEntries(Object.entries(body).filter(([key]) => key !== name));

test('every field of every query refuses what its type does not hold', async () => {
  const cases: Case[] = [];
  for (const route of allRoutes) {
    for (const field of fieldsOf(route.query)) {
      for (const { label, form } of hostileValues(field.schema)) {
        if (form === undefined) continue;
        const hostile = formName(field.path) + form;
        cases.push({
          name: `?${formName(field.path)} ${label}`,
          route,
          sent: (fitting) => ({ ...fitting, query: hostile }),
        });
      }
    }
  }
  assert.ok(cases.length > 200);
  assert.deepEqual(await faults(cases), []);
});

test('every field of every body refuses what its type does not hold, in JSON and in forms', async () => {
  const cases: Case[] = [];
  const add = (route: AnyRoute, { path, schema }: Field) => {
    for (const { label, form, json } of hostileValues(schema)) {
      const name = `${formName(path)} ${label}`;
      if (json !== undefined)
        cases.push({
          name: `${name} (JSON)`,
          route,
          sent: (fitting) => ({ ...fitting, raw: jsonWith(fitting.body ?? {}, path, json) }),
        });
      if (form !== undefined) {
        const hostile = formName(path) + form;
        const sent = (fitting: Fitting) => ({
          ...fitting,
          type: FORM,
          raw: joined(asForm(without(fitting.body, path[0])), hostile),
        });
        cases.push({ name: `${name} (form)`, route, sent });
      }
    }
  };
  for (const route of allRoutes) for (const field of fieldsOf(route.body)) add(route, field);
  assert.ok(cases.length > 400);
  assert.deepEqual(await faults(cases), []);
});

/** No route takes them, whatever it takes. */
const BODIES: readonly (readonly [label: string, type: string, raw: string])[] = [
  ['an array', JSON_TYPE, '[]'],
  ['text', JSON_TYPE, '"x"'],
  ['a number', JSON_TYPE, '5'],
  ['null', JSON_TYPE, 'null'],
  ['half an object', JSON_TYPE, '{"status":'],
  ['bad UTF-8 in a name', JSON_TYPE, '{"\xff":1}'],
  ['NUL in a name', JSON_TYPE, '{"a\\u0000":1}'],
  ['an unclosed abyss', JSON_TYPE, '['.repeat(100_000)],
  ['a picture', 'image/png', '\x89PNG'],
  ['multipart without a boundary', 'multipart/form-data', 'x'],
  ['multipart of another boundary', 'multipart/form-data; boundary=a', '--b\r\n\r\nx\r\n--b--'],
  ['too many values', FORM, 'a=1&'.repeat(1_001)],
  ['too deep a name', FORM, 'a[b][c][d][e][f]=1'],
  ['a contradiction', FORM, 'a[b]=1&a[]=2'],
  ['__proto__', FORM, '__proto__[a]=1'],
  ['a long name', FORM, `${'a'.repeat(300)}=1`],
  ['bad UTF-8 in a form’s name', FORM, '%ff=1'],
];

test('bodies that are no request are refused by every route that reads one', async () => {
  const cases: Case[] = [];
  for (const route of allRoutes.filter(({ method }) => method !== 'GET')) {
    for (const [name, type, raw] of BODIES) {
      cases.push({
        name: `body ${name}`,
        route,
        sent: (fitting) => ({ ...fitting, type, raw }),
        statuses: new Set([400]),
      });
    }
  }
  assert.deepEqual(await faults(cases), []);
});

test('a body of 10 MB is 413 for every route that reads one', async () => {
  const raw = Buffer.alloc(10 * 1_048_576, 'x');
  const found: string[] = [];
  for (const route of allRoutes.filter(({ method }) => method !== 'GET')) {
    found.push(
      ...(await faults([{ name: '10 MB', route, sent: (fitting) => ({ ...fitting, raw }), statuses: new Set([413]) }])),
    );
  }
  assert.deepEqual(found, []);
});

/** JSON cannot hold what it needs. */
const demandsFile = ({ body }: AnyRoute): boolean =>
  fieldsOf(body).some(({ path, schema }) => 'bytes' in schema && body.required?.includes(path[0] ?? ''));

test('names that mean something to JavaScript, and deep nesting, mean nothing to any route', async () => {
  const strange = '{"__proto__":{"viewer":"1"},"constructor":{"prototype":{"x":1}},"toString":1,"hasOwnProperty":1';
  const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
  for (const route of allRoutes.filter((one) => one.method !== 'GET' && !demandsFile(one))) {
    const { body = {}, ...fitting } = await world.fitting(route);
    const raw = `${strange},"deep":${deep}${Object.entries(body)
      .map(([name, value]) => `,"${name}":${JSON.stringify(value)}`)
      .join('')}}`;
    const token = route.auth === 'app' ? tokens.app : world.viewer.token;
    const answer = await send(route, { token, ...fitting, raw });
    const isFine = answer.status < 400 || NOTHING_THERE.get(nameOf(route)) === answer.status;
    assert.ok(isFine, `${nameOf(route)}: ${answer.status} ${answer.text.slice(0, 200)}`);
  }
});

test('addresses that lead nowhere, other methods and long addresses are refused', async () => {
  const at = async (method: string, path: string) => (await client.send({ method, path })).status;
  assert.equal(await at('GET', '/nowhere'), 404);
  assert.equal(await at('GET', '/api/v1/accounts/1/statuses/extra'), 404);
  assert.equal(await at('GET', '/../../etc/passwd'), 404);
  assert.equal(await at('DELETE', '/api/v1/apps'), 405);
  assert.equal(await at('GET', `/api/v1/instance?${'x'.repeat(9_000)}`), 400);
});

test('after all of it the same process is there, was never blocked, and saw no error of its own', async () => {
  assert.equal(server.pid, pid);
  assert.ok(server.running);
  assert.equal((await fetch(`${server.url}/health`)).status, 200);
  assert.equal(beat.failures, 0);
  assert.ok(beat.slowestMs < BLOCKED_MS_MAX, `/health took ${beat.slowestMs} ms`);
  const errors = server.log.split('\n').filter((line) => line.startsWith('{') && JSON.parse(line).level >= 50);
  assert.deepEqual(errors, []);
});
