import assert from 'node:assert/strict';
import { Agent, type IncomingHttpHeaders, type RequestOptions, request } from 'node:http';
import { test } from 'node:test';
import { ServerProcess } from '../kit/services/server-process.js';
import { until } from '../kit/time/until.js';
import { call, makePeople } from './cluster/people.js';

const CLIENTS = 8;
/** Number of pieces of a slow body, one every SLOW_PIECE_MS: longer than the wait of a drain used to be. */
const SLOW_PIECES = 14;
const SLOW_PIECE_MS = 500;
const START_MS_MAX = 60_000;
/** More than the number of passwords that a node hashes at a time. */
const SIGN_UPS = 12;

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

type Send = (write: (piece: string) => void) => Promise<void>;

/** Resolves when the whole answer has arrived. @throws when the connection breaks before */
function exchange(url: string, options: RequestOptions, send: Send = async () => undefined): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, options, (response) => {
      response.once('error', reject);
      response.once('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers }));
      response.resume();
    });
    outgoing.once('error', reject);
    send((piece) => void outgoing.write(piece)).then(() => outgoing.end(), reject);
  });
}

/** Sends requests continuously over one connection until an answer closes it. Returns that answer and counts all. */
async function askUntilClosed(url: string, token: string, asked: { count: number }): Promise<Reply> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const options = { agent, headers: { authorization: `Bearer ${token}` } };
  try {
    for (;;) {
      const reply = await exchange(`${url}/api/v1/timelines/home`, options);
      assert.equal(reply.status, 200);
      asked.count += 1;
      if (reply.headers.connection === 'close') return reply;
    }
  } finally {
    agent.destroy();
  }
}

function slowPost(url: string, token: string, begun: () => void): Promise<Reply> {
  const body = JSON.stringify({ status: 'written slowly'.padEnd(SLOW_PIECES * 8, '.') });
  const size = Math.ceil(body.length / SLOW_PIECES);
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'content-length': body.length,
  };
  return exchange(`${url}/api/v1/statuses`, { method: 'POST', headers }, async (write) => {
    for (let at = 0; at < body.length; at += size) {
      write(body.slice(at, at + size));
      if (at === 0) begun();
      await new Promise((resolve) => setTimeout(resolve, SLOW_PIECE_MS));
    }
  });
}

async function post(url: string, path: string, body: object, token?: string): Promise<Response> {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
  return fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
}

async function appToken(url: string): Promise<string> {
  const app = { client_name: 'drained', redirect_uris: 'urn:ietf:wg:oauth:2.0:oob', scopes: 'read write' };
  const { client_id, client_secret } = (await (await post(url, '/api/v1/apps', app)).json()) as Record<string, string>;
  const asked = { grant_type: 'client_credentials', client_id, client_secret, scope: 'read write' };
  const { access_token = '' } = (await (await post(url, '/oauth/token', asked)).json()) as Record<string, string>;
  return access_token;
}

test('sign-ups under way at SIGTERM go through, and their accounts are there afterwards', async () => {
  const server = await ServerProcess.start({ REGISTRATIONS: 'open' });
  try {
    const app = await appToken(server.url);
    const bodyOf = (name: string) => ({
      ...{ username: name, email: `${name}@example.org`, password: 'correct horse battery', agreement: true },
      locale: 'en',
    });
    const names = Array.from({ length: SIGN_UPS }, (_, n) => `newcomer${n}`);
    let answered = 0;
    const asked = names.map(async (name) => {
      const response = await post(server.url, '/api/v1/accounts', bodyOf(name), app);
      answered += 1;
      return { status: response.status, ...((await response.json()) as { access_token?: string; error?: string }) };
    });
    const everything = Promise.all(asked);
    everything.catch(() => undefined);
    // Passwords are hashed a few at a time: the others are in progress then.
    await until('the first is answered', () => answered > 0 || undefined, START_MS_MAX);
    assert.ok(answered < SIGN_UPS);
    const ended = server.stop();
    const replies = await everything;
    for (const { status, error } of replies) assert.equal(status, 200, error);
    assert.equal(await ended, 0, server.log);
    await server.restart();
    for (const [n, { access_token = '' }] of replies.entries()) {
      const headers = { authorization: `Bearer ${access_token}` };
      const found = await fetch(`${server.url}/api/v1/accounts/verify_credentials`, { headers });
      const { username } = (await found.json()) as { username: string };
      assert.deepEqual([found.status, username], [200, names[n]]);
    }
    const again = await post(server.url, '/api/v1/accounts', bodyOf('newcomer0'), app);
    assert.equal(again.status, 422);
  } finally {
    await server.dispose();
  }
});

test('SIGTERM, received twice, aborts no request: slow ones are answered, idle connections are closed by an answer', async () => {
  const server = await ServerProcess.start({ LOG_LEVEL: 'info' });
  try {
    const [alice] = await makePeople(server.dataDir, ['alice']);
    assert.ok(alice !== undefined);
    const { token } = alice;
    const asked = { count: 0 };
    const kept = Array.from({ length: CLIENTS }, () => askUntilClosed(server.url, token, asked));
    let begun = 0;
    const slow = Array.from({ length: CLIENTS }, () => slowPost(server.url, token, () => (begun += 1)));
    const everything = Promise.all([...kept, ...slow]);
    // A rejection before the await must not end the test process.
    everything.catch(() => undefined);
    const busy = () => (begun === CLIENTS && asked.count > 10 * CLIENTS) || undefined;
    await until('requests are in flight', busy, START_MS_MAX);
    process.kill(server.pid, 'SIGTERM');
    const ended = server.stop();
    const replies = await everything;
    for (const { status, headers } of replies) assert.deepEqual([status, headers.connection], [200, 'close']);
    assert.equal(await ended, 0, server.log);
    await server.restart();
    const home = (await call(server.url, alice, 'GET', '/api/v1/timelines/home')) as object[];
    assert.equal(home.length, CLIENTS);
  } finally {
    await server.dispose();
  }
});
