import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Person, TestServer } from '../../kit/services/server.js';
import { until } from '../../kit/time/until.js';

/** Trends stay cached for longer if computing them takes long, as on a busy machine. */
const TREND_MS = 60_000;

let server: TestServer;
let ann: Person;
before(async () => {
  server = await TestServer.start();
  ann = await server.person('ann');
});
after(() => server?.stop());

async function page(path: string) {
  const response = await server.send(path, { headers: { accept: 'text/html' } });
  return { status: response.status, type: response.headers.get('content-type') ?? '', text: await response.text() };
}

test('public timelines show public posts only, and lead to older ones', async () => {
  for (const path of ['/public', '/public/local']) assert.match((await page(path)).text, /nothing here yet/);
  await ann.says('for all eyes');
  await ann.says('for followers only', { visibility: 'private' });
  await ann.says('not in lists', { visibility: 'unlisted' });
  for (let number = 0; number < 20; number++) await ann.says(`filler ${number}.`);
  for (const path of ['/public', '/public/local']) {
    const first = (await page(path)).text;
    assert.match(first, /filler 19\./);
    const older = /rel="next" href="([^"]+)"/.exec(first)?.[1] ?? '';
    const second = (await page(older)).text;
    assert.match(second, /for all eyes/);
    assert.doesNotMatch(first + second, /for followers only|not in lists/);
  }
});

test('posts with a hashtag have a page and a feed', async () => {
  await ann.says('about #Ornithologie today');
  const name = 'ornithologie';
  assert.match((await page(`/tags/${name}`)).text, /about .*Ornithologie.* today/);
  const feed = await page(`/tags/${name}.rss`);
  assert.match(feed.type, /^application\/rss\+xml/);
  assert.match(feed.text, /<title>#ornithologie<\/title>/);
  assert.match((await page('/tags/%E3%82%B9%E3%82%BF%E3%83%BC')).text, /<h1>Posts with #スター<\/h1>/);
  const hostile = await page(`/tags/${encodeURIComponent('<img src=x>')}`);
  assert.doesNotMatch(hostile.text, /<img src=x/);
});

test('the directory lists people who want to be found, in two orders', async () => {
  await server.ask('PATCH', '/api/v1/accounts/update_credentials', { discoverable: true }, ann.token);
  await server.person('hidden');
  for (const query of ['', '?order=new', '?order=active&local=false']) {
    const { text } = await page(`/directory${query}`);
    assert.match(text, /href="\/@ann"/, query);
    assert.doesNotMatch(text, /href="\/@hidden"/);
  }
  assert.equal((await page('/directory?order=worst')).status, 422);
});

test('popular hashtags, links, people and posts are shown in one place, as text', async () => {
  const { status, text } = await page('/explore');
  assert.equal(status, 200);
  assert.match(text, /<h1>Explore<\/h1>.*href="\/directory"/s);
  const people = await Promise.all(['abe', 'bea', 'cyd'].map((name) => server.person(name)));
  const liked = await ann.says('liked by many <b>');
  for (const who of people) {
    await who.says('#migration https://news.example/story');
    await who.post(`/api/v1/statuses/${liked}/favourite`);
    await who.post(`/api/v1/statuses/${liked}/reblog`);
  }
  const shown = await until(
    'the trends are counted',
    async () => {
      const { text } = await page('/explore');
      return text.includes('news.example') && text.includes('liked by many') ? text : undefined;
    },
    TREND_MS,
  );
  assert.match(shown, /<h2>Popular hashtags<\/h2>.*href="\/tags\/migration"[^>]*>#migration</s);
  assert.match(
    shown,
    /<h2>In the news<\/h2>.*href="https:\/\/news\.example\/story" rel="nofollow noopener noreferrer"/s,
  );
  assert.match(shown, /<h2>[^<]*<\/h2><ul class="people">.*href="\/@ann"/s);
  assert.match(shown, /<h2>Popular posts<\/h2>.*liked by many &lt;b&gt;/s);
});
