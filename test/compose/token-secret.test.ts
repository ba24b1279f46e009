import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { readSettings } from '../../cli/settings.js';
import { openKeyedTokens } from '../../compose/token-secret.js';
import { MemoryTables } from '../../store/memory/memory-tables.js';

const link = { account: '123', nonce: 'abcdefghijklmnopqrstuv' };
const random = { bytes: (count: number) => randomBytes(count) };
const cluster = { STORE: 'cassandra', CASSANDRA_CONTACT_POINTS: 'db' };

let parent: string;
before(async () => {
  parent = await mkdtemp(join(tmpdir(), 'murmuration-token-secret-'));
});
after(() => rm(parent, { recursive: true, force: true }));

const folder = () => mkdtemp(join(parent, 'data-'));
const tables = new MemoryTables();
const warnings: string[] = [];
const log = {
  info: () => undefined,
  warn: (_fields: object, message: string) => void warnings.push(message),
  error: () => undefined,
};
const open = async (DATA_DIR: string, more = {}) =>
  openKeyedTokens(readSettings({ DATA_DIR, ...more }, {}), random, tables, log);

test('an embedded node makes its secret once, in a file that other users cannot read', async () => {
  const data = await folder();
  const token = (await open(data)).make('reset', link);
  const path = join(data, 'token-secret');
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  await chmod(path, 0o644);
  assert.deepEqual((await open(data)).read('reset', token), link);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  assert.equal((await open(await folder())).read('reset', token), undefined);
});

test('a damaged file stops the start and is left as it is', async () => {
  const data = await folder();
  await writeFile(join(data, 'token-secret'), 'half of i');
  await assert.rejects(open(data), /token-secret is damaged/);
  assert.equal(await readFile(join(data, 'token-secret'), 'utf8'), 'half of i');
});

test('nodes with one CLUSTER_SECRET accept each other’s links, and none made with another secret', async () => {
  const [one, other, rotated] = await Promise.all([
    open(await folder(), { ...cluster, CLUSTER_SECRET: 'a secret' }),
    open(await folder(), { ...cluster, CLUSTER_SECRET: 'a secret' }),
    open(await folder(), { ...cluster, CLUSTER_SECRET: 'another secret' }),
  ]);
  const token = one.make('confirmation', link);
  assert.deepEqual(other.read('confirmation', token), link);
  assert.equal(rotated.read('confirmation', token), undefined);
});

test('a single node on Cassandra without CLUSTER_SECRET has a file, too', async () => {
  const data = await folder();
  const token = (await open(data, cluster)).make('reset', link);
  assert.deepEqual((await open(data, cluster)).read('reset', token), link);
});

test('nodes that have TLS files but no CLUSTER_SECRET share a key in the store, and say so', async () => {
  const tls = { CLUSTER_TLS_CA: '/ca.pem', CLUSTER_TLS_CERT: '/cert.pem', CLUSTER_TLS_KEY: '/key.pem' };
  const settings = { ...cluster, ...tls, NATS_URL: 'nats://127.0.0.1:4222' };
  const [one, other] = await Promise.all([open(await folder(), settings), open(await folder(), settings)]);
  const token = one.make('reset', link);
  assert.deepEqual(other.read('reset', token), link);
  assert.deepEqual((await open(await folder(), settings)).read('reset', token), link);
  assert.equal(warnings.length, 3);
  assert.match(warnings[0] ?? '', /set CLUSTER_SECRET/);
});
