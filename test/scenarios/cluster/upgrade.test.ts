import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { operatorClient } from '../../../cli/operator-socket.js';
import { FORMAT } from '../../../cluster/format.js';
import type { NodeNodeStatus } from '../../../proto/gen/types.js';
import { cassandraSettings, dropKeyspace } from '../../kit/services/cassandra.js';
import { type OtherBuild, otherBuild } from '../../kit/services/other-build.js';
import { program, ServerProcess } from '../../kit/services/server-process.js';
import { until } from '../../kit/time/until.js';
import { call, makePeople, type Person } from './people.js';

const run = promisify(execFile);
const NEXT = FORMAT + 1;
/** Maximum duration of the format's rise: a read of the members, and a margin for a busy machine. */
const RISE_MS_MAX = 20_000;
const REFUSAL = new RegExp(
  `"why":"this program \\(version [^)]+\\) knows format ${FORMAT}, and the stored data have format ${NEXT} since version [^:]+: ` +
    'start that version or a later one, or restore a backup"',
);

const keyspace = `test_${randomBytes(6).toString('hex')}`;
let next: OtherBuild;
const servers: ServerProcess[] = [];

/** Bookmarks are new in the next version. */
before(async () => {
  next = await otherBuild({
    BUILD_FORMAT: NEXT,
    BUILD_SINCE: { 'conversation.bookmark': NEXT, 'conversation.bookmarked': NEXT },
  });
});

after(async () => {
  await Promise.all(servers.map((server) => server.dispose()));
  await next?.remove();
  await dropKeyspace(keyspace);
});

async function launch(settings: Readonly<Record<string, string>>, main: string): Promise<ServerProcess> {
  const server = await ServerProcess.start(settings, {}, process.execPath, main);
  servers.push(server);
  return server;
}

const statusOf = async (server: ServerProcess) =>
  (await operatorClient(server.dataDir)('status', {})) as Partial<NodeNodeStatus>;

/** Returns the HTTP status of a bookmark. */
async function bookmark(server: ServerProcess, person: Person, status: string): Promise<number> {
  const url = `${server.url}/api/v1/statuses/${status}/bookmark`;
  const response = await fetch(url, { method: 'POST', headers: { authorization: `Bearer ${person.token}` } });
  await response.text();
  return response.status;
}

async function upgrade(server: ServerProcess): Promise<void> {
  assert.equal(await server.stop(), 0);
  server.program = next.main;
  await server.restart();
}

test('a rolling upgrade writes nothing new before every node knows it, and then refuses old nodes', async () => {
  const common = {
    ...cassandraSettings(keyspace),
    NATS_URL: process.env.TEST_NATS_URL ?? '',
    CLUSTER_SECRET: randomBytes(24).toString('base64url'),
    BASE_URL: 'http://127.0.0.1',
  };
  const a = await launch({ ...common, NODE_NAME: 'a' }, program);
  const [b, c] = await Promise.all([
    launch({ ...common, NODE_NAME: 'b' }, program),
    launch({ ...common, NODE_NAME: 'c' }, next.main),
  ]);
  const [ada] = (await makePeople(a.dataDir, ['ada'])) as [Person];
  const { id } = (await call(c.url, ada, 'POST', '/api/v1/statuses', { status: 'before' })) as { id: string };
  assert.equal(await bookmark(c, ada, id), 503);
  const mixed = await statusOf(c);
  assert.deepEqual([mixed.format, mixed.activeFormat], [NEXT, FORMAT]);
  for (const [name, format] of [
    ['a', FORMAT],
    ['c', NEXT],
  ] as const) {
    assert.ok(
      mixed.members?.some((line) => line.startsWith(`${name}#`) && line.endsWith(` format ${format}`)),
      JSON.stringify(mixed.members),
    );
  }
  await upgrade(a);
  assert.equal(await bookmark(a, ada, id), 503);
  assert.equal((await statusOf(a)).activeFormat, FORMAT);

  assert.equal(await b.stop(), 0);
  await until(
    'bookmarks at both',
    async () => {
      const answers = [await bookmark(a, ada, id), await bookmark(c, ada, id)];
      return answers.every((answer) => answer === 200) || undefined;
    },
    RISE_MS_MAX,
  );
  assert.equal((await statusOf(a)).activeFormat, NEXT);

  const before = b.log.length;
  await assert.rejects(b.restart(), /the server ended with 1/);
  const said = b.log.slice(before);
  assert.match(said, REFUSAL);
  assert.doesNotMatch(said, /"err"|\n\s+at /);

  b.program = next.main;
  await b.restart();
  const bookmarks = (await call(b.url, ada, 'GET', '/api/v1/bookmarks')) as { id: string }[];
  assert.deepEqual(
    bookmarks.map((status) => status.id),
    [id],
  );
});

test('an older program refuses the folder of a newer one, as a server and as a command', async () => {
  const server = await launch({}, next.main);
  assert.equal((await statusOf(server)).activeFormat, NEXT);
  assert.equal(await server.stop(), 0);
  server.program = program;
  await assert.rejects(server.restart(), /the server ended with 1/);
  assert.match(server.log, REFUSAL);
  const words = ['account', 'create', 'ada', '--email', 'ada@example.org', '--password', 'correct horse battery'];
  const refused = (await run(process.execPath, [program, ...words, '--data-dir', server.dataDir]).catch(
    (error: unknown) => error,
  )) as { code: number; stderr: string };
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /^murmuration: this program .*\n$/);
});
