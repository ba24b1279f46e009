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
/** Number of sign-ups in flight: more than the number of passwords that a node hashes at a time. */
const SIGN_UPS = 12;

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

type Send = (write: (piece: string) => void) => Promise<void>;

/** Resolves when the whole answer has arrived. @throws when the connection breaks before */
function exchange(url: string, options: RequestOptions, send: Send = async () => undefined): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, options, (response) => {
      let body = '';
      response.once('error', reject);
      response.on('data', (piece) => (body += piece));
      response.once('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
      response.setEncoding('utf8');
    });
    outgoing.once('error', reject);
    send((piece) => void outgoing.write(piece)).then(() => outgoing.end(), reject);
  });
}

/** Sends requests continuously over one connection until an answer closes it. Returns that answer. */
async function askUntilClosed(ask: (agent: Agent) => Promise<Reply>): Promise<Reply> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    for (;;) {
      const reply = await ask(agent);
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

function postJson(url: string, body: object, { agent, token }: { agent?: Agent; token?: string } = {}): Promise<Reply> {
  const text = JSON.stringify(body);
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...(token && { authorization: `Bearer ${token}` }),
  };
  return exchange(url, { ...(agent && { agent }), method: 'POST', headers }, async (write) => write(text));
}

async function appToken(url: string): Promise<string> {
  const app = { client_name: 'drained', redirect_uris: 'urn:ietf:wg:oauth:2.0:oob', scopes: 'read write' };
  const { client_id, client_secret } = JSON.parse((await postJson(`${url}/api/v1/apps`, app)).body);
  const asked = { grant_type: 'client_credentials', client_id, client_secret, scope: 'read write' };
  return JSON.parse((await postJson(`${url}/oauth/token`, asked)).body).access_token;
}

function signUp(url: string, username: string, options: { agent?: Agent; token: string }): Promise<Reply> {
  const person = { username, email: `${username}@example.org`, password: 'correct horse battery' };
  return postJson(`${url}/api/v1/accounts`, { ...person, agreement: true, locale: 'en' }, options);
}

test('sign-ups under way at SIGTERM go through, and their accounts are there afterwards', async () => {
  const server = await ServerProcess.start({ REGISTRATIONS: 'open' });
  try {
    const token = await appToken(server.url);
    const accessTokens = new Map<string, string>();
    let asked = 0;
    const signUpNext = async (agent: Agent): Promise<Reply> => {
      const username = `newcomer${asked++}`;
      const reply = await signUp(server.url, username, { agent, token });
      assert.equal(reply.status, 200, reply.body);
      accessTokens.set(username, JSON.parse(reply.body).access_token);
      return reply;
    };
    const everything = Promise.all(Array.from({ length: SIGN_UPS }, () => askUntilClosed(signUpNext)));
    everything.catch(() => undefined);
    await until('the first is answered', () => accessTokens.size > 0 || undefined, START_MS_MAX);
    const ended = server.stop();
    await everything;
    assert.equal(await ended, 0, server.log);
    assert.equal(accessTokens.size, asked);
    await server.restart();
    for (const [name, accessToken] of accessTokens) {
      const headers = { authorization: `Bearer ${accessToken}` };
      const found = await exchange(`${server.url}/api/v1/accounts/verify_credentials`, { headers });
      assert.deepEqual([found.status, JSON.parse(found.body).username], [200, name]);
    }
    assert.equal((await signUp(server.url, 'newcomer0', { token })).status, 422);
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
    let asked = 0;
    const askOnce = async (agent: Agent): Promise<Reply> => {
      const options = { agent, headers: { authorization: `Bearer ${token}` } };
      const reply = await exchange(`${server.url}/api/v1/timelines/home`, options);
      assert.equal(reply.status, 200);
      asked += 1;
      return reply;
    };
    const kept = Array.from({ length: CLIENTS }, () => askUntilClosed(askOnce));
    let begun = 0;
    const slow = Array.from({ length: CLIENTS }, () => slowPost(server.url, token, () => (begun += 1)));
    const everything = Promise.all([...kept, ...slow]);
    // A rejection before the await must not end the test process.
    everything.catch(() => undefined);
    const busy = () => (begun === CLIENTS && asked > 10 * CLIENTS) || undefined;
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
