import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { AddressGuard } from '../../../transport/address-guard.js';
import { GuardedClient } from '../../../transport/web/guarded-client.js';
import { WebPages } from '../../kit/network/web-pages.js';

const KB = 1_024;
const HTML = ['text/html'];
let pages: WebPages;
const closed = new GuardedClient({ guard: new AddressGuard(), userAgent: 'test' });
const open = new GuardedClient({ guard: new AddressGuard(['127.0.0.0/8']), userAgent: 'test' });

before(async () => {
  pages = await WebPages.open((request, response) => {
    const path = request.url ?? '';
    const hops = /^\/hop\/(\d+)/.exec(path)?.[1];
    if (hops !== undefined && hops !== '0') {
      response.writeHead(302, { location: `/hop/${Number(hops) - 1}` }).end();
    } else if (path === '/inside') {
      response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end();
    } else if (path === '/file') {
      response.writeHead(302, { location: 'file:///etc/passwd' }).end();
    } else if (path === '/large') {
      response.writeHead(200, { 'content-type': 'text/html' }).end('x'.repeat(64 * KB));
    } else {
      const type = path === '/text' ? 'text/plain' : 'text/html';
      response.writeHead(path === '/missing' ? 404 : 200, { 'content-type': type }).end('<title>here</title>');
    }
  });
});
after(async () => {
  await Promise.all([closed.close(), open.close()]);
  await pages?.close();
});

test('private addresses are not reached, in any spelling, unless they are allowed', async () => {
  const port = new URL(pages.url).port;
  for (const host of [
    '127.0.0.1',
    'localhost',
    '2130706433',
    '0x7f.1',
    '0177.0.0.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '0.0.0.0',
    '10.0.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '[fc00::1]',
    '[64:ff9b::7f00:1]',
  ]) {
    assert.equal(await closed.get(`http://${host}:${port}/`, HTML, KB), undefined, host);
  }
  assert.deepEqual(pages.asked, [], 'nobody was even asked');
  assert.equal((await open.get(`${pages.url}/`, HTML, KB))?.bytes.length, 19);
});

test('redirects are followed three times, never to a private address or another scheme', async () => {
  assert.equal((await open.get(`${pages.url}/hop/3`, HTML, KB))?.url, `${pages.url}/hop/0`);
  assert.equal(await open.get(`${pages.url}/hop/4`, HTML, KB), undefined);
  assert.equal(await open.get(`${pages.url}/inside`, HTML, KB), undefined);
  assert.equal(await open.get(`${pages.url}/file`, HTML, KB), undefined);
});

test('a page that is too large, of another type, missing or without a web address gives nothing', async () => {
  assert.equal(await open.get(`${pages.url}/large`, HTML, KB), undefined);
  assert.equal(await open.get(`${pages.url}/text`, HTML, KB), undefined);
  assert.equal(await open.get(`${pages.url}/missing`, HTML, KB), undefined);
  assert.equal(await open.get('file:///etc/passwd', HTML, KB), undefined);
  assert.equal(await open.get(pages.url.replace('//', '//user:word@'), HTML, KB), undefined);
  assert.equal(await open.get('http://', HTML, KB), undefined);
});

/** Returns a resolver that gives these addresses, one list after another; the last one stays. */
function resolving(...answers: readonly (readonly string[])[]) {
  const asked: string[] = [];
  const resolve: NonNullable<ConstructorParameters<typeof GuardedClient>[0]['resolve']> = (
    host,
    _options,
    callback,
  ) => {
    const addresses = answers[Math.min(asked.push(host), answers.length) - 1] ?? [];
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
  // The allowed address represents one on the public Internet; nothing listens there.
  const guard = new AddressGuard(['127.0.0.2/32']);
  return { asked, client: new GuardedClient({ guard, userAgent: 'test', resolve }) };
}

test('a name that resolves to another address the second time is checked by the address of the connection', async () => {
  const port = new URL(pages.url).port;
  const before = pages.asked.length;
  const rebound = [['127.0.0.2'], ['127.0.0.1'], ['127.0.0.2'], ['::ffff:127.0.0.1'], ['127.0.0.1', '10.0.0.1']];
  const { asked, client } = resolving(...rebound);
  for (let tries = 0; tries < rebound.length; tries++)
    assert.equal(await client.get(`http://rebinding.example:${port}/`, HTML, KB), undefined);
  assert.equal(asked.length, rebound.length, 'each connection has a look-up of its own');
  assert.equal(pages.asked.length, before);
  await client.close();
});

test('only the public addresses of a name with public and private ones are connected to', async () => {
  const { port } = new URL(pages.url);
  const guard = new AddressGuard(['127.0.0.1/32']);
  const answers = ['127.0.0.2', '10.0.0.1', '127.0.0.1'].map((address) => ({ address, family: 4 }));
  const client = new GuardedClient({
    guard,
    userAgent: 'test',
    resolve: (_host, _options, done) => done(null, answers),
  });
  assert.equal((await client.get(`http://mixed.example:${port}/`, HTML, KB))?.bytes.length, 19);
  await client.close();
});

const post = (url: string) => ({
  url: new URL(url),
  headers: { 'content-type': 'text/plain' },
  body: Buffer.from('x'),
});

test('a post checks the address of its connection, and reaches neither private ones nor other schemes', async () => {
  const port = new URL(pages.url).port;
  const before = pages.asked.length;
  for (const url of [
    ...[`http://127.0.0.1:${port}/`, `http://localhost:${port}/`, `http://[::ffff:7f00:1]:${port}/`],
    ...['http://169.254.169.254/', 'file:///etc/passwd', 'https://user:word@push.example/'],
  ])
    assert.equal(await closed.post(post(url)), 'blocked', url);
  const rebound = [['127.0.0.2'], ['127.0.0.1'], ['::ffff:127.0.0.1'], ['127.0.0.1', '10.0.0.1']];
  const { client } = resolving(...rebound);
  // Nothing listens at the allowed address.
  assert.equal(await client.post(post(`http://rebinding.example:${port}/`)), 'unreachable');
  for (let tries = 1; tries < rebound.length; tries++)
    assert.equal(await client.post(post(`http://rebinding.example:${port}/`)), 'blocked');
  assert.equal(pages.asked.length, before);
  await client.close();
});

test('a post follows no redirect', async () => {
  const before = pages.asked.length;
  assert.deepEqual(await open.post(post(`${pages.url}/hop/1`)), { status: 302, retryAfter: undefined });
  assert.deepEqual(await open.post(post(`${pages.url}/inside`)), { status: 302, retryAfter: undefined });
  assert.deepEqual(pages.asked.slice(before), ['/hop/1', '/inside']);
});
