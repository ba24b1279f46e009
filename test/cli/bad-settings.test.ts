import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { readSettings } from '../../cli/settings.js';
import { tied } from '../../cluster/local/process.js';
import { prefixed, program, ServerProcess, withoutSettings } from '../kit/services/server-process.js';
import { until } from '../kit/time/until.js';

const RUN_MS_MAX = 120_000;
const TERM_MS_MAX = 15_000;

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'murmuration-settings-'));
});
after(() => rm(folder, { recursive: true, force: true }));

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function murmuration(args: readonly string[], settings: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const env = { ...withoutSettings(), ...prefixed({ DATA_DIR: join(folder, 'data'), PORT: '0', ...settings }) };
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { env, timeout: RUN_MS_MAX }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, stdout, stderr });
    });
  });
}

/** Asserts one line on stderr that names the setting, exit code 2, and no other output. */
async function assertNamed(named: string, args: readonly string[], settings: Readonly<Record<string, string>> = {}) {
  const { code, stdout, stderr } = await murmuration(args, settings);
  assert.deepEqual([code, stdout], [2, ''], `${named}: ${stderr}`);
  assert.match(stderr, /^[^\n]+\n$/, 'one line');
  assert.ok(stderr.includes(named), stderr);
}

test('an unknown or malformed setting ends start with one line that names it and exit code 2', async () => {
  const wrong: Record<string, string> = {
    PROT: '3000',
    PORT: '99999',
    BIND: 'localhost:1',
    BASE_URL: 'ftp://example.org',
    constructor: 'x',
    DOMAIN: 'ex ample',
    STORE: 'sqlite',
    RATE_LIMITS: 'perhaps',
    REGISTRATIONS: 'yes',
    PASSWORD_GRANT: '1',
    TRUSTED_PROXIES: '10.0.0.0/99',
    METRICS_LISTEN: '9090',
    GRPC_LISTEN: '127.0.0.1:70000',
    CASSANDRA_CONTACT_POINTS: 'db1,db2:cql',
    LOG_LEVEL: 'loud',
    CASSANDRA_KEYSPACE: 'a; drop',
    SMTP_URL: 'http://mail',
    CLUSTER_TLS_CA: '/only/one',
  };
  for (const [name, value] of Object.entries(wrong))
    await assertNamed(`MURMURATION_${name}`, ['start'], { [name]: value });
});

test('a node of a cluster is refused the embedded store, and the other way round what it needs', async () => {
  await assertNamed('MURMURATION_NATS_URL', ['start'], { NATS_URL: 'nats://127.0.0.1:4222', STORE: 'lmdb' });
  await assertNamed('MURMURATION_CASSANDRA_CONTACT_POINTS', ['start'], { STORE: 'cassandra' });
});

test('a cluster needs its secret or the TLS files', async () => {
  const cluster = { STORE: 'cassandra', CASSANDRA_CONTACT_POINTS: 'db', NATS_URL: 'nats://127.0.0.1:4222' };
  await assertNamed('MURMURATION_CLUSTER_SECRET', ['start'], cluster);
  const tls = { CLUSTER_TLS_CA: '/ca.pem', CLUSTER_TLS_CERT: '/cert.pem', CLUSTER_TLS_KEY: '/key.pem' };
  assert.equal(readSettings({ ...cluster, ...tls }, {}).CLUSTER_SECRET, undefined);
});

test('the secrets of compose.yaml are refused unless the base URL is on this machine', async () => {
  const cluster = { STORE: 'cassandra', CASSANDRA_CONTACT_POINTS: 'db', NATS_URL: 'nats://127.0.0.1:4222' };
  const trial = { CLUSTER_SECRET: 'only-to-try-out', NATS_TOKEN: 'only-to-try-out' };
  for (const [name, more] of [
    ['CLUSTER_SECRET', trial],
    ['NATS_TOKEN', { ...trial, CLUSTER_SECRET: 'a secret' }],
  ] as const) {
    const public_ = { ...cluster, ...more, BASE_URL: 'https://social.example' };
    await assertNamed(`MURMURATION_${name}`, ['start'], public_);
  }
  for (const host of ['localhost:3000', '127.0.0.1', '[::1]:3000'])
    assert.doesNotThrow(() => readSettings({ ...cluster, ...trial, BASE_URL: `http://${host}` }, {}), host);
  for (const host of ['localhost.example', '127.0.0.1.example'])
    assert.throws(() => readSettings({ ...cluster, ...trial, BASE_URL: `http://${host}` }, {}), host);
});

test('a flag that is unknown or malformed is named the same way, also without a command', async () => {
  await assertNamed('--frobnicate', ['start', '--frobnicate']);
  await assertNamed('--frobnicate', ['--frobnicate']);
  await assertNamed('--frobnicate', ['config', '--frobnicate', 'x']);
  await assertNamed('--port', ['start', '--port', 'http']);
  await assertNamed('--port', ['start', '--port']);
  await assertNamed('--cluster-secret', ['start', '--cluster-secret', '']);
  await assertNamed('--data-dir', ['start', '--data-dir', '']);
  await assertNamed('--base-url', ['start', '--base-url', 'https://me:hush@example.org']);
  await assertNamed('--base-url', ['start', '--base-url', 'https://example.org/social?a=b']);
  await assertNamed('frobnicate', ['frobnicate']);
});

test('help and version are no mistakes', async () => {
  const version = await murmuration(['--version']);
  assert.deepEqual([version.code, version.stderr], [0, '']);
  assert.match(version.stdout, /^\d+\.\d+\.\d+\n$/);
  const help = await murmuration(['--help']);
  assert.deepEqual([help.code, help.stderr], [0, '']);
  assert.match(help.stdout, /Usage: murmuration/);
});

test('config prints what is in effect, flags over environment, secrets masked', async () => {
  const secrets = { CLUSTER_SECRET: 'tell-nobody', NATS_TOKEN: 'nor-this', SMTP_URL: 'smtp://me:hush@localhost' };
  const { code, stdout } = await murmuration(['config', '--port', '4001'], { PORT: '4000', ...secrets });
  assert.equal(code, 0);
  assert.match(stdout, /^MURMURATION_PORT=4001$/m);
  assert.match(stdout, /^MURMURATION_BASE_URL=http:\/\/localhost:4001$/m);
  assert.match(stdout, /^MURMURATION_STORE=lmdb$/m);
  for (const name of Object.keys(secrets)) assert.match(stdout, new RegExp(`^MURMURATION_${name}=•••$`, 'm'));
  assert.doesNotMatch(stdout, /tell-nobody|nor-this|hush/);
  const shared = { STORE: 'cassandra', CASSANDRA_CONTACT_POINTS: 'db1, 10.0.0.2,[::1]:9042', CLUSTER_SECRET: 'x' };
  const addresses = await murmuration(['config'], { ...shared, NATS_URL: 'nats://me:hush@one:4222,nats://hush@two' });
  assert.match(addresses.stdout, /^MURMURATION_NATS_URL=nats:\/\/•••@one:4222,nats:\/\/•••@two$/m, addresses.stderr);
});

test('accounts from a file: bad lines are named by number, the others are made', async () => {
  const file = join(folder, 'people.jsonl');
  const person = (username: string) => ({
    username,
    email: `${username}@example.org`,
    password: 'correct horse battery',
  });
  const lines = [
    JSON.stringify({ ...person('ada'), confirmed: true, token: { scopes: 'read' } }),
    'not json',
    JSON.stringify({ username: 'ben' }),
    '',
    JSON.stringify(person('ada')),
    JSON.stringify({ ...person('cleo'), role: 'king' }),
    '[]',
    JSON.stringify({ ...person('eve'), username: 'e v e' }),
    JSON.stringify({ username: 5, email: {}, password: [] }),
    JSON.stringify({ ...person('dan'), token: {} }),
    JSON.stringify(person('fay')),
  ];
  await writeFile(file, lines.join('\n'));
  const { code, stdout, stderr } = await murmuration(['account', 'create', '--from', file, '--test-passwords']);
  assert.equal(code, 1, stderr);
  const made = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    made.map(({ username }) => username),
    ['ada', 'fay'],
  );
  assert.ok(made[0].token.length > 20);
  const named = stderr
    .trim()
    .split('\n')
    .map((line) => /^line (\d+): ./.exec(line)?.[1]);
  assert.doesNotMatch(stderr, /undefined|TypeError/);
  assert.deepEqual(named, ['2', '3', '5', '6', '7', '8', '9', '10'], stderr);
});

test('a token is made for an account that is there and refused for one that is not', async () => {
  const token = await murmuration(['token', 'create', 'fay', '--scopes', 'read']);
  assert.equal(token.code, 0, token.stderr);
  assert.match(token.stdout, /^\d+\.[\w-]{22}\.[\w-]{43}\n$/);
  const refused = await murmuration(['token', 'create', 'nobody']);
  assert.deepEqual([refused.code, refused.stdout], [1, '']);
  assert.match(refused.stderr, /^[^\n]*nobody\n$/);
  const scopes = await murmuration(['token', 'create', 'fay', '--scopes', 'read everything']);
  assert.deepEqual([scopes.code, scopes.stdout], [1, '']);
  const missing = await murmuration(['account', 'create', '--from', join(folder, 'no-such-file')]);
  assert.equal(missing.code, 1);
  assert.match(missing.stderr, /^[^\n]*no-such-file[^\n]*\n$/);
});

test('SIGTERM ends a server with code 0 in time, also when SIGINT follows at once', async () => {
  const server = await ServerProcess.start();
  try {
    const startedMs = performance.now();
    assert.equal(await server.stop(), 0);
    assert.ok(performance.now() - startedMs < TERM_MS_MAX);
    await server.restart();
    process.kill(server.pid, 'SIGTERM');
    process.kill(server.pid, 'SIGINT');
    await until('the end after two signals', () => !server.running || undefined, TERM_MS_MAX);
    assert.equal(await server.stop(), 0);
  } finally {
    await server.dispose();
  }
});

test('a second node on the same folder is refused, and the first goes on', async () => {
  const server = await ServerProcess.start();
  try {
    const env = { ...withoutSettings(), ...prefixed({ DATA_DIR: server.dataDir, PORT: '0' }) };
    const second = spawn(...tied(process.execPath, [program]), { env, stdio: 'ignore' });
    const [code] = (await once(second, 'exit')) as [number];
    assert.equal(code, 1);
    assert.equal((await fetch(`${server.url}/health`)).status, 200);
  } finally {
    await server.dispose();
  }
});
