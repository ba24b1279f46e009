import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ServerProcess } from '../kit/services/server-process.js';
import { newUsers } from './new-users.js';
import { interrupted, load } from './running.js';

const USERS = 12;
/** Generous limits for a busy machine: these tests are not about speed. */
const PATIENT = ['--late', '20s', '--settle', '20s', '--timeout', '20s'];

let server: ServerProcess;
let users: string;

before(async () => {
  server = await ServerProcess.start({ FEDERATION_ALLOW_CIDRS: 'loopback' });
  users = await newUsers(server, 'bird', USERS);
});
after(() => server?.dispose());

test('a closed loop over every operation finds nothing wrong with our own server', async () => {
  const mix = 'post:4,home:4,public:2,status:2,notifications:2,favourite:2,follow:2,stream:1';
  const args = ['--mix', mix, '--in-flight', '6', '--count', '300', '--for', '60s', ...PATIENT];
  const { code, result, stdout, stderr } = await load(
    users,
    server.url,
    ...args,
    '--max-errors',
    '0',
    '--max-late',
    '0',
  );
  assert.equal(code, 0, stdout + stderr);
  assert.ok(result);
  const { operations, looked, total } = result;
  for (const [name, { good }] of Object.entries(operations)) assert.ok(good > 0, `no good ${name}`);
  assert.equal(Object.keys(operations).length, 8);
  assert.equal(total.good, total.sent);
  assert.equal(looked.posts, operations.post?.good);
  assert.ok(looked.authors > USERS / 2);
  assert.deepEqual([looked.homes, looked.streams, looked.streamsBroken], [USERS, 5, 0]);
  assert.ok(result.visibleMs.home.count > 0 && result.visibleMs.stream.count > 0);
  assert.match(stderr, /\d+\/s · \d+ good/);
});

test('each acknowledged post of a followed author gives one push', async () => {
  const args = ['--mix', 'post:2,home:1', '--count', '60', '--in-flight', '4', '--for', '60s', ...PATIENT];
  const { code, result, stdout, stderr } = await load(users, server.url, ...args, '--pushes', '4', '--max-errors', '0');
  assert.equal(code, 0, stdout + stderr);
  assert.equal(result?.looked.pushes, 4);
  assert.ok((result?.visibleMs.push.count ?? 0) > 50, stdout);
  assert.deepEqual([result?.verdicts.lost, result?.verdicts.repeated], [0, 0]);
});

test('an open loop keeps to its rate on our own server', async () => {
  const args = ['--mix', 'write', '--rate', '40/s', '--arrivals', 'poisson', '--ramp', '500ms', '--for', '3s'];
  const { code, result, stdout, stderr } = await load(users, server.url, ...args, ...PATIENT, '--authors', '3');
  assert.equal(code, 0, stdout + stderr);
  const sent = (result?.total.sent ?? 0) + (result?.total.unsent ?? 0);
  assert.ok(sent > 75 && sent < 145, `${sent} requests instead of about 110`);
  assert.equal(result?.looked.authors, 3);
});

test('streams that are cut all the time resume without a loss, a repeat or a change of order', async () => {
  const args = ['--mix', 'post:3,follow:1', '--rate', '60/s', '--for', '4s', '--streams', '8', '--cut', '400ms'];
  const { code, result, stdout, stderr } = await load(users, server.url, ...args, ...PATIENT, '--max-late', '0');
  assert.equal(code, 0, stdout + stderr);
  assert.deepEqual(result?.verdicts, { lost: 0, repeated: 0, outOfOrder: 0, late: 0 });
  assert.ok((result?.looked.streamsResumed ?? 0) > 20, stdout);
  assert.equal(result?.looked.streamsBroken, 0);
});

test('several addresses get requests in turn, and posts at one are checked at the others', async () => {
  const other = server.url.replace('127.0.0.1', 'localhost');
  const args = ['--mix', 'post,home', '--count', '60', '--in-flight', '4', '--for', '60s', ...PATIENT];
  const { code, result, stdout, stderr } = await load(users, server.url, other, ...args, '--max-errors', '0');
  assert.equal(code, 0, stdout + stderr);
  assert.deepEqual(result?.targets, [server.url, other]);
  assert.equal(result?.total.good, 60);
});

test('Ctrl-C ends a run early, and its results so far are judged', async () => {
  const args = ['--mix', 'home', '--rate', '50/s', '--for', '600s', ...PATIENT];
  const { code, result, stdout } = await interrupted(/[1-9]\d* good/, users, server.url, ...args);
  assert.equal(code, 0, stdout);
  assert.ok((result?.seconds ?? 600) < 60);
  assert.ok((result?.total.good ?? 0) > 0);
});

test('the same seed chooses the same operations', async () => {
  const counts = [];
  for (const seed of ['7', '7', '8']) {
    const args = ['--mix', 'read', '--count', '60', '--in-flight', '1', '--seed', seed, '--streams', '0', ...PATIENT];
    const { code, result } = await load(users, server.url, ...args);
    assert.equal(code, 0);
    counts.push(Object.entries(result?.operations ?? {}).map(([name, { sent }]) => `${name} ${sent}`));
  }
  assert.deepEqual(counts[0], counts[1]);
  assert.notDeepEqual(counts[0], counts[2]);
});

test('exceeded limits end with 1, and the result names them', async () => {
  const args = ['--mix', 'home', '--count', '50', '--in-flight', '2', '--max-p99', 'home=0.001ms', '--min-rate', '1/s'];
  const { code, result, stdout } = await load(users, server.url, ...args, ...PATIENT);
  assert.equal(code, 1);
  assert.deepEqual(
    result?.limits.filter(({ kept }) => !kept).map(({ limit }) => limit),
    ['p99 ≤ home=0.001ms'],
  );
  assert.match(stdout, /^FAIL p99 ≤ home=0\.001ms: /m);
});

test('an impossible plan is refused with 2 and one line, before anything is sent', async () => {
  const refusals: readonly (readonly [readonly string[], RegExp])[] = [
    [['http://0.0.0.0:1'], /not a loopback address/],
    [[server.url, '--i-own-this-server', 'other.example'], /names other\.example/],
    [[server.url, '--mix', 'poke'], /"poke"/],
    [[server.url, '--for', '2h'], /"2h"/],
    [[server.url, '--for', '7200s'], /duration/],
    [[server.url, '--rate', '1000000/s'], /the rate/],
    [[server.url, '--in-flight', 'many'], /--in-flight/],
    [[server.url, '--max-lost', 'few'], /--max-lost/],
    [[server.url, '--colour', 'red'], /unknown option '--colour'/],
    [[server.url, '--register', '5'], /either --users FILE or --register N/],
    [[], /missing required argument 'servers'/],
  ];
  for (const [args, expected] of refusals) {
    const { code, stderr } = await load(users, ...args);
    assert.equal(code, 2, args.join(' '));
    assert.match(stderr, expected);
    assert.match(stderr, /^murmuration load: .*\n$/);
  }
  const bad: readonly (readonly [string, RegExp])[] = [
    ['{"token":"a"}\nnonsense', /line 2: not JSON/],
    ['{"id":"1"}', /line 1: no token/],
    ['\n', /no users/],
  ];
  for (const [lines, expected] of bad) {
    const { code, stderr } = await load(lines, server.url);
    assert.equal(code, 2);
    assert.match(stderr, expected);
  }
});
