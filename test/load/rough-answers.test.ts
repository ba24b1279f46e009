import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eachBounded } from '../../actors/domain/each-bounded.js';
import { FaultyServer } from './faulty-server.js';
import { type Asked, type Instead, type Meddling, MeddlingProxy } from './meddling-proxy.js';
import { load, type Ran } from './running.js';

const ACCOUNTS = 6;
/** Runs at a time. Each waits most of its time, and has a server and a proxy of its own. */
const RUNS_AT_ONCE = 4;
const HTML = '<!doctype html><title>Sign in</title>';

/** Runs a short load through a changing proxy before a server without faults. */
async function through(meddling: Meddling, ...args: readonly string[]): Promise<Ran> {
  const server = await FaultyServer.start(ACCOUNTS);
  const proxy = await MeddlingProxy.start(server.url, meddling);
  try {
    const usual = ['--mix', 'post:2,home:2,public:1,status:1,favourite:1', '--count', '200', '--in-flight', '3'];
    return await load(server.lines, proxy.url, ...usual, '--settle', '200ms', '--late', '20s', ...args);
  } finally {
    proxy.stop();
    server.stop();
  }
}

/** Replaces the answer to every so many of the matching requests. */
function oneIn(every: number, holds: (asked: Asked) => boolean, instead: Instead): Meddling {
  let count = 0;
  return { instead: (asked) => (holds(asked) && ++count % every === 0 ? instead : undefined) };
}

const isHome = ({ path }: Asked) => path === '/api/v1/timelines/home';
const isPost = ({ method, path }: Asked) => method === 'POST' && path === '/api/v1/statuses';
/** True for a post of the run, not of those before. */
const isRunsPost = (asked: Asked) => isPost(asked) && asked.body.includes('number ml');
const always = (holds: (asked: Asked) => boolean, instead: Instead) => oneIn(1, holds, instead);

test('a proxy without changes affects nothing', async () => {
  const { code, result, stdout, stderr } = await through({});
  assert.equal(code, 0, stdout + stderr);
  assert.equal(result?.total.good, 200);
});

test('an answer that is HTML, incomplete or something else is an error and ends nothing', async () => {
  const cases = [HTML, '[{"id":"1","content":', '{}', '{"id":7}'].flatMap((text) => [
    { text, holds: isHome },
    { text, holds: isRunsPost },
  ]);
  await eachBounded([...cases, { text: '[null,7]', holds: isRunsPost }], RUNS_AT_ONCE, async ({ text, holds }) => {
    const { code, result, stdout, stderr } = await through(oneIn(4, holds, { status: 200, text }), '--max-errors', '0');
    assert.equal(code, 1, stdout + stderr);
    assert.ok((result?.total.errors ?? 0) > 0, text);
    assert.equal((result?.total.good ?? 0) + (result?.total.errors ?? 0), 200, text);
    assert.equal(stderr.includes('Error'), false, stderr);
  });
});

test('a list without statuses is an error when the page is judged', async () => {
  const nonsense = always(isHome, { status: 200, text: '[null,7]' });
  const { code, result, stderr } = await through(nonsense, '--mix', 'post,home', '--max-errors', '0');
  assert.equal(code, 1, stderr);
  assert.deepEqual(Object.keys(result?.total.errorsBy ?? {}), ['no statuses']);
  assert.equal(stderr.includes('Error'), false, stderr);
});

test('an answer about something else to a favourite, a follow or a status is an error', async () => {
  const others = ({ path }: Asked) => /\/(favourite|unfavourite|follow|unfollow)$/.test(path);
  const mix = ['--mix', 'favourite,follow', '--follows', '0', '--settle', '0s'];
  await eachBounded([HTML, '{"id":"0"}'], RUNS_AT_ONCE, async (text) => {
    const { code, result } = await through(always(others, { status: 200, text }), ...mix);
    assert.deepEqual([code, result?.total.good], [1, 0], text);
  });
});

test('a nonsensical answer before the run ends it with one line and 3', async () => {
  const begun: readonly ((asked: Asked) => boolean)[] = [
    ({ path }) => path.endsWith('/verify_credentials'),
    ({ path }) => path.endsWith('/follow'),
    isPost,
  ];
  const answers: readonly Instead[] = [{ status: 200, text: HTML }, { status: 500, text: HTML }, 'close'];
  const cases = begun.flatMap((holds) => answers.map((instead) => always(holds, instead)));
  await eachBounded(cases, RUNS_AT_ONCE, async (meddling) => {
    const { code, stderr, result } = await through(meddling);
    assert.equal(code, 3, stderr);
    assert.match(stderr, /^(preparing: .*\n)*murmuration load: [^\n]*\n$/);
    assert.equal(result, undefined);
  });
});

test('requests before the run are retried when the server disconnects, sheds or limits', async () => {
  const limited = { status: 429, text: '{}', headers: { 'retry-after': '0' } };
  const answers: readonly Instead[] = ['close', { status: 503, text: HTML }, limited];
  await eachBounded(answers, RUNS_AT_ONCE, async (instead) => {
    let began = false;
    const before = (asked: Asked) => {
      began ||= isRunsPost(asked) || isHome(asked);
      return !began && !asked.path.includes('streaming');
    };
    const { code, stdout, stderr } = await through(oneIn(5, before, instead));
    assert.equal(code, 0, stdout + stderr);
  });
});

test('broken connections are errors, each by its name', async () => {
  const { code, result } = await through(oneIn(4, isHome, 'close'), '--max-errors', '0');
  assert.equal(code, 1);
  assert.deepEqual(Object.keys(result?.total.errorsBy ?? {}), ['closed']);
});

test('a server that closes each connection after its answer is loaded like others', async () => {
  const { code, result, stdout } = await through({ closing: true }, '--max-errors', '0');
  assert.equal(code, 0, stdout);
  assert.equal(result?.total.good, 200);
});

test('reaching a rate limit is reported by its status', async () => {
  const limited = { status: 429, text: '{"error":"Too many requests"}', headers: { 'retry-after': '300' } };
  const { code, result, stdout } = await through(oneIn(3, isRunsPost, limited));
  assert.equal(code, 1);
  assert.deepEqual(Object.keys(result?.operations.post?.errorsBy ?? {}), ['429']);
  assert.match(stdout, /429: .*rate limits/);
  assert.deepEqual(result?.verdicts, { lost: 0, repeated: 0, outOfOrder: 0, late: 0 });
});

test('homes that cannot be read show nothing late', async () => {
  const limited = { status: 429, text: '{}', headers: { 'retry-after': '300' } };
  let began = false;
  const instead = (asked: Asked) => {
    began ||= isRunsPost(asked);
    return began && isHome(asked) ? limited : undefined;
  };
  const { code, result } = await through(
    { instead },
    '--mix',
    'post',
    '--count',
    '20',
    '--late',
    '1s',
    '--max-late',
    '0',
  );
  assert.equal(code, 1);
  assert.deepEqual(result?.verdicts, { lost: 0, repeated: 0, outOfOrder: 0, late: 0 });
  assert.ok(result.looked.unread.length > 0);
});

test('reads after the run wait for a limiting server no longer than the settling time', async () => {
  let [homes, began] = [0, false];
  const limited = { status: 429, text: '{}', headers: { 'retry-after': '300' } };
  const instead = (asked: Asked) => {
    began ||= isRunsPost(asked);
    return began && asked.query.get('limit') === '40' && ++homes > 5 ? limited : undefined;
  };
  const started = performance.now();
  const { code, result } = await through({ instead }, '--mix', 'post', '--settle', '1s', '--late', '1s');
  assert.equal(code, 1);
  assert.ok(performance.now() - started < 30_000);
  assert.ok((result?.looked.unread.length ?? 0) > 0);
  assert.match(result?.looked.unread[0] ?? '', /429/);
});

test('a server without some endpoints is loaded through the others', async () => {
  const missing = { status: 404, text: '{"error":"Record not found"}' };
  const lacking = always(({ path }) => /streaming|notifications/.test(path), missing);
  const streams = await through(lacking);
  assert.equal(streams.code, 3);
  assert.match(streams.stderr, /stream could not be opened: 404; --streams 0/);
  const { code, result, stdout } = await through(lacking, '--streams', '0');
  assert.equal(code, 0, stdout);
  assert.equal(result?.looked.streams, 0);
  const asked = await through(lacking, '--streams', '0', '--mix', 'home,notifications,stream');
  assert.equal(asked.code, 1);
  assert.deepEqual(asked.result?.operations.stream?.errorsBy, { 404: asked.result?.operations.stream?.sent });
  assert.deepEqual(asked.result?.operations.notifications?.good, 0);
});

test('a stream that is refused with 503 and Retry-After is shed, like other requests', async () => {
  const busy = { status: 503, text: '', headers: { 'retry-after': '0' } };
  const visits = always(({ path }) => path.includes('streaming'), busy);
  const { result, stdout } = await through(visits, '--streams', '0', '--mix', 'home,stream');
  assert.equal(result?.operations.stream?.errors, 0, stdout);
  assert.equal(result?.operations.stream?.shed, result?.operations.stream?.sent);
});

test('streams are opened by servers that read the token in the address only', async () => {
  const tokens: (string | null)[] = [];
  const instead = ({ path, query }: Asked) => {
    if (path.includes('streaming')) tokens.push(query.get('access_token'));
    return undefined;
  };
  const { code } = await through({ instead }, '--streams', '3');
  assert.equal(code, 0);
  assert.deepEqual(tokens.sort(), ['token-0', 'token-1', 'token-2']);
});
