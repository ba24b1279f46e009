import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Visitor } from '../../../kit/network/visitor.js';
import type { Person, TestServer } from '../../../kit/services/server.js';
import { startAliceAndBob } from './alice-and-bob.js';

let server: TestServer;
let bob: Person;
let aliceId: string;
let alice: Visitor;
before(async () => {
  ({ server, aliceId, bob, alice } = await startAliceAndBob());
});
after(() => server?.stop());

const CONTEXTS = ['home', 'notifications', 'public', 'thread', 'account'];

async function filter(keyword: string, filter_action: string, title: string): Promise<void> {
  const token = await server.token(aliceId, ['write']);
  const keywords_attributes = [{ keyword, whole_word: true }];
  const body = { title, context: CONTEXTS, filter_action, keywords_attributes };
  assert.equal((await server.ask('POST', '/api/v2/filters', body, token)).status, 200);
}

/** Returns the article of a post on a page. */
async function article(path: string, id: string): Promise<string> {
  const { text } = await alice.get(path);
  return text.split('<article').find((part) => part.includes(`id="post-${id}"`)) ?? '';
}

test('a post that a filter warns about waits behind the title of the filter', async () => {
  const title = '</summary><script>hacked()</script>';
  await filter('plum', 'warn', title);
  const id = await bob.says('a plum in the text');
  const covered =
    /class="filtered"><summary>Filtered: <bdi>&lt;\/summary>&lt;script>.*Show anyway.*a plum in the text/s;
  for (const path of [`/web/people/${bob.id}`, `/web/posts/${id}`]) {
    const shown = await article(path, id);
    assert.match(shown, covered, path);
    assert.ok(!shown.includes('<script>'), path);
  }
});

test('a post that a filter hides is in no list; its own page shows it covered', async () => {
  await filter('quince', 'hide', 'no quinces');
  const [hidden, shown] = [await bob.says('a quince in the text'), await bob.says('an apple')];
  assert.equal(await article(`/web/people/${bob.id}`, hidden), '');
  assert.match(await article(`/web/people/${bob.id}`, shown), /an apple/);
  assert.match(await article(`/web/posts/${hidden}`, hidden), /class="filtered".*no quinces.*a quince/s);
  const answer = (await bob.post('/api/v1/statuses', { status: 'another quince', in_reply_to_id: shown })).body.id;
  assert.equal(await article(`/web/posts/${shown}`, answer), '');
});

test('filters do not touch the posts of their owner, and end when they are deleted', async () => {
  await filter('pear', 'warn', 'no pears');
  await alice.get('/web');
  const posted = await alice.submit('/web/compose', { status: 'my own pear' });
  const id = /post-(\d+)$/.exec(posted.location ?? '')?.[1] ?? '';
  assert.doesNotMatch(await article(`/web/posts/${id}`, id), /class="filtered"/);
  const others = await bob.says('his pear');
  assert.match(await article(`/web/posts/${others}`, others), /class="filtered"/);
  const token = await server.token(aliceId, ['read', 'write']);
  const { body } = await server.ask('GET', '/api/v2/filters', undefined, token);
  const { id: filterId } = body.find((one: { title: string }) => one.title === 'no pears');
  await server.ask('DELETE', `/api/v2/filters/${filterId}`, undefined, token);
  assert.doesNotMatch(await article(`/web/posts/${others}`, others), /class="filtered"/);
});
