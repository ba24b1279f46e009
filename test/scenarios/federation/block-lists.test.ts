import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { WebPages } from '../../kit/network/web-pages.js';
import { prefixed, program, ServerProcess, withoutSettings } from '../../kit/services/server-process.js';

const run = promisify(execFile);
/** Domains of the list that takes effect by itself. */
const DOMAINS = 24;

let server: ServerProcess;
let pages: WebPages;
/** Bodies by path; an absent one is a 404. */
const bodies: Record<string, string | undefined> = {};
before(async () => {
  pages = await WebPages.open((request, response) => {
    const body = bodies[request.url ?? ''];
    if (body === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': 'text/csv' }).end(body);
  });
  server = await ServerProcess.start({ FEDERATION_ALLOW_CIDRS: 'loopback' });
});
after(async () => {
  await server?.dispose();
  await pages?.close();
});

/** Runs a command as an operator does; returns its exit code and its lines, each a JSON object, or its message. */
async function cli(...args: string[]) {
  const env = { ...withoutSettings(), ...prefixed({ DATA_DIR: server.dataDir }) };
  const ended = await run(process.execPath, [program, ...args], { env }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
  const lines = ended.stdout.split('\n').filter((line) => line !== '');
  return { code: ended.code, message: ended.stderr.trim(), lines: lines.map((line) => JSON.parse(line)) };
}
const list = (...args: string[]) => cli('block-list', ...args);
const at = (path: string) => `${pages.url}${path}`;
/** Returns the limits of domains as a client of the API without an account reads them. */
async function limits(): Promise<string[]> {
  const answer = await fetch(`${server.url}/api/v1/instance/domain_blocks`);
  const blocks = (await answer.json()) as { domain: string; severity: string }[];
  return blocks.map(({ domain, severity }) => `${domain} ${severity}`).sort();
}

test('a list is added as a draft, compared, applied, read after a restart, and removed', async () => {
  const url = at('/blocks.csv');
  const own = new URL(server.url).hostname;
  bodies['/blocks.csv'] = `#domain,#severity\nbad.example,suspend\nloud.example,silence\n${own},suspend\n`;

  const added = await list('add', url);
  assert.deepEqual([added.code, added.lines[0]?.policy, added.lines[0]?.applied], [0, 'draft', false], added.message);
  assert.deepEqual(await limits(), []);
  const { lines } = await list('diff', url);
  assert.deepEqual(lines, [
    { act: 'add', domain: 'bad.example', severity: 'suspend' },
    { act: 'add', domain: 'loud.example', severity: 'silence' },
    { skipped: 1 },
  ]);
  assert.equal((await list('apply', url)).lines[0]?.applied, true);
  assert.deepEqual(await limits(), ['bad.example suspend', 'loud.example silence']);

  await server.kill();
  await server.restart();
  bodies['/blocks.csv'] = 'bad.example,silence\nnew.example,suspend\n';
  const changes = (await list('diff', url)).lines.slice(0, -1).map(({ act, domain }) => `${act} ${domain}`);
  assert.deepEqual(changes.sort(), ['add new.example', 'change bad.example', 'remove loud.example']);
  assert.equal((await list('apply', url)).code, 0);
  assert.deepEqual(await limits(), ['bad.example silence', 'new.example suspend']);

  assert.deepEqual((await list('remove', url)).lines, [{ limits: 2 }]);
  assert.deepEqual([await limits(), (await list('list')).lines], [[], []]);
});

test('a list that takes effect by itself keeps its limits when it cannot be read, and can leave them here', async () => {
  const url = at('/own.csv');
  const names = Array.from({ length: DOMAINS }, (_, one) => `d${one}.example`);
  bodies['/own.csv'] = names.join('\n');
  const [state] = (await list('add', url, '--policy', 'apply')).lines;
  assert.deepEqual([state.policy, state.applied, state.added, state.problem], ['apply', true, DOMAINS, null]);
  bodies['/own.csv'] = undefined;
  const failed = await list('apply', url);
  assert.match(failed.lines[0]?.problem ?? '', /cannot be fetched/);
  assert.match((await list('list')).lines[0]?.problem ?? '', /cannot be fetched/);
  const diff = await list('diff', url);
  assert.deepEqual([diff.code, diff.lines], [1, []]);
  assert.match(diff.message, /cannot be fetched/);
  assert.equal((await limits()).length, DOMAINS);
  assert.deepEqual((await list('remove', url, '--keep')).lines, [{ limits: DOMAINS }]);
  assert.equal((await limits()).length, DOMAINS);
});

test('addresses inside, unknown lists and policies, and missing arguments end with a message and change nothing', async () => {
  const before = await limits();
  const refused: [RegExp, ...string[]][] = [
    [/https:\/\//, 'add', 'https://10.0.0.1/list.csv'],
    [/https:\/\//, 'add', 'http://lists.example/list.csv'],
    [/https:\/\//, 'add', 'no address'],
    [/apply or draft/, 'add', at('/x.csv'), '--policy', 'burn'],
    [/there is no list/, 'apply', at('/x.csv')],
    [/there is no list/, 'diff', at('/x.csv')],
    [/there is no list/, 'remove', at('/x.csv')],
    [/url/i, 'add'],
  ];
  for (const [message, ...args] of refused) {
    const ended = await list(...args);
    assert.notEqual(ended.code, 0, args.join(' '));
    assert.match(ended.message, message, args.join(' '));
    assert.deepEqual(ended.lines, []);
  }
  assert.deepEqual([await limits(), (await list('list')).lines], [before, []]);
});
