import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type AnyRoute, json, route } from '../../../gateway/http/route.js';
import { injector } from '../../kit/network/injection.js';
import { type Person, TestServer } from '../../kit/services/server.js';
import { GatewayFixture } from '../http/gateway-fixture.js';

const ACCEPT = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
/** Headers of a browser in which a person opens an address. */
const BROWSER = { accept: ACCEPT, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
const HOSTILE = '</pre><script>hacked()</script><img src=x onerror=hacked()>"\'&lt;\u202Eevil\u2028\u0085';
/** Longer than a page shows. */
const LONG = 'x'.repeat(300_000);

let server: TestServer;
let ann: Person;
before(async () => {
  server = await TestServer.start();
  ann = await server.person('ann');
});
after(() => server?.stop());

async function open(path: string, headers: Readonly<Record<string, string>> = BROWSER, method = 'GET') {
  const response = await server.send(path, { method, redirect: 'manual', headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Returns the JSON that a page shows. */
function shownIn(text: string): unknown {
  const [, shown = ''] = /<pre[^>]*>(.*)<\/pre>/s.exec(text) ?? [];
  const signs: Readonly<Record<string, string>> = {
    '&lt;': '<',
    '&gt;': '>',
    '&quot;': '"',
    '&#39;': "'",
    '&amp;': '&',
  };
  return JSON.parse(shown.replaceAll(/&(?:lt|gt|quot|#39|amp);/g, (sign) => signs[sign] ?? sign));
}

test('an address of the API opens as a page with the same JSON, its method, path, and entry in the reference', async () => {
  const id = await ann.says('in a browser');
  const path = `/api/v1/statuses/${id}`;
  const { status, headers, text } = await open(`${path}?odd=%3Cb%3E`);
  assert.equal(status, 200);
  assert.match(headers.get('content-type') ?? '', /^text\/html/);
  assert.match(text, new RegExp(`<h1><span class="mark">GET</span> <bdi>${path}</bdi></h1>`));
  assert.match(text, /\n {2}&quot;id&quot;: /, 'indented');
  assert.deepEqual(shownIn(text), (await server.get(path)).body);
  const alone = /href="(\/api\/v1\/statuses\/[^"]+)"/.exec(text)?.[1];
  assert.equal(alone, `${path}.json?odd=%3Cb%3E`);
  const raw = await open(alone ?? '');
  assert.match(raw.headers.get('content-type') ?? '', /^application\/json/);
  assert.deepEqual(JSON.parse(raw.text), shownIn(text));
  const [, reference = '', anchor = ''] = /href="(\/api\/docs\/\w+)#([\w-]+)"/.exec(text) ?? [];
  const { text: entries } = await open(reference);
  assert.match(entries, new RegExp(`id="${anchor}"><h2><span class="mark">GET</span> /api/v1/statuses/\\{id\\}</h2>`));
});

test('a refusal by the API is a page with its status, what is wrong, and ways on', async () => {
  for (const [path, status, says] of [
    ['/api/v1/timelines/home', 401, /Programs send a token/],
    ['/api/v1/statuses/1', 404, /Record not found/],
    ['/api/v1/no/such/thing', 404, /There is nothing at this address/],
    ['/api/v1/timelines/public?limit[]=1&limit[]=2&local[a]=1', 422, /&quot;error&quot;/],
    ['/api/v1/trends', 410, /api\/v1\/trends\/tags/],
    ['/api/v1/streaming/user', 401, /Programs send a token/],
    ['/oauth/userinfo', 401, /Programs send a token/],
    ['/.well-known/webfinger', 400, /The parameter resource is missing/],
  ] as const) {
    const opened = await open(path);
    assert.equal(opened.status, status, path);
    assert.match(opened.headers.get('content-type') ?? '', /^text\/html/, path);
    assert.match(opened.text, says, path);
    assert.match(opened.text, /<li><a href="\/">/, path);
    assert.equal(opened.text.match(/<h1/g)?.length, 1, path);
    if (/^\/(?:api|oauth)/.test(path)) assert.match(opened.text, /href="\/api(?:\/docs\/\w+#[\w-]+)?"/, path);
  }
});

test('only a person who opens an address gets a page: no program, no script, nobody with a token', async () => {
  const path = '/api/v1/instance';
  const token = { authorization: `Bearer ${ann.token}` };
  for (const [headers, isPage] of [
    [BROWSER, true],
    [{ accept: ACCEPT }, true],
    [{ accept: 'text/html' }, true],
    [{ accept: 'TEXT/HTML;q=0.9' }, true],
    [{ accept: 'text/html, */*', 'sec-fetch-mode': 'navigate' }, true],
    [{ accept: 'text/html, */*' }, false],
    [{ accept: ACCEPT, 'sec-fetch-mode': 'cors' }, false],
    [{ accept: ACCEPT, 'sec-fetch-mode': 'no-cors' }, false],
    [{ accept: '*/*', 'sec-fetch-mode': 'navigate' }, false],
    [{ accept: `application/json, ${ACCEPT}`, 'sec-fetch-mode': 'navigate' }, false],
    [{ ...BROWSER, ...token }, false],
    [{ accept: 'text/html', ...token }, false],
  ] as const) {
    const { headers: got } = await open(path, headers);
    assert.equal(got.get('content-type')?.startsWith('text/html'), isPage, JSON.stringify(headers));
  }
});

test('caches keep the two forms apart', async () => {
  for (const path of ['/api/v1/instance', '/.well-known/webfinger?resource=acct:ann@localhost', '/nodeinfo/2.0']) {
    const page = await open(path);
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/, path);
    assert.equal(page.headers.get('cache-control'), 'private, no-store', path);
    assert.equal(page.headers.get('etag'), null, path);
    assert.match(page.headers.get('vary') ?? '', /^Accept, .*Sec-Fetch-Mode/, path);
    const plain = await open(path, { accept: '*/*' });
    assert.match(plain.headers.get('content-type') ?? '', /json/, path);
    if (plain.headers.get('cache-control')?.startsWith('public') === true)
      assert.equal(plain.headers.get('vary'), page.headers.get('vary'), path);
  }
});

test('a page with JSON is compressed as the JSON is', async () => {
  const { headers } = await open('/api/v1/instance', { ...BROWSER, 'accept-encoding': 'gzip, br' });
  assert.equal(headers.get('content-encoding'), 'br');
  assert.match(headers.get('vary') ?? '', /Sec-Fetch-Mode, Accept-Encoding$/);
});

test('HEAD has the headers of the page, and a page is in the language of the browser', async () => {
  const head = await open('/api/v1/instance', BROWSER, 'HEAD');
  assert.match(head.headers.get('content-type') ?? '', /^text\/html/);
  assert.equal(head.text, '');
  const german = await open('/api/v1/instance', { ...BROWSER, 'accept-language': 'de' });
  assert.match(german.text, /<html lang="de">/);
  assert.match(german.text, /Nur JSON/);
});

/** Answers that no page may run, reorder or show in full. */
const made: readonly AnyRoute[] = [
  route({ method: 'GET', path: '/api/v1/hostile', auth: 'none', handle: () => json({ [HOSTILE]: HOSTILE }) }),
  route({ method: 'GET', path: '/api/v1/long', auth: 'none', handle: () => json({ text: LONG }) }),
  route({ method: 'GET', path: '/api/v1/echo/:id', auth: 'none', handle: () => json({ at: 1 }) }),
  route({ method: 'GET', path: '/api/v1/nothing', auth: 'none', handle: () => ({ status: 204, body: undefined }) }),
  route({
    method: 'GET',
    path: '/api/v1/file',
    auth: 'none',
    handle: () => json({ a: 1 }, { 'content-disposition': 'attachment; filename="a.json"' }),
  }),
];

test('hostile JSON stays text, a long answer gets a note and a link, and files stay files', async () => {
  const fixture = await new GatewayFixture().start([...made]);
  try {
    const send = injector(() => fixture.server);
    const hostile = await (await send('/api/v1/hostile', { headers: BROWSER })).text();
    assert.doesNotMatch(hostile, /<script|<img src=x|\u202E|\u2028|\u0085/);
    assert.match(hostile, /\\u202eevil\\u2028\\u0085/);
    assert.deepEqual(shownIn(hostile), { [HOSTILE]: HOSTILE });
    const long = await (await send('/api/v1/long', { headers: BROWSER })).text();
    assert.ok(long.length < 10_000, String(long.length));
    assert.match(long, /too long for a page/);
    assert.match(long, /href="\/api\/v1\/long\.json"/);
    const echo = await (await send('/api/v1/echo/%22%3E%3Cscript%3E', { headers: BROWSER })).text();
    assert.doesNotMatch(echo, /<script|"><s/i);
    const nothing = await send('/api/v1/nothing', { headers: BROWSER });
    assert.equal(nothing.status, 204);
    const file = await send('/api/v1/file', { headers: BROWSER });
    assert.match(file.headers.get('content-type') ?? '', /^application\/json/);
  } finally {
    await fixture.server.close();
  }
});
