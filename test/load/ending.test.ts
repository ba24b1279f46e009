import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FaultyServer } from './faulty-server.js';
import { type Meddling, MeddlingProxy } from './meddling-proxy.js';
import { interrupted, load, type Ran } from './running.js';

const ACCOUNTS = 16;
/** Maximum duration of these runs on a busy machine, far below their duration without an end. */
const ENDED_MS_MAX = 60_000;

/** Runs a load through the proxy. @param moment of the progress, at which a SIGINT is sent */
async function through(meddling: Meddling, moment: RegExp | undefined, ...args: readonly string[]): Promise<Ran> {
  const server = await FaultyServer.start(ACCOUNTS);
  const proxy = await MeddlingProxy.start(server.url, meddling);
  const begun = performance.now();
  const all = [proxy.url, '--settle', '500ms', '--late', '3s', '--timeout', '2s', '--follows', '2', ...args];
  try {
    const ran = await (moment === undefined ? load(server.lines, ...all) : interrupted(moment, server.lines, ...all));
    assert.ok(performance.now() - begun < ENDED_MS_MAX, ran.stderr);
    return ran;
  } finally {
    proxy.stop();
    server.stop();
  }
}

/** Makes the server hang after so many requests. */
function hangsAfter(requests: number): Meddling {
  let count = 0;
  return { instead: () => (++count > requests ? 'hang' : undefined) };
}

test('a run against a server that hangs ends in time, and reports unread places', async () => {
  for (const pace of [
    ['--in-flight', '4'],
    ['--rate', '200/s'],
  ]) {
    const { code, result, report } = await through(
      hangsAfter(150),
      undefined,
      '--for',
      '2s',
      '--mix',
      'post,home',
      ...pace,
    );
    assert.equal(code, 1);
    assert.ok((result?.seconds ?? 0) < 30);
    assert.ok((result?.total.errorsBy.timeout ?? 0) > 0);
    assert.match(result?.looked.unread.join('\n') ?? '', /timeout\n.*more: not read/);
    assert.ok(report?.includes('</html>'));
  }
});

test('a server that hangs before the run ends it with 3', async () => {
  const { code, stderr, result } = await through(hangsAfter(3), undefined);
  assert.equal(code, 3);
  assert.match(stderr, /murmuration load: .*timeout\n$/);
  assert.equal(result, undefined);
});

test('reaching the count ends a run whose ramp has senders still waiting', async () => {
  const args = ['--count', '40', '--in-flight', '100', '--ramp', '500s', '--for', '600s', '--mix', 'home'];
  const { code, result } = await through({}, undefined, ...args);
  assert.equal(code, 0);
  assert.equal(result?.total.sent, 40);
  assert.equal(result?.interrupted, false);
});

test('Ctrl-C before the run ends it with 3, however the server hangs', async () => {
  const hanging = {
    instead: ({ path }: { path: string }) => (path.endsWith('/follow') ? ('hang' as const) : undefined),
  };
  const { code, stderr, result } = await through(hanging, /preparing/, '--timeout', '8s');
  assert.equal(code, 3);
  assert.match(stderr, /murmuration load: .*\n$/);
  assert.equal(result, undefined);
});

test('Ctrl-C ends a ramp and an open loop of rare requests with a report that says so', async () => {
  for (const pace of [
    ['--in-flight', '500', '--ramp', '590s'],
    ['--rate', '0.02/s'],
  ]) {
    const { code, result, report, stdout } = await through(
      {},
      /[1-9]\d* good/,
      '--for',
      '600s',
      '--mix',
      'home',
      ...pace,
    );
    assert.equal(code, 0, stdout);
    assert.equal(result?.interrupted, true);
    assert.match(stdout, /interrupted/);
    assert.match(report ?? '', /interrupted/);
  }
});

test('Ctrl-C during the final check ends it: missing posts are reported at once', async () => {
  const hidden = ({ path }: { path: string }, json: unknown) =>
    path === '/api/v1/timelines/home' && Array.isArray(json) ? [] : json;
  const args = ['--count', '20', '--mix', 'post', '--settle', '600s', '--late', '1s', '--streams', '0'];
  const { code, result } = await through({ change: hidden }, /looking/, ...args);
  assert.equal(code, 1);
  assert.equal(result?.interrupted, true);
  assert.ok((result?.verdicts.lost ?? 0) >= 20);
});

test('files that cannot be written are refused before anything is sent', async () => {
  const server = await FaultyServer.start(ACCOUNTS);
  try {
    for (const option of ['--json', '--report']) {
      const { code, stderr } = await load(server.lines, server.url, option, '/proc/nowhere/file');
      assert.equal(code, 2);
      assert.match(stderr, /^murmuration load: \/proc\/nowhere\/file cannot be written: .*\n$/);
    }
    assert.equal(server.requests, 0);
  } finally {
    server.stop();
  }
});
