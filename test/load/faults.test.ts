import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Faults, FaultyServer } from './faulty-server.js';
import { load, type Ran } from './running.js';

const ACCOUNTS = 8;

/** Runs a short load against a server with these faults. */
async function against(faults: Faults, ...args: readonly string[]): Promise<Ran> {
  const server = await FaultyServer.start(ACCOUNTS, faults);
  try {
    const usual = [
      '--mix',
      'post:3,home:2',
      '--count',
      '300',
      '--for',
      '10s',
      '--in-flight',
      '3',
      '--settle',
      '300ms',
      '--late',
      '1s',
    ];
    return await load(server.lines, server.url, ...usual, ...args);
  } finally {
    server.stop();
  }
}

test('a server without faults passes', async () => {
  const { code, result, stdout } = await against({}, '--for', '60s', '--late', '20s', '--settle', '20s');
  assert.equal(code, 0, stdout);
  assert.deepEqual(result?.verdicts, { lost: 0, repeated: 0, outOfOrder: 0, late: 0 });
  assert.equal(result?.total.sent, 300);
  assert.equal(result?.total.good, 300);
  assert.ok((result?.visibleMs.home.count ?? 0) > 0);
  assert.ok((result?.visibleMs.stream.count ?? 0) > 0);
});

test('an acknowledged post that is nowhere is reported as lost', async () => {
  const { code, result } = await against({ loseEach: 20 });
  assert.equal(code, 1);
  assert.ok((result?.verdicts.lost ?? 0) > 0);
  const places = result?.findings.filter(({ verdict }) => verdict === 'lost').map(({ place }) => place.split(' ')[0]);
  assert.ok(places?.includes('statuses') && places.includes('home'));
});

test('a post that is stored but never delivered is reported as lost', async () => {
  const { code, result } = await against({ loseInHomesEach: 20 }, '--late', '1s');
  assert.equal(code, 1);
  const lost = result?.findings.filter(({ verdict }) => verdict === 'lost') ?? [];
  assert.ok(lost.length > 0 && lost.every(({ place }) => place.startsWith('home')));
});

test('a limit of lost posts can be set', async () => {
  assert.equal((await against({ loseEach: 50 }, '--max-lost', '100000')).code, 0);
});

test('a post that was stored twice is reported as repeated', async () => {
  const { code, result } = await against({ repeatEach: 20 });
  assert.equal(code, 1);
  assert.ok((result?.verdicts.repeated ?? 0) > 0);
  assert.equal(result?.verdicts.lost, 0);
});

test('a post that was streamed twice is reported as repeated', async () => {
  const { code, result } = await against({ repeatInStreamsEach: 20 });
  assert.equal(code, 1);
  assert.ok((result?.verdicts.repeated ?? 0) > 0);
  const repeated = result?.findings.filter(({ verdict }) => verdict === 'repeated');
  assert.ok(repeated?.every(({ place }) => place.startsWith('stream')));
});

test('a post that a resumed stream sends again is reported as repeated', async () => {
  const cut = ['--cut', '300ms', '--rate', '100/s', '--late', '20s'];
  const { code, result } = await against({ repeatsAfterResumes: true }, ...cut);
  assert.equal(code, 1);
  assert.ok((result?.looked.streamsResumed ?? 0) > 0);
  assert.ok((result?.verdicts.repeated ?? 0) > 0);
});

test('a stream without positions is not cut', async () => {
  const { code, result, stdout } = await against({}, '--cut', '100ms', '--late', '20s', '--settle', '20s');
  assert.equal(code, 0, stdout);
  assert.deepEqual([result?.looked.streamsResumed, result?.looked.streamsBroken], [0, 0]);
});

test('a post below older ones of its author is reported as out of order', async () => {
  const { code, result } = await against({ misplaceEach: 25 });
  assert.equal(code, 1);
  assert.ok((result?.verdicts.outOfOrder ?? 0) > 0);
  assert.equal(result?.verdicts.repeated, 0);
});

test('a post that was streamed after newer ones of its author is reported as out of order', async () => {
  const { code, result } = await against({ misplaceInStreamsEach: 7 }, '--authors', '1', '--in-flight', '1');
  assert.equal(code, 1);
  assert.ok((result?.verdicts.outOfOrder ?? 0) > 0);
  assert.ok(result?.findings.some(({ verdict, place }) => verdict === 'outOfOrder' && place.startsWith('stream')));
});

test('older posts that streams send after a follow during the run are not out of order', async () => {
  const { code, result, stdout } = await against(
    { catchesUpAfterFollows: true },
    ...['--mix', 'post:5,follow:1', '--follows', '3', '--streams', '8', '--late', '20s', '--settle', '20s'],
  );
  assert.equal(code, 0, stdout);
  assert.ok((result?.operations.follow?.good ?? 0) > 0);
  assert.deepEqual(result?.verdicts, { lost: 0, repeated: 0, outOfOrder: 0, late: 0 });
});

test('posts that homes show after the limit are late, which fails the run only if requested', async () => {
  const tardy = { homeDelayMs: 120 };
  const told = await against(tardy, '--late', '60ms', '--settle', '20s');
  assert.equal(told.code, 0, told.stdout);
  assert.ok((told.result?.verdicts.late ?? 0) > 0);
  const asked = await against(tardy, '--late', '60ms', '--settle', '20s', '--max-late', '0');
  assert.equal(asked.code, 1);
  const timed = await against(tardy, '--max-visible-p99', '100ms');
  assert.equal(timed.code, 1);
  assert.ok((timed.result?.visibleMs.home.p99 ?? 0) > 100);
});

test('posts that were streamed after the limit are late', async () => {
  const { code, result } = await against({ streamDelayMs: 150 }, '--late', '100ms', '--max-late', '0');
  assert.equal(code, 1);
  assert.ok(result?.findings.some(({ verdict, place }) => verdict === 'late' && place.startsWith('stream')));
});

test('streams that break off are errors', async () => {
  const { result } = await against({ breakStreamsAfterMs: 600 }, '--rate', '100/s', '--max-errors', '0');
  assert.equal(result?.looked.streamsBroken, 5);
  assert.equal(result?.operations.stream?.errorsBy['broke off'], 5);
  assert.equal(result?.passed, false);
});

test('503 with Retry-After is counted separately from errors, and may have its own limit', async () => {
  const shed = await against({ shedEach: 5 }, '--max-errors', '0');
  assert.equal(shed.code, 0, shed.stdout);
  assert.ok((shed.result?.operations.home?.shed ?? 0) > 0);
  assert.equal(shed.result?.total.errors, 0);
  assert.equal((await against({ shedEach: 5 }, '--max-shed', 'home=1%')).code, 1);
});

test('errors above the allowed share of an operation fail the run', async () => {
  const failing = await against({ failEach: 5 });
  assert.equal(failing.code, 1);
  assert.ok((failing.result?.operations.home?.errorsBy['500'] ?? 0) > 0);
  assert.equal((await against({ failEach: 5 }, '--max-errors', 'post=0%,home=50%')).code, 0);
});

test('redirects are errors, and their targets get no requests', async () => {
  const elsewhere = await FaultyServer.start(1);
  try {
    const { code, result } = await against({ redirectTo: `${elsewhere.url}/api/v1/timelines/public` });
    assert.equal(code, 1);
    assert.ok((result?.operations.home?.errorsBy['302'] ?? 0) > 0);
    assert.ok((result?.looked.unread.length ?? 0) > 0);
    assert.equal(elsewhere.requests, 0);
  } finally {
    elsewhere.stop();
  }
});

test('timeouts are errors, and the time waited counts as latency', async () => {
  // Long enough for the requests before the run on any machine.
  const impatient = ['--timeout', '3s', '--for', '1s', '--mix', 'home', '--sample', '0', '--streams', '0'];
  const { code, result } = await against({ homeMs: 60_000 }, ...impatient);
  assert.equal(code, 1);
  assert.equal(result?.total.good, 0);
  assert.ok((result?.total.errorsBy.timeout ?? 0) >= 3);
  assert.ok((result?.total.latencyMs.p50 ?? 0) >= 2_900);
});

test('in an open loop a slow server increases latency with the queue, and does not reduce the load', async () => {
  const paced = ['--mix', 'home', '--rate', '100/s', '--in-flight', '1', '--for', '1s', '--count', '100000'];
  const { result } = await against({ homeMs: 30 }, ...paced, '--follows', '1', '--streams', '0');
  // One request at a time allows a third of the rate: the others wait, and are counted as unsent.
  assert.ok((result?.total.latencyMs.p99 ?? 0) > 300);
  assert.ok((result?.total.unsent ?? 0) > 30);
  assert.equal((result?.total.unsent ?? 0) + (result?.total.sent ?? 0), 100);
});

test('users sign up by the API where the server lets them', async () => {
  const server = await FaultyServer.start(0);
  const closed = await FaultyServer.start(0, { closed: true });
  try {
    const run = ['--count', '20', '--for', '60s', '--in-flight', '2'];
    const { code, result, stdout, stderr } = await load(undefined, server.url, '--register', '4', ...run);
    assert.equal(code, 0, stdout + stderr);
    assert.equal(result?.users, 4);
    assert.equal(server.accounts.size, 4);
    const refused = await load(undefined, closed.url, '--register', '4', ...run);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /\/api\/v1\/accounts: answered with 403/);
  } finally {
    server.stop();
    closed.stop();
  }
});

test('a missing server, or an unknown token, is reported in one line', async () => {
  const server = await FaultyServer.start(1);
  const { url } = server;
  const unknown = await load('{"token":"nobody"}', url);
  assert.equal(unknown.code, 2);
  assert.match(unknown.stderr, /^murmuration load: .*401.*\n$/);
  server.stop();
  const gone = await load('{"token":"token-0"}', url);
  assert.equal(gone.code, 3);
  assert.match(gone.stderr, /^murmuration load: .*\n$/);
});
