import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { sendForm } from '../../kit/network/multipart.js';
import { WebPages } from '../../kit/network/web-pages.js';
import { type Person, TestServer } from '../../kit/services/server.js';
import { until } from '../../kit/time/until.js';

const WAIT_MS = 30_000;

let server: TestServer;
let site: WebPages;
let ann: Person;
let bob: Person;
before(async () => {
  site = await WebPages.open((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<title>About &lt;b&gt;owls&lt;/b&gt;</title><meta property="og:site_name" content="The Owlery">');
  });
  server = await TestServer.start({ FEDERATION_ALLOW_CIDRS: 'loopback' });
  [ann, bob] = [await server.person('ann'), await server.person('bob')];
});
after(async () => {
  await server?.stop();
  await site?.close();
});

async function page(path: string): Promise<string> {
  const response = await server.send(path, { headers: { accept: 'text/html' } });
  assert.equal(response.status, 200, path);
  return response.text();
}

/** Both forms in which a post is shown. */
const bothOf = (id: string) => Promise.all([page(`/@ann/${id}`), page(`/@ann/${id}/embed`)]);

test('long threads come in pages, with ways up and down to every post', async () => {
  const chain: string[] = [];
  for (let number = 1; number <= 25; number++)
    chain.push(await ann.says(`step ${number}.`, { in_reply_to_id: chain.at(-1) }));
  const last = chain.at(-1) ?? '';
  for (let number = 1; number <= 45; number++) await bob.says(`@ann answer ${number}.`, { in_reply_to_id: last });
  const shown = await page(`/@ann/${last}`);
  const numbers = (text: string, word: string) =>
    [...text.matchAll(new RegExp(`${word} (\\d+)\\.</p>`, 'g'))].map(([, number]) => Number(number));
  const all = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
  const up = /href="([^"]+)">↑ Earlier posts/.exec(shown)?.[1] ?? '';
  const earlier = numbers(await page(up), 'step');
  assert.deepEqual(
    [...new Set([...earlier, ...numbers(shown, 'step')])].sort((one, two) => one - two),
    all(25),
  );
  const down = /href="([^"]+)">More replies ↓/.exec(shown)?.[1] ?? '';
  const rest = await page(down);
  const answers = [...numbers(shown, 'answer'), ...numbers(rest, 'answer')];
  assert.deepEqual(answers, all(45));
  assert.ok(numbers(rest, 'answer').length < 45, 'in two pages');
  assert.doesNotMatch(rest, /More replies ↓/);
  for (const after of ['1', '999999999999999999'])
    assert.match(await page(`/@ann/${last}?after=${after}`), /answer 1\./, 'an unknown place is the start');
});

test('a content warning covers text and media until the reader opens it', async () => {
  const id = await ann.says('the end of the film', { spoiler_text: 'Spoiler <b>' });
  for (const shown of await bothOf(id)) {
    assert.match(shown, /<details><summary><bdi>Spoiler &lt;b><\/bdi><\/summary>.*the end of the film.*<\/details>/s);
    assert.doesNotMatch(shown, /(?:description|title)"? content="[^"]*the end of the film/, 'previews hide it, too');
  }
});

test('pictures have their descriptions as alternative text, and sensitive ones are covered', async () => {
  const file = await sharp({ create: { width: 60, height: 40, channels: 3, background: 'olive' } })
    .png()
    .toBuffer();
  const media = async () =>
    (await sendForm(ann, 'POST', '/api/v2/media', { file, description: 'An "olive" field' })).body.id as string;
  const open = await ann.says('a picture', { media_ids: [await media()] });
  const picture = /<figure><a href="[^"]+"><img src="[^"]+" alt="An &quot;olive&quot; field" width="\d+" height="\d+"/;
  for (const shown of await bothOf(open)) {
    assert.match(shown, picture);
    assert.doesNotMatch(shown, /<details>/);
  }
  const covered = await ann.says('a picture', { media_ids: [await media()], sensitive: true });
  for (const shown of await bothOf(covered))
    assert.match(shown, new RegExp(`<details><summary>Sensitive media</summary>.*${picture.source}`, 's'));
});

test('a poll shows its options and votes; hidden results show with its end', async () => {
  const poll = { options: ['yes', 'no <i>'], expires_in: 3_600 };
  const [open, secret] = [
    await ann.post('/api/v1/statuses', { status: 'shall we?', poll }),
    await ann.post('/api/v1/statuses', { status: 'and we?', poll: { ...poll, hide_totals: true } }),
  ];
  for (const { body } of [open, secret])
    assert.equal((await bob.post(`/api/v1/polls/${body.poll.id}/votes`, { choices: [0] })).status, 200);
  for (const shown of await bothOf(open.body.id)) {
    assert.match(shown, /<ul class="poll"><li><bdi>yes<\/bdi><meter min="0" max="1" value="1"[^>]*>.*100%/s);
    assert.match(shown, /<bdi>no &lt;i><\/bdi><meter[^>]* value="0"[^>]*>.*0%.*1 vote · Open until <time/s);
  }
  for (const shown of await bothOf(secret.body.id)) {
    assert.match(shown, /<ul class="poll"><li><bdi>yes<\/bdi><\/li>/);
    assert.doesNotMatch(shown, /<meter/);
  }
});

test('a linked page shows as a card, as text', async () => {
  const id = await ann.says(`read ${site.url}/owls`);
  const card = /<a class="preview" href="[^"]+\/owls" rel="nofollow noopener noreferrer">.*?<\/a>/s;
  const shown = await until('the card', async () => card.exec(await page(`/@ann/${id}`))?.[0], WAIT_MS);
  assert.match(shown, /<strong>About &lt;b>owls&lt;\/b><\/strong>.*The Owlery/s);
  assert.match(await page(`/@ann/${id}/embed`), card);
});

test('a quote shows the quoted post, until its author takes it back', async () => {
  const quoted = await bob.says('words to quote');
  const id = await ann.says('indeed', { quoted_status_id: quoted });
  for (const shown of await bothOf(id))
    assert.match(
      shown,
      new RegExp(`indeed.*<blockquote class="quoted post">.*href="/@bob/${quoted}".*words to quote`, 's'),
    );
  await bob.post(`/api/v1/statuses/${quoted}/quotes/${id}/revoke`);
  for (const shown of await bothOf(id)) {
    assert.match(shown, /The quoted post is not available/);
    assert.doesNotMatch(shown, /words to quote/);
  }
});

test('the address that a post’s page names for oEmbed answers with a quotation, or with the content warning', async () => {
  const quoted = async (id: string) => {
    const shown = await page(`/@ann/${id}`);
    const discovered = /type="application\/json\+oembed" href="http:\/\/localhost([^"]+)"/.exec(shown)?.[1] ?? '';
    const { status, body } = await server.get(discovered.replaceAll('&amp;', '&'));
    assert.equal(status, 200);
    return body.html as string;
  };
  const open = await ann.says('to be shown elsewhere');
  assert.ok(
    (await quoted(open)).startsWith(`<blockquote cite="http://localhost/@ann/${open}"><p>to be shown elsewhere`),
  );
  const covered = await quoted(await ann.says('the end of the film', { spoiler_text: 'Spoiler <b>' }));
  assert.match(covered, /<p>Spoiler &lt;b(?:>|&gt;)<\/p>/);
  assert.doesNotMatch(covered, /the end of the film/);
});
