import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ServerProcess } from '../kit/services/server-process.js';
import { newUsers } from './new-users.js';
import { load } from './running.js';

const USERS = 6;
/** Generous limits for a busy machine: these tests are not about speed. */
const PATIENT = ['--late', '20s', '--settle', '60s', '--timeout', '20s', '--for', '60s'];

let server: ServerProcess;
let users: string;

before(async () => {
  server = await ServerProcess.start({ FEDERATION_ALLOW_CIDRS: 'loopback' });
  users = await newUsers(server, 'heron', USERS);
});
after(() => server?.dispose());

test('signed posts of peers reach homes and streams once, and posts of users reach all peers that answer', async () => {
  const mix = ['--mix', 'post:2,edit:6,remote:4,deletion:2,home:1', '--count', '240', '--in-flight', '4'];
  const peers = ['--peers', 'fast:4,slow:1,dead:1', '--follows', '3'];
  const { code, result, stdout, stderr } = await load(
    users,
    server.url,
    ...[...mix, ...peers, ...PATIENT, '--max-errors', '0', '--max-late', '0'],
  );
  assert.equal(code, 0, stdout + stderr);
  assert.ok(result);
  const { operations, verdicts, looked, visibleMs } = result;
  assert.deepEqual(verdicts, { lost: 0, repeated: 0, outOfOrder: 0, late: 0 });
  assert.equal(looked.peers, 6);
  for (const name of ['post', 'edit', 'remote', 'deletion'] as const)
    assert.ok((operations[name]?.good ?? 0) > 5, name);
  // Each of four fast peers follows three of six users.
  assert.ok(visibleMs.peer.count > (operations.post?.good ?? 0), stdout);
});

test('peers that ask for pauses of a second get all posts in order, soon after each pause', async () => {
  const mix = ['--mix', 'post:3,edit:1', '--count', '16', '--in-flight', '2', '--follows', `${USERS}`];
  // Each fourth request is refused. A pause that ended half a minute late would leave posts missing at the end.
  const bound = ['--timeout', '20s', '--for', '60s', '--late', '20s', '--settle', '25s'];
  const { code, result, stdout, stderr } = await load(
    users,
    server.url,
    ...[...mix, '--peers', 'busy:2,fast:1', ...bound, '--max-errors', '0', '--max-late', '0'],
  );
  assert.equal(code, 0, stdout + stderr);
  assert.ok(result);
  assert.deepEqual(result.verdicts, { lost: 0, repeated: 0, outOfOrder: 0, late: 0 });
  assert.equal(result.looked.peers, 3);
  // The peers follow five of six users.
  assert.ok(result.visibleMs.peer.count > 5, stdout);
});

test('impossible peers are refused with 2 and one line', async () => {
  for (const [args, expected] of [
    [['--peers', 'quick:2'], /--peers takes a number, or kinds/],
    [['--peers', '5000'], /the number of peers is 5000/],
    [['--mix', 'remote'], /remote and deletion need --peers/],
    [['--mix', 'deletion', '--peers', 'dead:2'], /need --peers that answer/],
  ] as const) {
    const { code, stderr } = await load(users, server.url, ...args);
    assert.equal(code, 2, stderr);
    assert.match(stderr, expected);
  }
});

test('a server that does not accept loopback addresses from others is named as the reason', async () => {
  const strict = await ServerProcess.start();
  try {
    const strangers = await newUsers(strict, 'stork', 2);
    const { code, stderr } = await load(strangers, strict.url, '--peers', '1', '--count', '1');
    assert.equal(code, 3, stderr);
    assert.match(stderr, /the server must accept http addresses on loopback from other servers/);
  } finally {
    await strict.dispose();
  }
});
