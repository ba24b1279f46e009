import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { json, route } from '../../../gateway/http/route.js';
import { GatewayFixture, rawExchange } from './gateway-fixture.js';

const gateway = new GatewayFixture();
before(() =>
  gateway.start([
    route({ method: 'GET', path: '/now', auth: 'none', handle: () => json({ when: 'now' }) }),
    route({ method: 'GET', path: '/later', auth: 'none', handle: async () => json({ when: 'later' }) }),
    route({ method: 'GET', path: '/linked', auth: 'none', handle: () => json([], { Link: '<a>; rel="next"' }) }),
    route({
      method: 'GET',
      path: '/forged',
      auth: 'none',
      handle: () => json([], { link: 'x\r\nset-cookie: a=b' }),
    }),
  ]),
);
after(() => gateway.stop());

/** Sends one request after the other on one connection; the answers as received. */
async function inTurn(...requests: readonly string[]): Promise<string[]> {
  const whole = requests.map((request) => `${request} HTTP/1.1\r\nHost: a\r\n\r\n`).join('');
  const count = (text: string) => text.split('HTTP/1.1 ').length - 1;
  const text = await rawExchange(
    gateway.server.port,
    whole,
    (got) => count(got) === requests.length && got.endsWith('}'),
  );
  return text
    .split('HTTP/1.1 ')
    .slice(1)
    .map((answer) => `HTTP/1.1 ${answer}`);
}

test('answers at once and answers later carry the same headers', async () => {
  const [now = '', later = ''] = await inTurn('GET /now', 'GET /later');
  const headers = (answer: string) =>
    answer
      .slice(0, answer.indexOf('\r\n\r\n'))
      .split('\r\n')
      .map((line) => line.replace(/^(x-request-id|date): .*/i, '$1').replace(/^content-length: .*/i, 'length'));
  assert.match(now, /^HTTP\/1\.1 200 OK\r\n/);
  assert.match(now, /\r\n\r\n\{"when":"now"\}$/);
  assert.match(later, /\r\n\r\n\{"when":"later"\}$/);
  assert.deepEqual(headers(now), headers(later));
  const wanted = ['access-control-allow-origin: *', 'x-content-type-options: nosniff', 'x-request-id'];
  for (const header of wanted) assert.ok(headers(now).includes(header), header);
});

test('each answer has a request id of its own', async () => {
  const answers = await inTurn('GET /now', 'GET /now', 'GET /later', 'GET /nowhere', 'GET /now');
  const ids = answers.map((answer) => /x-request-id: (\S+)\r\n/.exec(answer)?.[1]);
  assert.equal(new Set(ids).size, 5, ids.join(' '));
});

test('after HEAD and a preflight the connection takes the next request', async () => {
  const [head = '', preflight = '', last = ''] = await inTurn('HEAD /now', 'OPTIONS /now', 'GET /now');
  assert.match(head, /^HTTP\/1\.1 200 OK\r\n/);
  assert.match(head, /content-length: 14\r\n/i);
  assert.match(preflight, /^HTTP\/1\.1 204 No Content\r\n/);
  assert.doesNotMatch(preflight, /content-length/i);
  assert.match(last, /\{"when":"now"\}$/);
});

test('a route adds headers of its own, and none can begin another', async () => {
  assert.equal((await fetch(`${gateway.url}/linked`)).headers.get('link'), '<a>; rel="next"');
  const forged = await fetch(`${gateway.url}/forged`);
  assert.equal(forged.status, 500);
  assert.equal(forged.headers.get('set-cookie'), null);
});
