import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { AddressGuard } from '../../../transport/address-guard.js';
import type { FetchOutcome } from '../../../transport/federation/port.js';
import { CachedSchemes } from '../../../transport/federation/scheme-memory.js';
import { SignedClient, type SignedClientOptions } from '../../../transport/federation/signed-client.js';
import { SignatureVerifier } from '../../../transport/federation/verification.js';
import { until } from '../../kit/time/until.js';
import { realClock } from '../real-clock.js';
import { type Arrived, ForeignHost } from './foreign-host.js';
import { newKey } from './signed.js';

const ACTIVITY = 'application/activity+json';
const body = Buffer.from('{"type":"Like"}');
const instance = newKey('https://near.example/actor#main-key');
const ada = newKey();
const verifier = new SignatureVerifier(undefined);

type Answering = Parameters<typeof ForeignHost.open>[0];
let answer: Answering;
let host: ForeignHost;
let other: ForeignHost;
let client: SignedClient;
let schemes: CachedSchemes;

const reply =
  (status: number, type = ACTIVITY, text: string | Buffer = '{"id":"x"}', more = {}): Answering =>
  (_request, response) =>
    void response.writeHead(status, { 'content-type': type, ...more }).end(text);
const open = (options: Partial<SignedClientOptions> = {}) =>
  new SignedClient({
    guard: new AddressGuard(['loopback']),
    userAgent: 'test',
    clock: realClock,
    instance: instance.signer,
    schemes,
    isSuspended: () => false,
    ...options,
  });

before(async () => {
  host = await ForeignHost.open((...args) => answer(...args));
  other = await ForeignHost.open(reply(200));
});
beforeEach(async () => {
  await client?.close();
  schemes = new CachedSchemes(undefined);
  client = open();
  host.taken();
  other.taken();
  answer = reply(200);
});
after(async () => {
  await client?.close();
  await Promise.all([host?.close(), other?.close()]);
});

const isSigned = (request: Arrived | undefined, key = instance) =>
  request === undefined ? undefined : verifier.verify(request, key.publicPem, Date.now());

test('an object is fetched with a signature of the instance, without the fragment of its address', async () => {
  const outcome = await client.object(`${host.url}/users/bob?x=1#main-key`);
  assert.deepEqual(outcome, { kind: 'object', url: `${host.url}/users/bob?x=1`, value: { id: 'x' } });
  const [request] = host.taken();
  assert.equal(await isSigned(request), true);
  assert.equal(
    request?.headers.get('accept'),
    `${ACTIVITY}, application/ld+json; profile="https://www.w3.org/ns/activitystreams"`,
  );
  assert.equal(request?.headers.get('user-agent'), 'test');
  assert.equal(request?.headers.has('digest'), false);
});

test('only the media types of ActivityStreams are objects', async () => {
  const profile = 'https://www.w3.org/ns/activitystreams';
  const taken = [
    ...[
      ACTIVITY,
      `${ACTIVITY}; charset=utf-8`,
      'Application/Activity+JSON',
      `application/ld+json; profile="${profile}"`,
    ],
    ...[
      `application/ld+json;charset=utf-8;profile=${profile}`,
      `application/ld+json; profile="https://x.example ${profile}"`,
    ],
  ];
  const refused = [
    ...[
      'text/plain',
      'application/json',
      'text/html',
      'application/ld+json',
      'image/png',
      '',
      `text/plain; ${ACTIVITY}`,
    ],
    ...[
      `application/ld+json; profile="${profile}/x"`,
      `application/ld+json; x="profile=${profile}"`,
      'application/activity+jsonx',
    ],
    ...[`application/ld+json; a="; profile=${profile}`, `application/jrd+json`],
    ...[`text/plain; profile="${profile}"`, `application/json; profile="${profile}"`],
  ];
  for (const type of taken) {
    answer = reply(200, type);
    assert.equal((await client.object(`${host.url}/1`)).kind, 'object', type);
  }
  for (const type of refused) {
    answer = reply(200, type);
    assert.deepEqual(await client.object(`${host.url}/1`), { kind: 'unusable', reason: 'media type' }, type);
  }
});

test('a JRD may be plain JSON, and its request is not signed', async () => {
  for (const type of ['application/jrd+json; charset=utf-8', 'application/json']) {
    answer = reply(200, type, '{"subject":"acct:bob@far.example"}');
    const outcome = await client.jrd(`${host.url}/.well-known/webfinger?resource=acct:bob@far.example`);
    assert.deepEqual(outcome.kind === 'object' && outcome.value, { subject: 'acct:bob@far.example' });
  }
  for (const type of ['text/html', ACTIVITY, 'application/xrd+xml']) {
    answer = reply(200, type);
    assert.equal((await client.jrd(`${host.url}/x`)).kind, 'unusable');
  }
  assert.deepEqual([...new Set(host.taken().map(({ scheme }) => scheme))], [undefined]);
});

test('each status of an answer to a fetch has its outcome', async () => {
  const cases: [number, FetchOutcome][] = [
    [404, { kind: 'missing' }],
    [410, { kind: 'gone' }],
    [400, { kind: 'refused', status: 400 }],
    [406, { kind: 'refused', status: 406 }],
    [429, { kind: 'failed', reason: 'status 429' }],
    [500, { kind: 'failed', reason: 'status 500' }],
    [503, { kind: 'failed', reason: 'status 503' }],
    [204, { kind: 'unusable', reason: 'status 204' }],
    [300, { kind: 'unusable', reason: 'status 300' }],
    [302, { kind: 'unusable', reason: 'status 302' }],
  ];
  for (const [status, expected] of cases) {
    answer = reply(status);
    assert.deepEqual(await client.object(`${host.url}/1`), expected, String(status));
  }
  for (const text of ['', '[]', '{"@graph":[]}', '{"a":'.repeat(40)]) {
    answer = reply(200, ACTIVITY, text);
    assert.equal((await client.object(`${host.url}/1`)).kind, 'unusable', text);
  }
  assert.deepEqual(client.figures.fetches, { object: 0, gone: 1, missing: 1, refused: 2, unusable: 7, failed: 3 });
});

test('a body of 1 MiB is read, a longer one is not', async () => {
  const sized = (bytes: number) => Buffer.from(`{"a":"${'x'.repeat(bytes - 8)}"}`);
  answer = reply(200, ACTIVITY, sized(1_048_576));
  assert.equal((await client.object(`${host.url}/1`)).kind, 'object');
  answer = reply(200, ACTIVITY, sized(1_048_577));
  assert.deepEqual(await client.object(`${host.url}/1`), { kind: 'unusable', reason: 'size' });
  // An endless body ends with the limit, too.
  answer = (_request, response) => {
    response.writeHead(200, { 'content-type': ACTIVITY });
    const pour = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536, 0x20)));
      if (!response.destroyed) response.once('drain', pour);
    };
    pour();
  };
  assert.deepEqual(await client.object(`${host.url}/1`), { kind: 'unusable', reason: 'size' });
});

test('a host that answers slowly, a byte at a time, or never costs no more than the timeout', async () => {
  const hasty = open({ fetchMs: 300, deliveryMs: 300 });
  const slow: Answering[] = [
    () => undefined,
    (_request, response) => {
      response.writeHead(200, { 'content-type': ACTIVITY });
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
    },
  ];
  for (const one of slow) {
    answer = one;
    const startedMs = performance.now();
    assert.deepEqual(await hasty.object(`${host.url}/1`), { kind: 'failed', reason: 'timeout' });
    assert.ok(performance.now() - startedMs < 5_000);
  }
  answer = () => undefined;
  assert.deepEqual(await hasty.deliver(`${host.url}/inbox`, body, ada.signer), { kind: 'later', reason: 'timeout' });
  await hasty.close();
});

test('three redirects are followed, each signed anew for its address', async () => {
  answer = ({ target }, response) => {
    const left = Number(target.slice(1));
    if (left === 0) return void response.writeHead(302, { location: `${other.url}/there` }).end();
    response.writeHead(301, { location: `/${left - 1}` }).end();
  };
  const outcome = await client.object(`${host.url}/2`);
  assert.deepEqual(outcome, { kind: 'object', url: `${other.url}/there`, value: { id: 'x' } });
  for (const request of [...host.taken(), ...other.taken()])
    assert.equal(await isSigned(request), true, request.target);
  assert.deepEqual(await client.object(`${host.url}/3`), { kind: 'unusable', reason: 'redirects' });
  assert.deepEqual(other.taken(), []);
  answer = reply(302, '', '', { location: '/1' });
  assert.deepEqual(await client.object(`${host.url}/1`), { kind: 'unusable', reason: 'redirects' });
});

test('nothing is sent to a suspended server, also not after a redirect', async () => {
  const suspended = new URL(other.url).host;
  await client.close();
  client = open({ isSuspended: (host) => host === suspended });
  assert.deepEqual(await client.object(`${other.url}/note`), { kind: 'unusable', reason: 'blocked' });
  assert.deepEqual(await client.jrd(`${other.url}/.well-known/webfinger`), { kind: 'unusable', reason: 'blocked' });
  assert.deepEqual(await client.deliver(`${other.url}/inbox`, Buffer.from('{}'), instance.signer), { kind: 'refused' });
  answer = reply(302, ACTIVITY, '', { location: `${other.url}/note` });
  assert.deepEqual(await client.object(`${host.url}/note`), { kind: 'unusable', reason: 'blocked' });
  assert.deepEqual(other.taken(), []);
});

test('a host that refuses cavage gets RFC 9421 once, and first from then on', async () => {
  for (const status of [401, 403]) {
    answer = (request, response) => reply(request.scheme === 'rfc9421' ? 200 : status)(request, response);
    schemes.remember(host.host, 'cavage');
    assert.equal((await client.object(`${host.url}/1`)).kind, 'object');
    assert.deepEqual(await client.deliver(`${host.url}/inbox`, body, ada.signer), {
      kind: 'delivered',
      status: 200,
      scheme: 'rfc9421',
    });
    const requests = host.taken();
    assert.deepEqual(
      requests.map(({ scheme }) => scheme),
      ['cavage', 'rfc9421', 'rfc9421'],
    );
    assert.equal(await isSigned(requests[1]), true);
    assert.equal(await isSigned(requests[2], ada), true);
    assert.equal(schemes.schemeOf(host.host), 'rfc9421');
  }
  answer = (request, response) => reply(request.scheme === 'cavage' ? 202 : 401)(request, response);
  assert.equal((await client.deliver(`${host.url}/inbox`, body, ada.signer)).scheme, 'cavage');
  assert.equal(schemes.schemeOf(host.host), 'cavage');
});

test('a host that refuses both schemes, or fails, changes nothing', async () => {
  answer = reply(401);
  assert.deepEqual(await client.object(`${host.url}/1`), { kind: 'refused', status: 401 });
  assert.deepEqual(await client.deliver(`${host.url}/inbox`, body, ada.signer), {
    kind: 'later',
    status: 401,
    reason: 'failed',
  });
  assert.equal(host.taken().length, 4);
  answer = reply(403);
  assert.deepEqual(await client.deliver(`${host.url}/inbox`, body, ada.signer), { kind: 'refused', status: 403 });
  assert.equal(host.taken().length, 2);
  answer = reply(500);
  assert.deepEqual(await client.deliver(`${host.url}/inbox`, body, ada.signer), {
    kind: 'later',
    status: 500,
    reason: 'failed',
  });
  assert.equal(host.taken().length, 1);
  answer = (request, response) => reply(request.scheme === 'cavage' ? 401 : 500)(request, response);
  assert.equal((await client.object(`${host.url}/1`)).kind, 'failed');
  assert.equal(schemes.schemeOf(host.host), undefined);
});

test('a delivery is a signed POST with its digest, and its answer decides what follows', async () => {
  answer = reply(202);
  assert.deepEqual(await client.deliver(`${host.url}/inbox`, body, ada.signer), {
    kind: 'delivered',
    status: 202,
    scheme: 'cavage',
  });
  const [request] = host.taken();
  assert.equal(await isSigned(request, ada), true);
  assert.deepEqual(
    [request?.method, request?.headers.get('content-type'), request?.body.toString()],
    ['POST', ACTIVITY, String(body)],
  );
  const cases = [
    [404, {}, { kind: 'gone', status: 404, scheme: 'cavage' }],
    [410, {}, { kind: 'gone', status: 410, scheme: 'cavage' }],
    [400, {}, { kind: 'refused', status: 400 }],
    [302, { location: '/there' }, { kind: 'refused', status: 302 }],
    [429, { 'retry-after': '60' }, { kind: 'later', status: 429, reason: 'busy', afterMs: 60_000 }],
    [503, { 'retry-after': '999999' }, { kind: 'later', status: 503, reason: 'busy', afterMs: 86_400_000 }],
    [503, { 'retry-after': 'soon' }, { kind: 'later', status: 503, reason: 'busy' }],
    [502, {}, { kind: 'later', status: 502, reason: 'failed' }],
  ] as const;
  for (const [status, headers, expected] of cases) {
    answer = reply(status, 'text/plain', 'x', headers);
    assert.deepEqual(await client.deliver(`${host.url}/inbox`, body, ada.signer), expected, String(status));
  }
  assert.deepEqual(client.figures.deliveries, { delivered: 1, gone: 2, refused: 2, later: 4 });
});

test('one redirect of a delivery is followed, if it keeps the method and stays on the origin', async () => {
  const redirecting =
    (status: number, location: string): Answering =>
    (request, response) =>
      request.target === '/inbox'
        ? reply(status, '', '', { location })(request, response)
        : reply(202)(request, response);
  for (const status of [307, 308]) {
    host.taken();
    answer = redirecting(status, '/there');
    assert.equal((await client.deliver(`${host.url}/inbox`, body, ada.signer)).kind, 'delivered');
    const [, second] = host.taken();
    assert.deepEqual([second?.target, second?.body.toString()], ['/there', String(body)]);
    assert.equal(await isSigned(second, ada), true);
    for (const location of [`${other.url}/there`, 'http://10.0.0.1/', 'file:///etc/passwd', '/inbox']) {
      answer = redirecting(status, location);
      assert.deepEqual(await client.deliver(`${host.url}/inbox`, body, ada.signer), { kind: 'refused', status });
    }
    assert.deepEqual(other.taken(), []);
  }
});

test('long answers to deliveries cost no more than their limit', async () => {
  answer = (_request, response) => {
    response.writeHead(202);
    const pour = () => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536)));
      if (!response.destroyed) response.once('drain', pour);
    };
    pour();
  };
  const startedMs = performance.now();
  assert.equal((await client.deliver(`${host.url}/inbox`, body, ada.signer)).kind, 'delivered');
  assert.ok(performance.now() - startedMs < 5_000);
});

test('connections are used again, by at most four concurrent requests of a kind', async () => {
  let [running, most] = [0, 0];
  answer = (request, response) => {
    running += 1;
    most = Math.max(most, running);
    setTimeout(() => {
      running -= 1;
      reply(200)(request, response);
    }, 20);
  };
  const before = host.connections;
  const outcomes = await Promise.all(Array.from({ length: 40 }, (_, index) => client.object(`${host.url}/${index}`)));
  assert.ok(outcomes.every(({ kind }) => kind === 'object'));
  assert.equal(most, 4);
  assert.ok(host.connections - before <= 4);
});

test('requests for a host that is slow wait within bounds, and further ones are refused at once', async () => {
  const held: (() => void)[] = [];
  answer = (request, response) => void held.push(() => reply(200)(request, response));
  let busy = 0;
  const crowd = Array.from({ length: 200 }, async (_, index) => {
    const outcome = await client.object(`${host.url}/${index}`);
    if (outcome.kind === 'failed' && outcome.reason === 'busy') busy += 1;
    return outcome.kind;
  });
  await until('the refusals', () => busy === 96 && held.length === 4, 20_000);
  assert.equal((await client.object(`${other.url}/1`)).kind, 'object', 'other hosts do not wait');
  answer = reply(200);
  for (const release of held) release();
  assert.equal((await Promise.all(crowd)).filter((kind) => kind === 'object').length, 104);
});

test('deliveries that wait for too many others are refused here, which is no fault of the host', async () => {
  const held: (() => void)[] = [];
  answer = (request, response) => void held.push(() => reply(202)(request, response));
  let local = 0;
  const crowd = Array.from({ length: 30 }, async () => {
    const outcome = await client.deliver(`${host.url}/inbox`, body, ada.signer);
    if (outcome.kind === 'later' && outcome.reason === 'local' && outcome.status === undefined) local += 1;
    return outcome.kind;
  });
  await until('the refusals', () => local === 10 && held.length === 4, 20_000);
  answer = reply(202);
  for (const release of held) release();
  assert.equal((await Promise.all(crowd)).filter((kind) => kind === 'delivered').length, 20);
});

test('a key that is still being made takes no time from its delivery', async () => {
  answer = reply(202);
  const deliveryMs = 1_000;
  const hasty = open({ deliveryMs });
  const made = new Promise((resolve) => setTimeout(resolve, deliveryMs + 200));
  const late = { ...ada.signer, privateKey: () => made.then(() => ada.signer.privateKey()) };
  const { kind } = await hasty.deliver(`${host.url}/inbox`, body, late);
  assert.equal(kind, 'delivered');
  await hasty.close();
});

test('a key that cannot be read, and a host that nobody is at, are reasons to repeat', async () => {
  const keyless = { keyId: 'x', privateKey: () => Promise.reject(new Error('no store')) };
  assert.deepEqual(await client.deliver(`${host.url}/inbox`, body, keyless), { kind: 'later', reason: 'local' });
  const closed = await ForeignHost.open(reply(200));
  const { url } = closed;
  await closed.close();
  assert.deepEqual(await client.object(`${url}/`), { kind: 'failed', reason: 'unreachable' });
  assert.deepEqual(await client.deliver(`${url}/`, body, ada.signer), { kind: 'later', reason: 'unreachable' });
});
