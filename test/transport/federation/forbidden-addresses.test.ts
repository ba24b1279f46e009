import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { after, before, test } from 'node:test';
import { AddressGuard } from '../../../transport/address-guard.js';
import { CachedSchemes } from '../../../transport/federation/scheme-memory.js';
import { SignedClient, type SignedClientOptions } from '../../../transport/federation/signed-client.js';
import { NameCache, type Resolve } from '../../../transport/web/name-cache.js';
import { realClock } from '../real-clock.js';
import { ForeignHost } from './foreign-host.js';
import { newKey } from './signed.js';

const { signer } = newKey();
const body = Buffer.from('{}');
/** Servers on loopback that must not get a connection. */
const canaries: Server[] = [];
let [connections, port] = [0, 0];

/** Every name is one of this machine. */
const here: Resolve = (_host, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]);
const open = (allowed: readonly string[], more: Partial<SignedClientOptions> = {}) =>
  new SignedClient({
    ...{ guard: new AddressGuard(allowed), userAgent: 'test', clock: realClock, instance: signer },
    ...{ schemes: new CachedSchemes(undefined), isSuspended: () => false, resolve: here, ...more },
  });

async function listen(host: string): Promise<void> {
  const canary = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((listening, failed) => {
    canary.once('error', failed).listen(port, host, listening);
  });
  port = (canary.address() as AddressInfo).port;
  canaries.push(canary);
}

before(async () => {
  await listen('127.0.0.1');
  await listen('::1');
});
after(async () => {
  await Promise.all(canaries.map((canary) => new Promise((closed) => canary.close(closed))));
});

/** Spellings of loopback, private, link-local, shared and other special addresses. */
const HOSTS = [
  ...[
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0177.0.0.1',
    '017700000001',
    '127.0.0.1.',
  ],
  ...['１２７.０.０.１', '①②⑦.⓪.⓪.①', '127。0。0。1', '%31%32%37.0.0.1'],
  ...[
    '0.0.0.0',
    '0',
    '00',
    '0x0',
    '[::]',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
  ],
  ...['localhost', 'LOCALHOST', 'localhost.', 'a.localhost', 'a.b.localhost.', 'ⓛocalhost'],
  ...[
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '0xc0a80101',
    '169.254.169.254',
    '2852039166',
    '[fe80::1]',
    '[fc00::1]',
    '[fd12:3456::1]',
  ],
  ...['100.64.0.1', '198.18.0.1', '192.0.0.1', '192.0.2.1', '224.0.0.1', '255.255.255.255', '240.0.0.1', '[ff02::1]'],
  ...['[64:ff9b::7f00:1]', '[2002:7f00:1::]', '[2001:db8::1]', '[::ffff:a9fe:a9fe]', '[::ffff:0:127.0.0.1]'],
];
const urls = () => [
  ...HOSTS.flatMap((host) => [`https://${host}:${port}/`, `http://${host}:${port}/`]),
  ...[
    `https://user@127.0.0.1:${port}/`,
    `https://user:word@localhost:${port}/`,
    `https://far.example@127.0.0.1:${port}/`,
  ],
  ...[
    `https:127.0.0.1:${port}/`,
    `https:\\\\127.0.0.1:${port}\\`,
    ` https://127.0.0.1:${port}/`,
    `//127.0.0.1:${port}/`,
  ],
  ...[
    `ftp://127.0.0.1:${port}/`,
    `gopher://127.0.0.1:${port}/`,
    'file:///etc/passwd',
    'data:application/activity+json,{}',
  ],
  ...[
    'javascript:1',
    'blob:https://127.0.0.1/1',
    'https://',
    'https:///',
    '',
    'x',
    '\u0000',
    `https://127.0.0.1:${port}\u0000/`,
  ],
];

test('no spelling of a forbidden address is connected to, for objects, JRD and inboxes', async () => {
  const client = open([]);
  for (const url of urls()) {
    const outcomes = [await client.object(url), await client.jrd(url)];
    for (const { kind } of outcomes) assert.ok(kind === 'unusable' || kind === 'failed', `${url}: ${kind}`);
    const { kind, reason } = await client.deliver(url, body, signer);
    assert.ok(kind === 'refused' || (kind === 'later' && reason !== 'failed'), `${url}: ${kind} ${reason}`);
  }
  assert.equal(connections, 0);
  await client.close();
});

test('a client that may reach this machine connects at its spellings: the check can fail', async () => {
  const client = open(['loopback']);
  const open4 = HOSTS.slice(0, HOSTS.indexOf('0.0.0.0')).filter((host) => !host.startsWith('%'));
  for (const host of [...open4, 'localhost', 'a.localhost', '[::1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]']) {
    const before = connections;
    await client.object(`https://${host}:${port}/`);
    assert.ok(connections > before, host);
  }
  await client.close();
  connections = 0;
});

test('redirects to forbidden addresses are not followed', async () => {
  // The redirecting host is one on the public Internet in the eyes of this guard.
  const guard = new AddressGuard(['127.0.0.2/32']);
  for (const status of [302, 308]) {
    let location = '';
    const host = await ForeignHost.open(
      (_request, response) => void response.writeHead(status, { location: encodeURI(location) }).end(),
      '127.0.0.2',
    );
    const client = open([], { guard });
    for (const url of urls().filter((one) => !one.includes('\u0000'))) {
      location = url;
      const { kind } = await client.object(`${host.url}/1`);
      assert.ok(kind === 'unusable' || kind === 'failed', `${url}: ${kind}`);
      const { kind: delivered } = await client.deliver(`${host.url}/inbox`, body, signer);
      assert.ok(delivered === 'refused' || delivered === 'later', `${url}: ${delivered}`);
    }
    await Promise.all([client.close(), host.close()]);
  }
  assert.equal(connections, 0);
});

test('plain http is permitted at allowed addresses only, not at names that resolve to them', async () => {
  const client = open(['loopback']);
  assert.deepEqual(await client.object(`http://far.example:${port}/`), { kind: 'unusable', reason: 'blocked' });
  assert.equal(connections, 0);
  await client.close();
});

test('a name that resolves to a public address and then to a private one is checked at each connection', async () => {
  const answers = ['127.0.0.2', '127.0.0.1', '::1', '::ffff:127.0.0.1', '169.254.169.254', '10.0.0.1'];
  for (const isCached of [false, true]) {
    let [asked, nowMs] = [0, 0];
    const rebinding: Resolve = (_host, _options, done) => {
      const address = answers[asked++ % answers.length] ?? '';
      done(null, [{ address, family: address.includes(':') ? 6 : 4 }]);
    };
    const clock = { monotonicMs: () => nowMs, after: () => ({ cancel: () => undefined }) };
    const cache = new NameCache(clock, undefined, rebinding);
    // Connections to the address that stands for a public one fail: nobody is there.
    const guard = new AddressGuard(['127.0.0.2/32']);
    const client = open([], { guard, resolve: isCached ? cache.resolve : rebinding, fetchMs: 200, deliveryMs: 200 });
    for (let tries = 0; tries < 2 * answers.length; tries++) {
      const outcome = await client.object(`https://rebinding.example:${port}/`);
      assert.ok(outcome.kind === 'unusable' || outcome.kind === 'failed');
      const { kind } = await client.deliver(`https://rebinding.example:${port}/inbox`, body, signer);
      assert.equal(kind, 'later');
      nowMs += 60_000;
    }
    assert.ok(asked > answers.length);
    await client.close();
  }
  assert.equal(connections, 0);
});
