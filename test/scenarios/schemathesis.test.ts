import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { tied } from '../../cluster/local/process.js';
import type { AnyRoute } from '../../gateway/http/route.js';
import { allRoutes } from '../../gateway/routes/index.js';
import { ServerProcess } from '../kit/services/server-process.js';
import { EveryRoute, nameOf } from './requests/every-route.js';
import type { Fitting } from './requests/fitting-request.js';

/** Random examples, the same in each run, besides those from the edges of an operation's schema. */
const EXAMPLES_PER_OPERATION = 1;
/** Timeout for a busy machine; a run takes about two minutes. */
const RUN_MS_MAX = 2_400_000;
/** Minimum number of operations with a successful answer: otherwise only refusals were judged. */
const SUCCESSFUL_MIN = 250;
/** Length of the end of its output, which contains its findings. */
const WRITTEN_MAX = 20_000;
/** Unknown methods are refused before routing: one answer for all, which other tests judge. */
const PHASES = '[phases.coverage]\nunexpected-methods = []\n';
const HOOKS = resolve('test/scenarios/clients/settings_once.py');
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
];

/** The parts of schemathesis's own report that the test reads. */
interface Report {
  readonly complete: boolean;
  readonly operations: { readonly tested: number; readonly errored: number };
  readonly test_cases: { readonly generated: number };
  /** Shares by operation and phase. */
  readonly valid_rates: Readonly<Record<string, Readonly<Record<string, { readonly accepted: number }>>>>;
}

let server: ServerProcess;
let dir = '';
before(async () => {
  server = await ServerProcess.start({ LOG_LEVEL: 'warn' });
  dir = await mkdtemp(join(tmpdir(), 'murmuration-schemathesis-'));
});
after(async () => {
  await server?.dispose();
  if (dir !== '') await rm(dir, { recursive: true, force: true });
});

async function applicationToken(world: EveryRoute): Promise<string> {
  const { body } = await world.fitting({ method: 'POST', path: '/oauth/token' } as AnyRoute);
  const granted = await fetch(`${server.url}/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, scope: 'read write' }),
  });
  return ((await granted.json()) as { access_token: string }).access_token;
}

/** Returns one operation's part of the configuration: existing values for its path, and a token. */
function operation(world: EveryRoute, route: AnyRoute, appToken: string, fitting: Fitting): string {
  const { id, rest, token, headers } = fitting;
  const bearer = token ?? (route.auth === 'app' ? appToken : world.viewer.token);
  const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? '');
  const values = names.map(
    (name, index) => [name, decodeURIComponent((index === 0 ? id : rest?.[name]) ?? '')] as const,
  );
  const parameters = values.map(([name, value]) => `${JSON.stringify(`path.${name}`)} = ${JSON.stringify(value)}`);
  const sent = { Authorization: `Bearer ${bearer}`, ...headers };
  return [
    '[[operations]]',
    `include-name = ${JSON.stringify(`${route.method} ${route.path.replace(/:(\w+)/g, '{$1}')}`)}`,
    `headers = { ${Object.entries(sent)
      .map((pair) => pair.map((text) => JSON.stringify(text)).join(' = '))
      .join(', ')} }`,
    ...(parameters.length === 0 ? [] : [`parameters = { ${parameters.join(', ')} }`]),
  ].join('\n');
}

interface Media {
  example?: unknown;
}
interface Operation {
  readonly parameters?: { readonly name: string; readonly in: string; example?: unknown }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
}
interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** Adds the successful request of a route to the document as an example: ids cannot be invented. */
function exemplify(route: AnyRoute, operation: Operation | undefined, { id, rest, query, body }: Fitting): void {
  const asked = new URLSearchParams(query);
  const [first] = /(?<=:)\w+/.exec(route.path) ?? [];
  for (const parameter of operation?.parameters ?? []) {
    const { name } = parameter;
    if (parameter.in === 'path') parameter.example = decodeURIComponent((name === first ? id : rest?.[name]) ?? '');
    const given = asked.getAll(parameter.name);
    if (parameter.in === 'query' && given.length > 0)
      parameter.example = parameter.name.endsWith('[]') ? given : given[0];
  }
  const json = operation?.requestBody?.content['application/json'];
  if (json !== undefined && body !== undefined) json.example = body;
}

/** Returns the paths of the document and of the configuration. */
async function prepared(): Promise<{ document: string; config: string }> {
  const world = await EveryRoute.prepare(server);
  const appToken = await applicationToken(world);
  const openApi = (await (await fetch(`${server.url}/api/openapi.json`)).json()) as OpenApi;
  const operations: string[] = [];
  for (const route of allRoutes) {
    const fitting = await world.fitting(route);
    operations.push(operation(world, route, appToken, fitting));
    exemplify(route, openApi.paths[route.path.replace(/:(\w+)/g, '{$1}')]?.[route.method.toLowerCase()], fitting);
  }
  const [document, config] = [join(dir, 'openapi.json'), join(dir, 'schemathesis.toml')];
  await writeFile(document, JSON.stringify(openApi));
  await writeFile(config, `${PHASES}\n${operations.join('\n\n')}\n`);
  return { document, config };
}

/** Runs schemathesis; returns its exit code and its output. */
function schemathesis(python: string, args: readonly string[]): Promise<{ code: number; written: string }> {
  return new Promise((resolve) => {
    const [command, all] = tied(python, ['-m', 'schemathesis.cli', ...args]);
    const env = { ...process.env, SCHEMATHESIS_HOOKS: HOOKS };
    const options = { cwd: dir, env, timeout: RUN_MS_MAX, maxBuffer: 64 * 1024 * 1024 };
    execFile(command, all, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, written: stdout + stderr });
    });
  });
}

test('schemathesis finds no server error and no answer that the OpenAPI document does not allow', async (t) => {
  const python = process.env.TEST_PYTHON;
  assert.ok(python, 'TEST_PYTHON names the interpreter that has schemathesis; scripts/test.mjs sets it');
  const { document, config } = await prepared();
  const report = join(dir, 'report.json');
  const startedMs = performance.now();
  const { code, written } = await schemathesis(python, [
    ...['--config-file', config, 'run', document, '--url', server.url],
    ...['--workers', '1', '--phases', 'examples,coverage,fuzzing', '--checks', CHECKS.join(',')],
    ...['--max-examples', String(EXAMPLES_PER_OPERATION), '--generation-deterministic'],
    ...['--no-shrink', '--no-color', '--suppress-health-check', 'all', '--warnings', 'off'],
    ...['--max-redirects', '0', '--request-timeout', '60', '--report', 'json', '--report-json-path', report],
  ]);
  assert.equal(code, 0, written.slice(-WRITTEN_MAX));
  const { complete, operations, test_cases, valid_rates } = JSON.parse(await readFile(report, 'utf8')) as Report;
  const successful = Object.entries(valid_rates).flatMap(([name, phases]) =>
    Object.values(phases).some(({ accepted }) => accepted > 0) ? [name] : [],
  );
  const refused = allRoutes
    .map((route) => nameOf(route).replace(/:(\w+)/g, '{$1}'))
    .filter((name) => !successful.includes(name));
  const tookMs = Math.round(performance.now() - startedMs);
  t.diagnostic(`${test_cases.generated} requests to ${operations.tested} operations in ${tookMs} ms`);
  t.diagnostic(`${successful.length} operations answered with success; not ${refused.join(', ')}`);
  assert.equal(complete, true);
  assert.deepEqual([operations.tested, operations.errored], [allRoutes.length, 0]);
  assert.ok(successful.length >= SUCCESSFUL_MIN, `only ${successful.length} operations answered with success`);
});
