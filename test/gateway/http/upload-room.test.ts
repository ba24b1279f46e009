import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { after, before, test } from 'node:test';
import { UPLOADS_BYTES_MAX, UPLOADS_OF_ACCOUNT_BYTES_MAX } from '../../../gateway/http/request/body-reader.js';
import { json, route } from '../../../gateway/http/route.js';
import { ALICE, account, BOB, GatewayFixture } from './gateway-fixture.js';

const MB = 1_000_000;
const BOUNDARY = 'boundary';
const TYPE = `multipart/form-data; boundary=${BOUNDARY}`;
/** Size of a film, of which one account gets one at a time. */
const FILM = 100 * MB;
/** Repeats of a refused upload whose answer was lost. */
const SENDS_MAX = 20;
const BROKEN_OFF = new Set(['EPIPE', 'ECONNRESET']);
const FILMS_OF_ALL = Math.floor(UPLOADS_BYTES_MAX / FILM);

let gateway: GatewayFixture;
before(async () => {
  const upload = route({
    method: 'POST',
    path: '/upload',
    auth: 'user',
    scope: 'write:media',
    multipartBytesMax: FILM,
    handle: async () => json({ done: true }),
  });
  gateway = await new GatewayFixture().start([upload]);
  for (const [id, token] of [
    [ALICE, 'alice'],
    [BOB, 'bob'],
  ] as const) {
    await gateway.giveAccount(account(id));
    await gateway.giveToken(token, { accountId: id, scopes: ['write'] });
  }
});
after(() => gateway?.stop());

function open(token: string, headers: Record<string, string>): ClientRequest {
  const authorization = `Bearer ${token}`;
  const sent = request(`${gateway.url}/upload`, {
    method: 'POST',
    headers: { authorization, 'content-type': TYPE, ...headers },
  });
  sent.on('error', () => undefined);
  sent.flushHeaders();
  return sent;
}

async function statusOf(sent: ClientRequest): Promise<number> {
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.resume();
  await once(answer, 'end');
  return answer.statusCode ?? 0;
}

/**
 * Sends a whole upload. The server closes a refused one, and a client that is still sending may then lose the answer.
 */
async function send(token: string, bytes: number, chunked = false): Promise<number> {
  for (let tries = 1; ; tries++) {
    try {
      return await sendOnce(token, bytes, chunked);
    } catch (error) {
      if (tries === SENDS_MAX || !BROKEN_OFF.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }
}

function sendOnce(token: string, bytes: number, chunked: boolean): Promise<number> {
  const head = Buffer.from(`--${BOUNDARY}\r\ncontent-disposition: form-data; name="a"; filename="a"\r\n\r\n`);
  const tail = Buffer.from(`\r\n--${BOUNDARY}--\r\n`);
  const length = { 'content-length': String(head.length + bytes + tail.length) };
  const sent = open(token, chunked ? { 'transfer-encoding': 'chunked' } : length);
  const status = statusOf(sent);
  sent.write(head);
  for (let left = bytes; left > 0; left -= MB) sent.write(Buffer.alloc(Math.min(MB, left)));
  sent.end(tail);
  return status;
}

/** Announces a film and sends its first byte: it occupies its room until it is aborted. */
async function hold(token: string): Promise<() => Promise<void>> {
  const sent = open(token, { 'content-length': String(FILM) });
  sent.write('-');
  return async () => {
    sent.destroy();
    await new Promise((resolve) => void sent.once('close', resolve));
  };
}

/** Repeats a request until it gets this status: the server notices another connection's begin or end a moment later. */
async function becomes(status: number, ask: () => Promise<number>): Promise<void> {
  for (let tries = 1; tries < 50; tries++) if ((await ask()) === status) return;
  assert.equal(await ask(), status);
}

test('one account does not use up the room that uploads of others need', async () => {
  assert.ok(FILM <= UPLOADS_OF_ACCOUNT_BYTES_MAX && 2 * FILM > UPLOADS_OF_ACCOUNT_BYTES_MAX);
  const held = await hold('alice');
  await becomes(429, () => send('alice', 40 * MB));
  const more = await Promise.all(Array.from({ length: FILMS_OF_ALL }, () => hold('alice')));
  assert.equal(await send('alice', MB), 200, 'the rest of the share');
  assert.equal(await send('alice', 40 * MB, true), 429, 'a body without a length, too');
  assert.equal(await send('bob', 90 * MB), 200);
  assert.equal(await send('bob', 90 * MB, true), 200);
  await Promise.all([held, ...more].map((release) => release()));
  await becomes(200, () => send('alice', 90 * MB));
});

test('an upload without a token occupies room only until it is refused', async () => {
  const strangers = await Promise.all(Array.from({ length: 2 * FILMS_OF_ALL }, () => hold('nobody')));
  await becomes(200, () => send('bob', 90 * MB));
  await Promise.all(strangers.map((release) => release()));
});

test('bodies without a length occupy room as they grow, so that many small ones fit', async () => {
  const statuses = await Promise.all(Array.from({ length: 10 }, () => send('alice', MB, true)));
  assert.deepEqual([...new Set(statuses)], [200]);
});
