import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { AnyRoute } from '../../gateway/http/route.js';
import { allRoutes } from '../../gateway/routes/index.js';
import { ServerProcess } from '../kit/server-process.js';
import { EveryRoute } from './every-route.js';

/** Made up by chance, the same at each run; what the edges of an operation's schema give comes on top. */
const EXAMPLES_PER_OPERATION = 1;
/** It takes about a minute; this is for a busy machine. */
const RUN_MS_MAX = 240_000;
/** So many operations must have had an answer that is a success: else it was refusals only that were judged. */
const SUCCESSFUL_MIN = 190;
/** The end of what it wrote is where it tells its findings. */
const WRITTEN_MAX = 20_000;
/** Methods that no route has are refused before there is a route: one answer for all, which other tests judge. */
const PHASES = '[phases.coverage]\nunexpected-methods = []\n';
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
];

/** What is read of schemathesis' own report. */
interface Report {
  readonly complete: boolean;
  readonly operations: { readonly tested: number; readonly errored: number };
  readonly test_cases: { readonly generated: number };
  /** By operation and phase. */
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

/** One operation's part of the configuration: something that there is for its path, and whoever may ask. */
async function operation(world: EveryRoute, route: AnyRoute, appToken: string): Promise<string> {
  const { id, rest, token } = await world.fitting(route);
  const bearer = token ?? (route.auth === 'app' ? appToken : world.viewer.token);
  const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? '');
  const values = names.map(
    (name, index) => [name, decodeURIComponent((index === 0 ? id : rest?.[name]) ?? '')] as const,
  );
  const parameters = values.map(([name, value]) => `${JSON.stringify(`path.${name}`)} = ${JSON.stringify(value)}`);
  return [
    '[[operations]]',
    `include-name = ${JSON.stringify(`${route.method} ${route.path.replace(/:(\w+)/g, '{$1}')}`)}`,
    `headers = { Authorization = ${JSON.stringify(`Bearer ${bearer}`)} }`,
    ...(parameters.length === 0 ? [] : [`parameters = { ${parameters.join(', ')} }`]),
  ].join('\n');
}

async function configuration(): Promise<string> {
  const world = await EveryRoute.prepare(server);
  const appToken = await applicationToken(world);
  const operations: string[] = [];
  for (const route of allRoutes) operations.push(await operation(world, route, appToken));
  const path = join(dir, 'schemathesis.toml');
  await writeFile(path, `${PHASES}\n${operations.join('\n\n')}\n`);
  return path;
}

/** Its exit code and what it wrote. */
function schemathesis(python: string, args: readonly string[]): Promise<{ code: number; written: string }> {
  return new Promise((resolve) => {
    const all = ['-m', 'schemathesis.cli', ...args];
    execFile(python, all, { cwd: dir, timeout: RUN_MS_MAX, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, written: stdout + stderr });
    });
  });
}

test('schemathesis finds no server error and no answer that the OpenAPI document does not allow', async (t) => {
  const python = process.env.TEST_PYTHON;
  assert.ok(python, 'TEST_PYTHON names the interpreter that has schemathesis; scripts/test.mjs sets it');
  const config = await configuration();
  const report = join(dir, 'report.json');
  const startedMs = performance.now();
  const { code, written } = await schemathesis(python, [
    ...['--config-file', config, 'run', `${server.url}/api/openapi.json`],
    ...['--workers', '1', '--phases', 'coverage,fuzzing', '--checks', CHECKS.join(',')],
    ...['--max-examples', String(EXAMPLES_PER_OPERATION), '--generation-deterministic'],
    ...['--no-shrink', '--no-color', '--suppress-health-check', 'all'],
    ...['--max-redirects', '0', '--request-timeout', '10', '--report', 'json', '--report-json-path', report],
  ]);
  assert.equal(code, 0, written.slice(-WRITTEN_MAX));
  const { complete, operations, test_cases, valid_rates } = JSON.parse(await readFile(report, 'utf8')) as Report;
  const successful = Object.values(valid_rates).filter((phases) =>
    Object.values(phases).some(({ accepted }) => accepted > 0),
  );
  const tookMs = Math.round(performance.now() - startedMs);
  t.diagnostic(`${test_cases.generated} requests to ${operations.tested} operations in ${tookMs} ms`);
  t.diagnostic(`${successful.length} operations answered with success`);
  assert.equal(complete, true);
  assert.deepEqual([operations.tested, operations.errored], [allRoutes.length, 0]);
  assert.ok(successful.length >= SUCCESSFUL_MIN, `only ${successful.length} operations answered with success`);
});
