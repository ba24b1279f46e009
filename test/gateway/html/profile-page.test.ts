import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { Peer } from '../../kit/federation/peer.js';
import { sendForm } from '../../kit/network/multipart.js';
import { WebPages } from '../../kit/network/web-pages.js';
import { type Person, TestServer } from '../../kit/services/server.js';
import { until } from '../../kit/time/until.js';

const WAIT_MS = 30_000;
const NOINDEX = /<meta name="robots" content="noindex"/;

let server: TestServer;
let peer: Peer;
let site: WebPages;
let staff: Person;
before(async () => {
  peer = await Peer.open();
  site = await WebPages.open((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<a rel="me" href="http://localhost/@ann">Ann</a>');
  });
  server = await TestServer.start({ FEDERATION_ALLOW_CIDRS: 'loopback' });
  staff = await server.staff('judge', 'admin');
});
after(async () => {
  await server?.stop();
  await Promise.all([peer?.close(), site?.close()]);
});

async function page(path: string): Promise<string> {
  const response = await server.send(path, { headers: { accept: 'text/html' } });
  assert.equal(response.status, 200, path);
  return response.text();
}

const change = (person: Person, fields: object) =>
  server.ask('PATCH', '/api/v1/accounts/update_credentials', fields, person.token);

const plain = (colour: string) =>
  sharp({ create: { width: 400, height: 400, channels: 3, background: colour } })
    .png()
    .toBuffer();

test('the head of a profile has pictures with descriptions, address, marks, text, counts and the day of the sign-up', async () => {
  const [ann, fan] = [await server.person('ann'), await server.person('fan')];
  const pictures = { avatar: await plain('teal'), header: await plain('navy') };
  const described = { avatar_description: 'A "teal" square', header_description: 'A navy field' };
  assert.equal(
    (await sendForm(ann, 'PATCH', '/api/v1/accounts/update_credentials', { ...pictures, ...described })).status,
    200,
  );
  await change(ann, { display_name: 'Ann', note: 'About birds.', bot: true, locked: true });
  for (const text of ['one', 'two']) await ann.says(text);
  await ann.follows(fan);
  const { body } = await server.get(`/api/v1/accounts/${ann.id}`);
  const shown = await page('/@ann');
  assert.ok(shown.includes(`<img class="banner" src="${body.header_static}" alt="A navy field"`));
  assert.ok(
    shown.includes(`<img class="portrait u-photo" src="${body.avatar_static}" alt="A &quot;teal&quot; square"`),
  );
  for (const address of [body.header_static, body.avatar_static])
    assert.equal((await server.send(new URL(address).pathname)).headers.get('content-type')?.split('/')[0], 'image');
  assert.match(shown, /@ann@localhost <span class="mark">Automated<\/span>.*<span class="mark">Approves followers</s);
  assert.match(shown, /<p>About birds\.<\/p>/);
  assert.match(shown, /<strong>2<\/strong> Posts.*<strong>1<\/strong> Following.*<strong>0<\/strong> Followers/s);
  assert.match(shown, /Joined <time datetime="\d{4}-\d\d-\d\d/);
  await change(ann, { bot: false, locked: false });
  assert.doesNotMatch(await page('/@ann'), /Automated|Approves followers/);
});

test('a field whose page links back is marked as verified, another one is not', async () => {
  const ann = (await server.get('/api/v1/accounts/lookup?acct=ann')).body.id as string;
  const token = await server.token(ann, ['read', 'write']);
  const fields_attributes = [
    { name: 'Mine', value: `${site.url}/mine` },
    { name: 'Said', value: 'only said' },
  ];
  assert.doesNotMatch(await page('/@ann'), /Verified link/);
  await server.ask('PATCH', '/api/v1/accounts/update_credentials', { fields_attributes }, token);
  const shown = await until(
    'the field is verified',
    async () => {
      const text = await page('/@ann');
      return text.includes('Verified link') ? text : undefined;
    },
    WAIT_MS,
  );
  const list = /<dl>.*<\/dl>/s.exec(shown)?.[0] ?? '';
  assert.match(list, /<div class="verified"><dt><bdi>Mine<\/bdi><\/dt><dd>.*Verified link: .*rel="[^"]*\bme\b/s);
  assert.match(list, /<div><dt><bdi>Said<\/bdi><\/dt><dd><span>only said</);
  assert.equal(list.split('Verified link: ').length, 2, 'one of two');
});

test('a profile shows pinned posts above the others, and the featured hashtags', async () => {
  const kim = await server.person('kim');
  const pinned = await kim.says('the #owls are mine');
  await kim.says('a later post');
  await kim.post(`/api/v1/statuses/${pinned}/pin`);
  await kim.post('/api/v1/featured_tags', { name: 'owls' });
  const shown = await page('/@kim');
  assert.match(shown, /<p class="above">Pinned<\/p>.*are mine.*a later post/s);
  assert.match(shown, /aria-label="Featured hashtags".*href="\/@kim\/tagged\/owls"[^>]*>#owls</s);
  for (const tab of ['/with_replies', '/media'])
    assert.doesNotMatch(await page(`/@kim${tab}`), /class="above">Pinned/, tab);
  await kim.post(`/api/v1/statuses/${pinned}/unpin`);
  assert.doesNotMatch(await page('/@kim'), /class="above">Pinned/);
});

test('a profile that moderators have limited says so and is out of search engines, until they lift it', async () => {
  const lou = await server.person('lou');
  await change(lou, { indexable: true });
  const limited = /Moderators of this server have limited this account/;
  assert.doesNotMatch(await page('/@lou'), limited);
  await staff.post(`/api/v1/admin/accounts/${lou.id}/action`, { type: 'silence' });
  for (const path of ['/@lou', '/@lou/followers']) assert.match(await page(path), limited, path);
  assert.match(await page('/@lou'), NOINDEX);
  await staff.post(`/api/v1/admin/accounts/${lou.id}/unsilence`);
  assert.doesNotMatch(await page('/@lou'), limited);
});

test('search engines find a profile and its posts only if its owner wants that', async () => {
  const max = await server.person('max');
  const post = await max.says('findable');
  const paths = ['/@max', '/@max/with_replies', '/@max/media', `/@max/${post}`];
  for (const path of paths) assert.match(await page(path), NOINDEX, path);
  await change(max, { indexable: true });
  for (const path of paths) assert.doesNotMatch(await page(path), NOINDEX, path);
  const unlisted = await max.says('quiet', { visibility: 'unlisted' });
  for (const path of [`/@max/${unlisted}`, '/@max/followers', `/@max/${post}/embed`])
    assert.match(await page(path), NOINDEX, path);
});

test('both hidden lists show their totals and a note, and name nobody', async () => {
  const [one, two] = [await server.person('shy'), await server.person('friend')];
  await one.follows(two);
  await two.follows(one);
  await change(one, { hide_collections: true });
  for (const list of ['followers', 'following']) {
    const shown = await page(`/@shy/${list}`);
    assert.match(shown, /keeps the list private/, list);
    assert.match(shown, /<strong>1<\/strong> Following.*<strong>1<\/strong> Followers/s, list);
    assert.doesNotMatch(shown, /friend/, list);
  }
});

test('a person of another server has a page that leads to the original and is out of search engines', async () => {
  const far = peer.actor('far', { indexable: true, discoverable: true });
  const query = `q=${encodeURIComponent(far.document.id)}&resolve=true&type=accounts`;
  const { body } = await staff.get(`/api/v2/search?${query}`);
  assert.equal(body.accounts.length, 1);
  const path = `/@far@${peer.host}`;
  const shown = await page(path);
  assert.ok(
    shown.includes(`<a href="${body.accounts[0].url}" rel="nofollow noopener noreferrer">Original profile</a>`),
  );
  assert.match(shown, NOINDEX);
  assert.doesNotMatch(shown, /RSS feed/);
  assert.ok(shown.includes(`href="${path}/follow"`));
});
