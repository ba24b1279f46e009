import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { freePort } from '../../cluster/local/process.js';
import { cassandraSettings, dropKeyspace } from '../kit/services/cassandra.js';
import { prefixed, program, ServerProcess, withoutSettings } from '../kit/services/server-process.js';

const run = promisify(execFile);
const keyspace = `test_${randomBytes(6).toString('hex')}`;
const secret = randomBytes(24).toString('base64url');
let server: ServerProcess;
let address: string;
/** A folder on which no node runs. */
let elsewhere: string;

before(async () => {
  address = `127.0.0.1:${await freePort('127.0.0.1')}`;
  elsewhere = await mkdtemp(join(tmpdir(), 'murmuration-elsewhere-'));
  const settings = { ...cassandraSettings(keyspace), CLUSTER_SECRET: secret, GRPC_LISTEN: address, LOG_LEVEL: 'warn' };
  server = await ServerProcess.start(settings);
});
after(async () => {
  await server?.dispose();
  await rm(elsewhere, { recursive: true, force: true });
  await dropKeyspace(keyspace);
});

/** Runs a command with this secret; returns its exit code and output. */
async function cli(known: string | undefined, ...args: string[]) {
  const settings = { DATA_DIR: elsewhere, ...(known === undefined ? {} : { CLUSTER_SECRET: known }) };
  const env = { ...withoutSettings(), ...prefixed(settings) };
  const ended = await run(process.execPath, [program, ...args, '--node', address], { env }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
  return { code: ended.code, stdout: ended.stdout.trim(), stderr: ended.stderr.trim() };
}
const account = (name: string) => [
  ...['account', 'create', name, '--email', `${name}@example.org`],
  ...['--password', 'correct horse battery', '--confirmed'],
];

test('accounts, tokens and settings are created over the network by callers who know the secret', async () => {
  const made = await cli(secret, ...account('ada'), '--role', 'admin');
  assert.deepEqual([made.code, JSON.parse(made.stdout).username], [0, 'ada'], made.stderr);
  const { stdout: token } = await cli(secret, 'token', 'create', 'ada', '--scopes', 'read');
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${server.url}/api/v1/accounts/verify_credentials`, { headers });
  const { id } = (await answer.json()) as { id: string };
  assert.deepEqual([answer.status, id], [200, JSON.parse(made.stdout).id]);
  assert.equal((await cli(secret, 'instance', 'set', 'title', 'Far away')).code, 0);
  const told = (await (await fetch(`${server.url}/api/v2/instance`)).json()) as { title: string };
  assert.equal(told.title, 'Far away');
  assert.equal((await cli(secret, 'account', 'end-second-factor', 'ada')).stdout, '{"ended":false}');
  assert.equal(JSON.parse((await cli(secret, 'status')).stdout).state, 'up');
  const file = join(elsewhere, 'people.jsonl');
  const lines = ['bea', 'ada', 'cyd'].map((username) =>
    JSON.stringify({ username, email: `${username}2@example.org`, password: 'correct horse battery' }),
  );
  await writeFile(file, lines.join('\n'));
  const many = await cli(secret, 'account', 'create', '--from', file);
  assert.equal(many.code, 1);
  assert.deepEqual(
    many.stdout.split('\n').map((line) => JSON.parse(line).username),
    ['bea', 'cyd'],
  );
  assert.match(many.stderr, /\b2\b/, 'the line that was refused');
});

test('a refusal by the node is reported in one line', async () => {
  const again = await cli(secret, ...account('ada'));
  assert.equal(again.code, 1);
  assert.match(again.stderr, /^murmuration: .*taken[^\n]*$/i);
  const nobody = await cli(secret, 'token', 'create', 'nobody');
  assert.deepEqual([nobody.code, nobody.stderr], [1, 'murmuration: there is no account nobody']);
});

test('without the secret, or with another, nothing is done', async () => {
  for (const known of [undefined, 'not the secret']) {
    const refused = await cli(known, ...account('eve'));
    assert.deepEqual([refused.code, refused.stdout], [1, '']);
    assert.match(refused.stderr, /secret/);
  }
  assert.equal((await fetch(`${server.url}/api/v1/accounts/lookup?acct=eve`)).status, 404);
});
