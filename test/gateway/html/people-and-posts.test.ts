import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { sendForm } from '../../kit/network/multipart.js';
import { type Person, TestServer } from '../../kit/services/server.js';

const BROWSER = 'text/html,application/xhtml+xml,*/*;q=0.8';

let server: TestServer;
let ann: Person;
let bob: Person;
before(async () => {
  server = await TestServer.start();
  ann = await server.person('ann');
  bob = await server.person('bob');
});
after(() => server?.stop());

async function page(path: string, headers: Readonly<Record<string, string>> = {}) {
  const response = await server.send(path, { redirect: 'manual', headers: { accept: BROWSER, ...headers } });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const say = async (person: Person, fields: object): Promise<string> =>
  (await person.post('/api/v1/statuses', fields)).body.id;
const change = (person: Person, fields: object) =>
  server.ask('PATCH', '/api/v1/accounts/update_credentials', fields, person.token);

test('a person has a page with name, text, fields and posts; hostile texts stay text', async () => {
  const hostile = '<script>alert(1)</script>';
  await change(ann, {
    display_name: `Ann ${hostile}`,
    note: `Birds ${hostile} https://birds.example`,
    fields_attributes: [{ name: `Site ${hostile}`, value: 'https://ann.example' }],
  });
  await say(ann, { status: `First ${hostile} #owls` });
  const { status, text, headers } = await page('/@ann');
  assert.equal(status, 200);
  assert.match(headers.get('content-type') ?? '', /^text\/html/);
  assert.doesNotMatch(text, /<script/);
  assert.match(text, /<h1[^>]*><bdi>Ann &lt;script>alert\(1\)&lt;\/script><\/bdi><\/h1>/);
  assert.match(text, /<title>Ann .* \(@ann@localhost\) – localhost<\/title>/);
  assert.match(text, /href="https:\/\/ann\.example"[^>]*rel="[^"]*\bme\b/);
  assert.match(text, /First &lt;script&gt;/);
  assert.equal(headers.get('access-control-allow-origin'), null);
});

test('tabs hold replies and media apart', async () => {
  const id = await say(bob, { status: 'a post to answer' });
  await say(ann, { status: '@bob my reply', in_reply_to_id: id });
  assert.doesNotMatch((await page('/@ann')).text, /my reply/);
  assert.match((await page(`/@${ann.name}/with_replies`)).text, /my reply/);
  assert.doesNotMatch((await page(`/@${ann.name}/media`)).text, /my reply/);
});

test('the owner of a profile may hide its media, or the replies among them', async () => {
  const zoe = await server.person('zoe');
  const file = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'teal' } })
    .png()
    .toBuffer();
  const picture = async () => [(await sendForm(zoe, 'POST', '/api/v2/media', { file })).body.id];
  const post = await zoe.says('a picture', { media_ids: await picture() });
  const other = await say(ann, { status: 'asks for a picture' });
  await zoe.says('@ann one for you', { in_reply_to_id: other, media_ids: await picture() });
  await zoe.says('one for me', { in_reply_to_id: post, media_ids: await picture() });
  const media = async () => (await page('/@zoe/media')).text;
  assert.match(await media(), /one for me.*one for you.*a picture/s);
  await change(zoe, { show_media_replies: false });
  assert.match(await media(), /one for me.*a picture/s);
  assert.doesNotMatch(await media(), /one for you/);
  assert.match((await page('/@zoe')).text, /href="\/@zoe\/media"/);
  const known = (await page('/@zoe/media')).headers.get('etag') ?? '';
  await change(zoe, { show_media: false });
  for (const path of ['/@zoe', '/@zoe/with_replies'])
    assert.doesNotMatch((await page(path)).text, /href="\/@zoe\/media"/, path);
  const [hidden, absent] = [await page('/@zoe/media', { 'if-none-match': known }), await page('/@zoe/1')];
  assert.deepEqual([hidden.status, hidden.text.replaceAll('/@zoe/media', '/@zoe/1')], [404, absent.text]);
  await change(zoe, { show_media: true, show_media_replies: true });
  assert.match(await media(), /one for you/);
});

test('a profile shows the people whom its owner features, until one of them is suspended or the owner hides them', async () => {
  const [fan, star, gone] = [await server.person('fan'), await server.person('star'), await server.person('gone')];
  for (const { id } of [star, gone])
    for (const verb of ['follow', 'endorse']) await fan.post(`/api/v1/accounts/${id}/${verb}`);
  const section = async (path = '/@fan') => /Featured people<\/h2>.*?<\/section>/s.exec((await page(path)).text)?.[0];
  assert.match((await section()) ?? '', /href="\/@gone".*href="\/@star"/s);
  assert.equal(await section('/@fan/with_replies'), undefined);
  const staff = await server.staff('judge', 'admin');
  await staff.post(`/api/v1/admin/accounts/${gone.id}/action`, { type: 'suspend' });
  assert.doesNotMatch((await section()) ?? '', /@gone/);
  await change(fan, { show_featured: false });
  assert.equal(await section(), undefined);
});

test('pages of a profile lead to older and newer posts', async () => {
  const many = await server.person('many');
  for (let number = 1; number <= 25; number++) await say(many, { status: `post ${number}.` });
  const first = (await page('/@many')).text;
  assert.match(first, /post 25\./);
  assert.doesNotMatch(first, /rel="prev"/);
  const older = /rel="next" href="([^"]+)"/.exec(first)?.[1]?.replaceAll('&amp;', '&') ?? '';
  const second = (await page(older)).text;
  assert.match(second, /post 1\./);
  assert.doesNotMatch(second, /post 25\.|rel="next"/);
  assert.match(second, /rel="prev" href="\/@many\?min_id=/);
});

test('people who follow each other are listed, and a hidden list shows its total alone', async () => {
  await ann.follows(bob);
  assert.match((await page(`/@${bob.name}/followers`)).text, /class="people".*href="\/@ann"/s);
  assert.match((await page(`/@${ann.name}/following`)).text, /class="people".*href="\/@bob"/s);
  await change(bob, { hide_collections: true });
  const hidden = (await page(`/@${bob.name}/followers`)).text;
  assert.match(hidden, /keeps the list private/);
  assert.match(hidden, /<strong>1<\/strong> Followers/);
  assert.doesNotMatch(hidden, /class="people"/);
});

test('a follow from elsewhere offers the way to the server that the reader names', async () => {
  assert.match((await page(`/@${ann.name}/follow`)).text, /name="from"/);
  const led = await page('/@ann/follow?from=eve@far.example');
  assert.equal(led.status, 200, 'a link, so that nobody is led elsewhere unasked');
  assert.match(
    led.text,
    /href="https:\/\/far\.example\/authorize_interaction\?uri=ann%40localhost"[^>]*>Go on to far\.example</,
  );
  const wrong = await page('/@ann/follow?from=%22%3E%3Cb%3E');
  assert.equal(wrong.status, 422);
  assert.match(wrong.text, /value="&quot;>&lt;b>"/);
  assert.match(wrong.text, /role="alert">That is not an address/);
});

test('a feed has the public posts', async () => {
  const { headers, text } = await page('/@ann.rss');
  assert.match(headers.get('content-type') ?? '', /^application\/rss\+xml/);
  assert.match(text, /<link>http:\/\/localhost\/@ann\/\d+<\/link>/);
});

test('a post has a page with its thread, a frame for other sites, and its versions', async () => {
  const id = await say(ann, { status: 'the root of a thread' });
  await say(bob, { status: '@ann an answer', in_reply_to_id: id });
  const shown = await page(`/@ann/${id}`);
  assert.match(shown.text, /post focused.*the root of a thread.*an answer/s);
  assert.match(shown.text, /rel="alternate" type="application\/json\+oembed" href="[^"]*\/api\/oembed\?/);
  assert.equal(shown.headers.get('x-frame-options'), 'DENY');
  const framed = await page(`/@${ann.name}/${id}/embed`);
  assert.equal(framed.headers.get('x-frame-options'), null);
  assert.doesNotMatch(framed.headers.get('content-security-policy') ?? '', /frame-ancestors/);
  await ann.put(`/api/v1/statuses/${id}`, { status: 'the mended root' });
  const versions = (await page(`/@${ann.name}/${id}/history`)).text;
  assert.match(versions, /Version 2.*the mended root.*Version 1.*the root of a thread/s);
  assert.match((await page(`/@ann/${id}`)).text, /the mended root/);
  assert.equal((await page(`/@bob/${id}`)).status, 404, 'the author is part of the address');
});

test('private, direct, deleted and suspended things look like missing ones', async () => {
  const missing = (await page('/@ann/1')).text;
  const gone = await say(ann, { status: 'deleted soon' });
  await ann.remove(`/api/v1/statuses/${gone}`);
  const secret = await say(ann, { status: 'for followers', visibility: 'private' });
  const direct = await say(ann, { status: '@bob for you', visibility: 'direct' });
  const withoutId = (text: string) => text.replaceAll(/\/\d{6,}/g, '');
  for (const id of [gone, secret, direct])
    for (const path of ['', '/embed', '/history'])
      assert.equal(withoutId((await page(`/@ann/${id}${path}`)).text), withoutId(missing), path);
  const staff = await server.staff('mod', 'admin');
  const eve = await server.person('eve');
  await staff.post(`/api/v1/admin/accounts/${eve.id}/action`, { type: 'suspend' });
  for (const path of ['', '/followers', '/with_replies', '.rss'])
    assert.equal((await page(`/@eve${path}`)).text, (await page(`/@nobody${path}`)).text, path);
});

test('documents for other servers and pages for people share an address', async () => {
  const id = await say(ann, { status: 'two forms' });
  const document = await server.send(`/@ann/${id}`, { headers: { accept: 'application/activity+json' } });
  assert.equal(((await document.json()) as { type: string }).type, 'Note');
  assert.equal((await page(`/users/ann/statuses/${id}`)).headers.get('location'), `/@ann/${id}`);
  assert.equal((await page('/users/ann')).headers.get('location'), '/@ann');
});

test('a browser that has the page gets 304', async () => {
  const etag = (await page('/@bob')).headers.get('etag') ?? '';
  assert.equal((await page('/@bob', { 'if-none-match': etag })).status, 304);
  await say(bob, { status: 'something new' });
  assert.equal((await page('/@bob', { 'if-none-match': etag })).status, 200);
});
