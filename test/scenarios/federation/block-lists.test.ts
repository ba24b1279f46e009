import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { WebPages } from '../../kit/network/web-pages.js';
import { prefixed, program, ServerProcess, withoutSettings } from '../../kit/services/server-process.js';

const run = promisify(execFile);
const [LARGE_BYTES, LARGE_MB] = [10_000_000, 10];
/** Bytes of a list that a reader may have taken when it stops at 2 MB: the rest is in buffers of sockets. */
const TAKEN_BYTES_MAX = 24_000_000;
/** Growth of the server's peak memory while it reads a list that has no end. */
const GROWTH_KB_MAX = 48_000;
/** Domains of the list that takes effect by itself. */
const DOMAINS = 24;

let server: ServerProcess;
let pages: WebPages;
/** Bodies by path; an absent one is a 404. */
const bodies: Record<string, string | undefined> = {};
/** Bytes that were written to the reader of `/endless.csv` before it left. */
let taken = 0;
before(async () => {
  pages = await WebPages.open((request, response) => {
    const body = bodies[request.url ?? ''];
    if (request.url === '/endless.csv' && body === undefined) void endless(response);
    else if (body === undefined) response.writeHead(404).end();
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

/** Writes domains until the reader leaves. */
async function endless(response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/csv' });
  let isOpen = true;
  const closed = once(response, 'close').then(() => (isOpen = false));
  const lines = domains(1_000);
  for (taken = 0; isOpen; taken += lines.length)
    if (!response.write(lines)) await Promise.race([once(response, 'drain'), closed]);
}

const domains = (count: number) => Array.from({ length: count }, (_, one) => `m${one}.example\n`).join('');
const large = domains(LARGE_BYTES / 10).slice(0, LARGE_BYTES);

/** Returns the peak of the server's resident memory in KB. */
async function peakKb(): Promise<number> {
  const status = await readFile(`/proc/${server.pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]);
}

test('a list of 10 MB, or without an end, is read up to 2 MB; its limits stay, and the operator sees why', async () => {
  const url = at('/endless.csv');
  const own = await limits();
  bodies['/endless.csv'] = 'listed.example\n';
  assert.equal((await list('add', url, '--policy', 'apply')).lines[0]?.applied, true);
  const listed = [...own, 'listed.example suspend'].sort();
  for (const body of [large, undefined]) {
    bodies['/endless.csv'] = body;
    const beforeKb = await peakKb();
    const [applied, diff] = [await list('apply', url), await list('diff', url)];
    for (const problem of [applied.lines[0]?.problem, diff.message]) assert.match(problem, /CSV of 2 MB at most/);
    assert.ok((await peakKb()) - beforeKb < GROWTH_KB_MAX, `${beforeKb} to ${await peakKb()} KB`);
    assert.deepEqual(await limits(), listed);
  }
  assert.ok(taken > 2_000_000 && taken < TAKEN_BYTES_MAX, `${taken} bytes`);
  const [state] = (await list('list')).lines;
  assert.deepEqual([state.url, state.added], [url, 1]);
  assert.match(state.problem, /2 MB at most/);
  assert.match(server.log, /failed to apply a list of blocks/);
  assert.deepEqual((await list('remove', url)).lines, [{ limits: 1 }]);
});

test('a file of more than 10 MB, or with more domains than there can be limits, adds none', async () => {
  const before = await limits();
  const file = join(server.dataDir, 'large.csv');
  for (const [text, message] of [
    [`${large}\n`, new RegExp(`larger than ${LARGE_MB} MB`)],
    [large, /names more than 5000 domains/],
    [domains(5_001), /names more than 5000 domains/],
  ] as const) {
    await writeFile(file, text);
    const ended = await cli('federation', 'import-blocks', file);
    assert.notEqual(ended.code, 0);
    assert.match(ended.message, message);
  }
  assert.deepEqual(await limits(), before);
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
