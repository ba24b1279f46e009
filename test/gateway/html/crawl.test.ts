import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { allRoutes } from '../../../gateway/routes/index.js';
import { sendForm } from '../../kit/network/multipart.js';
import { type Person, TestServer } from '../../kit/services/server.js';

/** A browser's header. */
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const ORIGIN = 'http://localhost';
/** Redirects that a browser follows. */
const REDIRECTS_MAX = 3;
const DOT = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Headers of a browser that opens an address: over TLS, in a frame, and over plain HTTP; and of one who names pages only. */
const OPENING: readonly Readonly<Record<string, string>>[] = [
  { accept: BROWSER, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
  { accept: 'text/html,*/*;q=0.5', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
  { accept: BROWSER },
  { accept: 'text/html' },
];

let server: TestServer;
let ann: Person;
let bob: Person;
let statusId: string;
before(async () => {
  server = await TestServer.start();
  ann = await server.person('ann');
  bob = await server.person('bob');
  await fill();
});
after(() => server?.stop());

/** Makes one of each thing that has an address. */
async function fill(): Promise<void> {
  const sent = await sendForm(ann, 'POST', '/api/v2/media', { file: DOT, description: 'a dot' });
  assert.equal(sent.status, 200, JSON.stringify(sent.body));
  const media = sent.body.id;
  const profile = { discoverable: true, note: 'Writes #birds, with @bob' };
  await server.ask('PATCH', '/api/v1/accounts/update_credentials', profile, ann.token);
  await ann.follows(bob);
  statusId = await ann.says('#Birds and #スター for @bob', { media_ids: [media] });
  const poll = { options: ['one', 'two'], expires_in: 3_600 };
  await bob.says('@ann answers', { in_reply_to_id: statusId, spoiler_text: 'later', poll });
  await bob.says('quotes it', { quoted_status_id: statusId });
  await bob.post(`/api/v1/statuses/${statusId}/reblog`);
  await ann.post(`/api/v1/statuses/${statusId}/pin`);
  await ann.post('/api/v1/featured_tags', { name: 'birds' });
}

/** Opens an address as a browser does. */
async function open(address: string) {
  let path = address.replace(ORIGIN, '');
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects++) {
    const response = await server.send(path, { redirect: 'manual', headers: { accept: BROWSER } });
    const to = response.headers.get('location');
    if (to === null) {
      return { status: response.status, type: response.headers.get('content-type') ?? '', text: await response.text() };
    }
    path = to.replace(ORIGIN, '');
  }
  throw new Error(`${address} leads in circles`);
}

/** Collects the values of the fields `url` and `uri`, and links within HTML, that lead to this server. */
function addressesIn(value: unknown, found: Set<string>): void {
  if (Array.isArray(value)) for (const one of value) addressesIn(one, found);
  if (typeof value !== 'object' || value === null) return;
  for (const [key, one] of Object.entries(value)) {
    if (typeof one !== 'string') addressesIn(one, found);
    else if (key === 'url' || key === 'uri') found.add(one);
    else if (key === 'content' || key === 'note')
      for (const [, link] of one.matchAll(/href="([^"]+)"/g)) found.add((link ?? '').replaceAll('&amp;', '&'));
  }
}

test('each address in the answers of the API opens as a page in a browser, or as the file that it is', async () => {
  const found = new Set<string>();
  for (const path of [
    `/api/v1/accounts/${ann.id}`,
    `/api/v1/accounts/${bob.id}`,
    `/api/v1/accounts/${ann.id}/featured_tags`,
    `/api/v1/accounts/${ann.id}/statuses`,
    `/api/v1/accounts/${ann.id}/following`,
    `/api/v1/statuses/${statusId}/context`,
    `/api/v1/statuses/${statusId}/history`,
    '/api/v1/timelines/home',
    '/api/v1/timelines/public',
    '/api/v1/timelines/tag/birds',
    '/api/v1/notifications',
    '/api/v1/directory',
    '/api/v1/trends/tags',
    '/api/v2/search?q=birds',
    '/api/v2/search?q=bob',
    '/api/v2/instance',
    '/api/v1/instance',
  ]) {
    const answered = await bob.get(path);
    assert.equal(answered.status, 200, path);
    addressesIn(answered.body, found);
  }
  const own = [...found].filter((address) => address.startsWith(`${ORIGIN}/`));
  assert.ok(own.length >= 10, own.join(' '));
  for (const address of own) {
    const { status, type, text } = await open(address);
    assert.equal(status, 200, address);
    if (/^(?:image|video|audio)\//.test(type)) continue;
    assert.match(type, /^text\/html/, address);
    assert.match(text, /<h1/, address);
  }
});

test('no answer to a browser is JSON, whatever the route', async () => {
  let judged = 0;
  for (const { method, path } of allRoutes) {
    // An address that ends in the name of a format is the file.
    if (method !== 'GET' || path.endsWith('.json')) continue;
    for (const [index, [name, id]] of [
      ['ann', statusId],
      ['nobody', '1'],
      ['%00', 'x'],
      ['ann', ann.id],
    ].entries()) {
      const address = path.replace(':name', name ?? '').replaceAll(/:\w+/g, id ?? '');
      const response = await server.send(address, { redirect: 'manual', headers: OPENING[index] ?? {} });
      const type = response.headers.get('content-type') ?? '';
      assert.doesNotMatch(type, /json/, address);
      if (response.status >= 400) assert.match(type, /^text\/html/, `${address} ${response.status}`);
      judged++;
    }
  }
  assert.ok(judged > 900, String(judged));
});

test('a featured hashtag leads to the posts of its person', async () => {
  const tag = 'birds';
  await bob.says('#birds of another person');
  await ann.says('about nothing');
  const { status, text } = await open(`/@${ann.name}/tagged/${tag}`);
  assert.equal(status, 200);
  assert.match(text, /Posts with #birds/);
  assert.match(text, new RegExp(`post-${statusId}`));
  assert.doesNotMatch(text, /another person|about nothing/);
  assert.equal((await open('/@ann/tagged/%3C')).status, 404);
  assert.equal((await open('/@nobody/tagged/birds')).status, 404);
});

test('addresses of documents lead browsers to the page of the same thing, and other servers get the document', async () => {
  for (const [path, page] of [
    ['/actor', '/about'],
    ['/users/ann/outbox', '/@ann'],
    ['/users/ann/followers', '/@ann/followers'],
    ['/users/ann/following', '/@ann/following'],
    ['/users/ann/collections/featured', '/@ann'],
    ['/users/ann/collections/tags', '/@ann'],
    ['/users/ann/collections/accounts', '/@ann'],
    ['/users/ann/featured_collections', '/@ann'],
    [`/users/ann/statuses/${statusId}/replies`, `/@ann/${statusId}`],
    [`/users/ann/statuses/${statusId}/likes`, `/@ann/${statusId}`],
    [`/users/ann/statuses/${statusId}/shares`, `/@ann/${statusId}`],
    [`/contexts/${statusId}`, `/@ann/${statusId}`],
  ] as const) {
    const led = await server.send(path, { redirect: 'manual', headers: { accept: BROWSER } });
    assert.equal(led.headers.get('location'), page, path);
    const document = await server.send(path, { headers: { accept: 'application/activity+json' } });
    assert.match(document.headers.get('content-type') ?? '', /^application\/activity\+json/, path);
  }
  const missing = await server.send('/contexts/1', { redirect: 'manual', headers: { accept: BROWSER } });
  assert.equal(missing.status, 404);
});
