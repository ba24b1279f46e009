import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { defaultLimits } from '../../actors/runtime/limits.js';
import { allStatuses } from '../kit/network/posting-load.js';
import { ServerProcess } from '../kit/services/server-process.js';
import { until } from '../kit/time/until.js';
import { call, makePeople, type Person } from './cluster/people.js';

const run = promisify(execFile);
/** Bytes that the store's file may still grow before the disk is full. */
const ROOM_BYTES = 1 * 2 ** 20;
const POSTS_MAX = 3_000;
/** Posts sent at a time, so that the last accepted and the first refused ones are concurrent. */
const AT_A_TIME = 16;
const PAGES_MAX = 200;
/** A reply waits this long for the rows of its post (ADR 4). */
const PATIENCE_MS = defaultLimits.patienceMs;
/** Timeout of effects that met the full disk: they are retried with growing pauses. */
const CATCH_UP_MS_MAX = 120_000;

let server: ServerProcess;
let ada: Person;
before(async () => {
  server = await ServerProcess.start();
  [ada] = (await makePeople(server.dataDir, ['ada'])) as [Person];
});
after(() => server?.dispose());

/**
 * Limits the size of the server's files, which looks like a full disk to a store. Node ignores SIGXFSZ, so writes fail.
 */
const limitFiles = (bytes: number | 'unlimited') =>
  run('prlimit', ['--pid', `${server.pid}`, `--fsize=${bytes}:unlimited`]);

async function largestFile(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true });
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
  return Math.max(...sizes);
}

interface Answer {
  readonly number: number;
  readonly status: number;
  readonly id: string;
  readonly retryAfter: string | null;
  readonly beganMs: number;
  readonly endedMs: number;
}

async function post(number: number): Promise<Answer> {
  const beganMs = performance.now();
  const response = await fetch(`${server.url}/api/v1/statuses`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${ada.token}`,
      'content-type': 'application/json',
      'idempotency-key': `k${number}`,
    },
    body: JSON.stringify({ status: `post ${number} ${'x'.repeat(450)}` }),
  });
  const body = (await response.json()) as { id?: string };
  const retryAfter = response.headers.get('retry-after');
  return { number, status: response.status, id: body.id ?? '', retryAfter, beganMs, endedMs: performance.now() };
}

const own = () => allStatuses(server.url, `/api/v1/accounts/${ada.id}/statuses`, ada.token, PAGES_MAX);

test('on a full disk posts get 503 and reads continue; with space again all posts are there and posting works', async () => {
  const accepted: Answer[] = [await post(-1)];
  await limitFiles((await largestFile(server.dataDir)) + ROOM_BYTES);
  const refused: Awaited<ReturnType<typeof post>>[] = [];
  for (let first = 0; first < POSTS_MAX && refused.length === 0; first += AT_A_TIME) {
    const answers = await Promise.all(Array.from({ length: AT_A_TIME }, (_, index) => post(first + index)));
    accepted.push(...answers.filter((answer) => answer.status === 200));
    refused.push(...answers.filter((answer) => answer.status !== 200));
  }
  assert.ok(refused.length > 0, 'the disk never became full');
  for (const answer of refused) {
    assert.equal(answer.status, 503);
    assert.match(answer.retryAfter ?? '', /^\d+$/);
  }
  assert.match(server.log, /the store cannot write/);
  const pid = server.pid;

  const verified = (await call(server.url, ada, 'GET', '/api/v1/accounts/verify_credentials')) as { id: string };
  assert.equal(verified.id, ada.id);
  const home = (await call(server.url, ada, 'GET', '/api/v1/timelines/home')) as unknown[];
  assert.equal(home.length, 20);
  // An acknowledged post is in the journal. Its reply waits until its rows can be read, but not for longer than the
  // patience. So a post that cannot be read was acknowledged after a reply had waited that long for the full disk.
  const taken = accepted.map(({ id }) => id);
  const outOfPatience = accepted.filter(({ beganMs, endedMs }) => endedMs - beganMs >= PATIENCE_MS);
  const firstLateMs = Math.min(...outOfPatience.map(({ endedMs }) => endedMs));
  const late = missing(taken, await own());
  const tooSoon = accepted.filter(({ id, endedMs }) => late.includes(id) && endedMs < firstLateMs);
  assert.deepEqual(tooSoon, [], 'posts that were acknowledged at once and cannot be read');
  assert.ok(late.length <= 2 * AT_A_TIME, `${late.length} acknowledged posts cannot be read`);

  await limitFiles('unlimited');
  await until(
    'every acknowledged post in the list once there is space',
    async () => missing(taken, await own()).length === 0 || undefined,
    CATCH_UP_MS_MAX,
  );
  // The client retries under its key: refused posts are created now, and only once.
  for (const answer of refused) {
    const again = await post(answer.number);
    assert.equal(again.status, 200);
    taken.push(again.id);
  }
  assert.equal(server.pid, pid);
  const kept = await own();
  assert.deepEqual(kept.map((status) => status.id).sort(), [...new Set(taken)].sort(), 'all of it and nothing else');
  assert.equal(new Set(kept.map((status) => status.text)).size, kept.length, 'nothing twice');

  assert.equal(await server.stop(), 0);
  await server.restart();
  assert.deepEqual(await own(), kept);
});

const missing = (ids: readonly string[], found: readonly { id: string }[]) => {
  const there = new Set(found.map((status) => status.id));
  return ids.filter((id) => !there.has(id));
};
