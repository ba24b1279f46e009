import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { WebPages } from '../../../kit/network/web-pages.js';
import { type Person, TestServer } from '../../../kit/services/server.js';
import { until } from '../../../kit/time/until.js';

const WAIT_MS = 20_000;
/** Trends stay cached for longer if computing them takes long, as on a busy machine. */
const TREND_MS = 60_000;
const PAGE = `<!doctype html><html><head><title>Old title</title>
<meta property="og:title" content="A &lt;b&gt;bold&lt;/b&gt; page"><meta name="description" content="All about it">
<meta property="og:site_name" content="The Site"><meta name="author" content="Ada"><meta property="og:image" content="/picture.png">
<meta property="article:published_time" content="2026-01-02T03:04:05Z"></head><body><script>alert(1)</script></body></html>`;

let server: TestServer;
let alice: Person;
let pages: WebPages;
/** Pages that name an author, by path. */
const creators: Record<string, string> = {};

before(async () => {
  const picture = await sharp({ create: { width: 900, height: 600, channels: 3, background: '#0a0' } })
    .png()
    .toBuffer();
  pages = await WebPages.open((request, response) => {
    const path = request.url ?? '';
    if (path === '/picture.png') response.writeHead(200, { 'content-type': 'image/png' }).end(picture);
    else if (path.startsWith('/nothing')) response.writeHead(500).end();
    else response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(creators[path] ?? PAGE);
  });
  server = await TestServer.start({ FEDERATION_ALLOW_CIDRS: '127.0.0.0/8' });
  alice = await server.person('alice');
});
after(async () => {
  await server?.stop();
  await pages?.close();
});

const cardOf = async (id: string) => (await server.get(`/api/v1/statuses/${id}`)).body.card;
const shownCard = (id: string) => until('the card is there', async () => (await cardOf(id)) ?? undefined, WAIT_MS);

test('a public status shows the card of its first link; the page is fetched once for all', async () => {
  const url = `${pages.url}/page`;
  const ids = [await alice.says(`see ${url} and ${pages.url}/second`), await alice.says(`again ${url}`)];
  const card = (await shownCard(ids[0] ?? '')) as Record<string, unknown>;
  const { image, blurhash, ...text } = card;
  assert.deepEqual(text, {
    url,
    title: 'A <b>bold</b> page',
    description: 'All about it',
    type: 'link',
    author_name: 'Ada',
    author_url: '',
    authors: [{ name: 'Ada', url: '', account: null }],
    provider_name: 'The Site',
    provider_url: pages.url,
    html: '',
    width: 587,
    height: 391,
    image_description: '',
    embed_url: '',
    published_at: '2026-01-02T03:04:05.000Z',
  });
  assert.match(String(blurhash), /.{20,}/);
  const picture = await server.send(new URL(String(image)).pathname);
  assert.equal(picture.headers.get('content-type'), 'image/jpeg');
  assert.deepEqual(await shownCard(ids[1] ?? ''), card);
  assert.deepEqual((await server.get(`/api/v1/statuses/${ids[0]}/card`)).body, card);
  assert.equal(pages.asked.filter((path) => path === '/page').length, 1);
  assert.ok(!pages.asked.includes('/second'));
});

test('a non-public status fetches no page; failing pages have no card', async () => {
  await alice.says(`${pages.url}/secret`, { visibility: 'private' });
  await alice.says(`${pages.url}/secret`, { visibility: 'direct' });
  const failed = await alice.says(`${pages.url}/nothing`);
  const last = await alice.says(`${pages.url}/last`);
  await shownCard(last);
  await until('the failing page was asked', () => pages.asked.includes('/nothing') || undefined, WAIT_MS);
  assert.equal(await cardOf(failed), null);
  assert.ok(!pages.asked.includes('/secret'));
  assert.equal((await server.get(`/api/v1/statuses/${failed}/card`)).status, 404);
});

test('an edit with another link has another card', async () => {
  const id = await alice.says(`${pages.url}/first`);
  await shownCard(id);
  const edited = await server.ask('PUT', `/api/v1/statuses/${id}`, { status: `${pages.url}/other` }, alice.token);
  assert.equal(edited.status, 200);
  const isOther = async () => ((await cardOf(id))?.url === `${pages.url}/other` ? true : undefined);
  await until('the other card is there', isOther, WAIT_MS);
});

test('a trending link shows its card, even if it is the second link of all statuses that share it', async () => {
  const [second, people] = [`${pages.url}/of-two`, [await server.person('ben'), await server.person('cleo')]];
  for (const one of people) await one.says(`${pages.url}/first-of-two then ${second}`);
  const trending = async () => {
    const { body } = await server.get('/api/v1/trends/links');
    return body.find((link: { url: string; title: string }) => link.url === second && link.title.startsWith('A <b>'));
  };
  const link = await until('the trending page', async () => (await trending()) ?? undefined, TREND_MS);
  assert.deepEqual([link.provider_name, link.author_name, link.history[0].accounts], ['The Site', 'Ada', '2']);
  assert.equal(pages.asked.filter((path) => path === '/of-two').length, 1);
});

test('a card names the account of the author that the page names, while that account allows the domain', async () => {
  const [eva, fin] = [await server.person('eva'), await server.person('fin')];
  const { domain } = (await server.get('/api/v2/instance')).body;
  const allow = (domains: string[]) =>
    server.ask('PATCH', '/api/v1/accounts/update_credentials', { attribution_domains: domains }, eva.token);
  assert.equal((await allow(['127.0.0.1'])).status, 200);
  const naming = async (path: string, creator: string) => {
    creators[path] =
      `<html><head><title>News</title><meta name="fediverse:creator" content="${creator}"></head></html>`;
    return shownCard(await alice.says(`${pages.url}${path}`));
  };
  const byEva = await naming('/by-eva-too', `@eva@${domain}`);
  assert.deepEqual([byEva.authors[0].account.acct, byEva.authors[0].name], ['eva', 'eva']);
  for (const [path, creator] of [
    ['/by-fin', `@${fin.name}@${domain}`],
    ['/by-nobody', `@nobody@${domain}`],
    ['/by-far', '@eva@127.0.0.1:1'],
    ['/by-text', 'eva'],
    ['/by-long', `@${'x'.repeat(900)}@${domain}`],
  ] as const)
    assert.deepEqual((await naming(path, creator)).authors, [], path);
  const again = await alice.says(`${pages.url}/by-eva-too`);
  assert.equal((await shownCard(again)).authors.length, 1);
  assert.equal((await server.get(`/api/v1/statuses/${again}/card`)).body.authors[0].account.acct, 'eva');
  await allow([]);
  assert.deepEqual((await cardOf(again)).authors, [], 'the account has withdrawn the domain');
});
