import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ServerProcess } from '../kit/services/server-process.js';
import { type Asked, type Meddling, MeddlingProxy } from './meddling-proxy.js';
import { newUsers } from './new-users.js';
import { load, type Ran } from './running.js';

const USERS = 6;
/** The number of the post that the proxy changes. */
const CHOSEN = 5;
const none = { lost: 0, repeated: 0, outOfOrder: 0, late: 0 };

let server: ServerProcess;
let users: string;

before(async () => {
  server = await ServerProcess.start();
  users = await newUsers(server, 'wren', USERS);
});
after(() => server?.dispose());

interface Status {
  readonly content: string;
  created_at: string;
}

const isNumber = ({ content }: Status, number: number) => content.includes(`x${number}.`);

/** Loads our own server through a proxy that changes homes. */
async function withHomes(change: (homes: Status[]) => readonly Status[], ...args: readonly string[]): Promise<Ran> {
  const changed = ({ path }: Asked, json: unknown) => (path.endsWith('/home') ? change(json as Status[]) : json);
  return through({ change: changed }, ...args);
}

async function through(meddling: Meddling, ...args: readonly string[]): Promise<Ran> {
  const proxy = await MeddlingProxy.start(server.url, meddling);
  try {
    const usual = ['--mix', 'post', '--count', '20', '--for', '60s', '--in-flight', '1', '--authors', '1'];
    return await load(users, proxy.url, ...usual, '--settle', '1s', '--late', '2s', '--timeout', '20s', ...args);
  } finally {
    proxy.stop();
  }
}

function found({ result }: Ran): string[] {
  return (result?.findings ?? [])
    .map(({ verdict, place, post }) => `${verdict} x${post.split('x')[1]} ${place}`)
    .sort();
}

const followers = Array.from({ length: USERS - 1 }, (_, index) => `wren${index + 1}`);

test('a status that no home shows is lost in the home of each follower, without other findings', async () => {
  const ran = await withHomes((home) => home.filter((status) => !isNumber(status, CHOSEN)));
  assert.equal(ran.code, 1);
  const lost = found(ran).filter((one) => !one.startsWith('late'));
  assert.deepEqual(
    lost,
    followers.map((name) => `lost x${CHOSEN} home of ${name}`),
  );
  const { late, ...others } = ran.result?.verdicts ?? { late: -1 };
  assert.deepEqual(others, { lost: USERS - 1, repeated: 0, outOfOrder: 0 });
  // Two posts at a time are watched; this one may be among them.
  assert.ok(late === 0 || late === 1);
});

test('a status that homes show twice is repeated in each home', async () => {
  const ran = await withHomes((home) =>
    home.flatMap((status) => (isNumber(status, CHOSEN) ? [status, status] : [status])),
  );
  assert.equal(ran.code, 1);
  assert.deepEqual(ran.result?.verdicts, { ...none, repeated: USERS });
  assert.deepEqual(
    found(ran),
    ['wren0', ...followers].map((name) => `repeated x${CHOSEN} home of ${name}`),
  );
});

test('two swapped statuses are out of order in each home', async () => {
  const ran = await withHomes((home) => {
    const at = home.findIndex((status) => isNumber(status, CHOSEN));
    const [one, other] = [home[at - 1], home[at]];
    if (one === undefined || other === undefined || !isNumber(one, CHOSEN + 1)) return home;
    return home.with(at - 1, other).with(at, one);
  });
  assert.equal(ran.code, 1);
  assert.deepEqual(ran.result?.verdicts, { ...none, outOfOrder: USERS });
  assert.deepEqual(
    found(ran),
    ['wren0', ...followers].map((name) => `outOfOrder x${CHOSEN} home of ${name}`),
  );
});

/** Makes homes show a status only so long after it could first appear. */
function shownAfter(delayMs: (status: Status) => number): (home: Status[]) => Status[] {
  const since = new Map<string, number>();
  return (home) =>
    home.filter((status) => {
      const nowMs = performance.now();
      const first = since.get(status.content) ?? nowMs;
      since.set(status.content, first);
      return nowMs - first >= delayMs(status);
    });
}

test('a status that homes show late is late once, at the watched home', async () => {
  const tardy = shownAfter((status) => (isNumber(status, CHOSEN) ? 1_500 : 0));
  const ran = await withHomes(tardy, '--rate', '4/s', '--late', '1s', '--settle', '10s', '--max-late', '0');
  assert.equal(ran.code, 1);
  assert.deepEqual(ran.result?.verdicts, { ...none, late: 1 });
  assert.match(found(ran)[0] ?? '', /^late x5 home of wren[1-5]$/);
  assert.deepEqual(
    ran.result?.limits.filter(({ kept }) => !kept).map(({ limit }) => limit),
    ['late ≤ 0'],
  );
});

test('homes that become right after a while pass', async () => {
  const ran = await withHomes(
    shownAfter(() => 400),
    '--settle',
    '10s',
    '--late',
    '10s',
    '--max-late',
    '0',
  );
  assert.equal(ran.code, 0, ran.stdout);
  assert.deepEqual(ran.result?.verdicts, none);
  assert.ok((ran.result?.visibleMs.home.p50 ?? 0) >= 400);
});

test('posts that others push down on short pages are followed, not late', async () => {
  const args = ['--count', '60', '--authors', '6', '--in-flight', '4', '--max-late', '0'];
  const ran = await withHomes((home) => home.slice(0, 2), ...args);
  assert.equal(ran.code, 0, ran.stdout);
  assert.deepEqual(ran.result?.verdicts, none);
  assert.ok((ran.result?.visibleMs.home.count ?? 0) > 0);
});

test('a server whose clock is minutes behind has lost nothing', async () => {
  const behind = (json: unknown): unknown => {
    if (Array.isArray(json)) return json.map(behind);
    const status = json as Status;
    if (status.created_at === undefined) return json;
    return { ...status, created_at: new Date(Date.parse(status.created_at) - 300_000).toISOString() };
  };
  const ran = await through({ change: (_, json) => behind(json) }, '--count', '90');
  assert.equal(ran.code, 0, ran.stdout);
  assert.deepEqual(ran.result?.verdicts, none);
});

test('a server that ignores max_id cannot be judged, and reading it ends', async () => {
  let pages = 0;
  const deaf = ({ path, query }: Asked) => {
    if (!path.endsWith('/statuses') || query.get('max_id') === null) return undefined;
    pages += 1;
    return { status: 200, text: first };
  };
  let first = '[]';
  const change = ({ path }: Asked, json: unknown) => {
    if (path.endsWith('/statuses') && Array.isArray(json)) first = JSON.stringify(json);
    return json;
  };
  const ran = await through({ instead: deaf, change }, '--count', '60');
  assert.equal(ran.code, 1);
  assert.match(ran.result?.looked.unread.join() ?? '', /statuses of wren0: .*max_id/);
  assert.equal(ran.result?.verdicts.repeated, 0);
  assert.ok(pages < 20);
});
