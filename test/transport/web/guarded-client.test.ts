import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { GuardedClient } from '../../../transport/web/guarded-client.js';
import { WebPages } from '../../kit/web-pages.js';

const KB = 1_024;
const HTML = ['text/html'];
let pages: WebPages;
const closed = new GuardedClient({ allowed: [], userAgent: 'test' });
const open = new GuardedClient({ allowed: ['127.0.0.0/8'], userAgent: 'test' });

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

test('addresses within are not reached, however they are written, unless they are allowed', async () => {
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

test('redirects are followed thrice, never to what is within or no web address', async () => {
  assert.equal((await open.get(`${pages.url}/hop/3`, HTML, KB))?.url, `${pages.url}/hop/0`);
  assert.equal(await open.get(`${pages.url}/hop/4`, HTML, KB), undefined);
  assert.equal(await open.get(`${pages.url}/inside`, HTML, KB), undefined);
  assert.equal(await open.get(`${pages.url}/file`, HTML, KB), undefined);
});

test('what is too large, of another type, missing or no web address at all is nothing', async () => {
  assert.equal(await open.get(`${pages.url}/large`, HTML, KB), undefined);
  assert.equal(await open.get(`${pages.url}/text`, HTML, KB), undefined);
  assert.equal(await open.get(`${pages.url}/missing`, HTML, KB), undefined);
  assert.equal(await open.get('file:///etc/passwd', HTML, KB), undefined);
  assert.equal(await open.get(pages.url.replace('//', '//user:word@'), HTML, KB), undefined);
  assert.equal(await open.get('http://', HTML, KB), undefined);
});

test('an IPv6 address that holds an IPv4 address is not reached', () => {
  const embedding = ['::7f00:1', '::a00:1', '::ffff:7f00:1', '64:ff9b::7f00:1', '2002:7f00:1::', '2001::7f00:1'];
  assert.deepEqual(
    embedding.filter((address) => closed.mayReach(address)),
    [],
  );
  assert.ok(closed.mayReach('2606:4700::1111') && closed.mayReach('1.1.1.1'));
});
