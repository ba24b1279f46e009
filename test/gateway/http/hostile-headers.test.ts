import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, test } from 'node:test';
import { urlOf } from '../../kit/network/sockets.js';
import { TestServer } from '../../kit/services/server.js';

/** CPU time of the whole process, server and client, for one request. */
const CPU_MS_MAX = 60;
/** Measurements: other work of the process may disturb one, but not all. */
const TRIES_MAX = 4;
/** Together with the other headers just below the limit of all headers. */
const VALUE_CHARS = 14_000;

/** Headers that the server parses. */
const HEADERS = [
  ...['sec-websocket-protocol', 'sec-websocket-extensions', 'authorization', 'content-type', 'cookie', 'range'],
  ...['x-forwarded-for', 'idempotency-key', 'if-none-match', 'last-event-id', 'origin', 'accept', 'accept-language'],
];
/** Texts on which a pattern with two ways to match takes quadratic time. */
const PIECES = [
  ' ',
  ',',
  ', ',
  ';',
  '; ',
  ':',
  '::',
  '/',
  '"',
  '=',
  '%',
  '0',
  '1.',
  '[',
  '\\',
  '-',
  'a b',
  'a,',
  '@',
  '?',
];

let server: TestServer;
let token: string;
before(async () => {
  server = await TestServer.start();
  token = (await server.person('ada')).token;
});
after(() => server?.stop());

/** Returns the status, 0 if the connection was closed without an answer. */
function send(path: string, headers: Readonly<Record<string, string>>): Promise<number> {
  return new Promise((resolve) => {
    const sent = request(urlOf(server) + path, { headers, agent: false }, (answer) => {
      answer.destroy();
      resolve(answer.statusCode ?? 0);
    });
    sent.on('upgrade', (answer, socket) => {
      socket.destroy();
      resolve(answer.statusCode ?? 0);
    });
    sent.on('error', () => resolve(0));
    sent.end();
  });
}

async function cpuMs(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** Returns the shortest of several measurements, as soon as one is short enough. */
async function leastCpuMs(work: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < TRIES_MAX && least > CPU_MS_MAX; tries++) least = Math.min(least, await cpuMs(work));
  return least;
}

const UPGRADE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

test('no header takes time quadratic in its length', async () => {
  const slow: string[] = [];
  for (const header of HEADERS)
    for (const piece of PIECES) {
      const value = `a${piece.repeat(Math.floor(VALUE_CHARS / piece.length))}b`;
      for (const [path, more] of [
        ['/api/v1/streaming', UPGRADE],
        ['/api/v1/accounts/verify_credentials', { authorization: `Bearer ${token}` }],
        ['/auth/sign_in', {}],
      ] as const) {
        const ms = await leastCpuMs(() => send(path, { ...more, [header]: value }));
        if (ms > CPU_MS_MAX) slow.push(`${path} ${header} ${JSON.stringify(piece)}: ${ms.toFixed(0)} ms`);
      }
    }
  assert.deepEqual(slow, []);
});

test('no search takes time quadratic in its length', async () => {
  const slow: string[] = [];
  for (const start of ['', '@', '#', '"', `${server.node.services.instance.baseUrl}/`])
    for (const piece of [...PIECES, '\n', '?\n', '-a ', '" ', '@a.', '#a·']) {
      const q = `${start}${piece.repeat(Math.floor(2_000 / encodeURIComponent(piece).length))}x`;
      const query = new URLSearchParams({ q });
      const ms = await leastCpuMs(() => send(`/api/v2/search?${query}`, { authorization: `Bearer ${token}` }));
      if (ms > CPU_MS_MAX) slow.push(`${start} ${JSON.stringify(piece)}: ${ms.toFixed(0)} ms`);
    }
  assert.deepEqual(slow, []);
});
