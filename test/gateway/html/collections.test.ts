import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Person, TestServer } from '../../kit/services/server.js';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const HOSTILE = '<script>alert(1)</script>';
let server: TestServer;
let ann: Person;
let ben: Person;
before(async () => {
  server = await TestServer.start();
  [ann, ben] = [await server.person('ann'), await server.person('ben')];
  await server.ask('PATCH', '/api/v1/accounts/update_credentials', { discoverable: true }, ann.token);
});
after(() => server?.stop());

const make = async (more: object = {}) => {
  const made = await ben.post('/api/v1/collections', { name: 'Birders', account_ids: [ann.id], ...more });
  assert.equal(made.status, 200, JSON.stringify(made.body));
  return made.body.collection as { readonly id: string; readonly url: string; readonly uri: string };
};

const suspend = (who: Person) =>
  server.node.services.askAccount(who.id, 'moderate', { action: 'suspend', by: '', text: '', mail: false });

async function open(address: string, headers: Readonly<Record<string, string>> = {}) {
  const { pathname } = new URL(address, 'http://localhost');
  const response = await server.send(pathname, { redirect: 'manual', headers: { accept: BROWSER, ...headers } });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

test('the address of a collection opens as a page with its text, its owner and its members', async () => {
  const { url } = await make({ name: `Birders ${HOSTILE}`, description: `Good people ${HOSTILE}`, tag_name: 'Felt' });
  const { status, text, headers } = await open(url);
  assert.equal(status, 200);
  assert.match(headers.get('content-type') ?? '', /^text\/html/);
  assert.match(text, /<h1><bdi>Birders &lt;script>.*href="\/@ben".*href="\/tags\/felt".*1 person.*Good people/s);
  assert.match(text, /<ul class="people">.*href="\/@ann"/s);
  assert.ok(!text.includes(HOSTILE));
  assert.doesNotMatch(text, /noindex/);
});

test('one that may not be found is out of search engines, and a sensitive one is covered', async () => {
  const { url } = await make({ discoverable: false, sensitive: true, description: 'Delicate' });
  const { text } = await open(url);
  assert.match(text, /<meta name="robots" content="noindex"/);
  assert.match(text, /<details><summary>.*Delicate.*<\/details>/s);
  assert.doesNotMatch(text, /<meta[^>]*Delicate/);
});

test('the address of the document leads browsers to the page, and other servers get the document at both', async () => {
  const { url, uri } = await make();
  assert.equal((await open(uri)).headers.get('location'), new URL(url).pathname);
  for (const address of [url, uri]) {
    const { headers, text } = await open(address, { accept: 'application/activity+json' });
    assert.match(headers.get('content-type') ?? '', /^application\/activity\+json/);
    assert.equal(JSON.parse(text).id, uri);
  }
});

test('a collection that nobody may see is answered exactly as a missing one', async () => {
  const cay = await server.person('cay');
  const other = await cay.post('/api/v1/collections', { name: 'Secret', account_ids: [] });
  const gone = await make({ name: 'Deleted' });
  await ben.remove(`/api/v1/collections/${gone.id}`);
  assert.equal((await open(other.body.collection.url)).status, 200);
  await suspend(cay);
  const plain = async (address: string, accept: string) => {
    const { status, text } = await open(address, { accept });
    // The number of the request and the address are in each page of a refusal.
    return { status, text: text.replaceAll(/\d{6,}|<p class="soft small">[^<]*/g, '') };
  };
  for (const accept of [BROWSER, 'application/activity+json']) {
    const missing = await plain('/collections/999999999999999999', accept);
    assert.equal(missing.status, 404);
    for (const { url } of [other.body.collection, gone]) assert.deepEqual(await plain(url, accept), missing);
    for (const id of ['x', '0', '%00', '1'.repeat(300), HOSTILE]) {
      const wrong = await open(`/collections/${encodeURIComponent(id)}`, { accept });
      assert.ok(wrong.status === 404 || wrong.status === 422 || wrong.status === 400, `${id} ${wrong.status}`);
      assert.ok(!wrong.text.includes(HOSTILE));
    }
  }
});

test('a member who leaves or is suspended is no longer on the page', async () => {
  const dan = await server.person('dan');
  await server.ask('PATCH', '/api/v1/accounts/update_credentials', { discoverable: true }, dan.token);
  const { url } = await make({ account_ids: [ann.id, dan.id] });
  assert.match((await open(url)).text, /2 people.*href="\/@dan"/s);
  await suspend(dan);
  const { text } = await open(url);
  assert.match(text, /1 person/);
  assert.doesNotMatch(text, /@dan/);
});
