import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Person, TestServer } from '../../kit/services/server.js';

/** Headers that differ between all answers. */
const OWN_HEADERS = ['x-request-id', 'date', 'x-runtime'];
const PAGE = ['text/html'];
const ACCEPTED = [...PAGE, 'application/activity+json', '*/*'];
const LANGUAGES = ['en', 'de'];

let server: TestServer;
let ann: Person;
let bob: Person;
before(async () => {
  server = await TestServer.start();
  ann = await server.person('ann');
  bob = await server.person('bob');
});
after(() => server?.stop());

/** Returns everything of an answer that a reader can compare: status, headers and bytes. */
async function answerAt(path: string, accept: string, language = 'en'): Promise<string> {
  const response = await server.send(path, {
    redirect: 'manual',
    headers: { accept, 'accept-language': language },
  });
  const headers = [...response.headers].filter(([name]) => !OWN_HEADERS.includes(name)).sort();
  return JSON.stringify([response.status, headers, await response.text()]);
}

/** Compares the answers at the paths with those at the path of something that never existed, which is a 404. */
async function looksMissing(hidden: readonly string[], missing: string, accepted = ACCEPTED): Promise<void> {
  for (const accept of accepted)
    for (const language of LANGUAGES) {
      const expected = await answerAt(missing, accept, language);
      assert.match(expected, /^\[404,/, missing);
      for (const path of hidden) assert.equal(await answerAt(path, accept, language), expected, `${path} ${accept}`);
    }
}

test('private, direct and deleted posts answer as one that never existed', async () => {
  const deleted = await ann.says('deleted soon');
  await ann.remove(`/api/v1/statuses/${deleted}`);
  const hidden = [
    deleted,
    await ann.says('for followers', { visibility: 'private' }),
    await ann.says('@bob for you', { visibility: 'direct' }),
  ];
  const root = await bob.says('a root for everybody');
  hidden.push(await ann.says('a hidden reply', { visibility: 'private', in_reply_to_id: root }));
  // An id of the same age that was never given to a status.
  const never = String(BigInt(root) + 1n);
  for (const part of ['', '/embed', '/history'])
    await looksMissing(
      hidden.map((id) => `/@ann/${id}${part}`),
      `/@ann/${never}${part}`,
    );
  // The author in the address makes no difference either.
  for (const name of ['bob', 'nobody'])
    await looksMissing(
      hidden.map((id) => `/@${name}/${id}`),
      `/@${name}/${never}`,
    );
});

test('a thread with hidden replies has the page of a thread without them', async () => {
  const read = async (id: string) => {
    const response = await server.send(`/@bob/${id}`, { headers: { accept: 'text/html' } });
    const text = await response.text();
    return text.replaceAll(id, 'ID').replaceAll(/datetime="[^"]*"|content="\d{4}-[^"]*"|title="[^"]*"/g, '');
  };
  const open = await bob.says('a root of equal words');
  const answered = await bob.says('a root of equal words');
  await ann.says('a hidden word', { visibility: 'private', in_reply_to_id: answered });
  await ann.says('@bob a hidden word', { visibility: 'direct', in_reply_to_id: answered });
  assert.equal(await read(answered), await read(open));
});

test('suspended people answer as people who never existed', async () => {
  const staff = await server.staff('mod', 'admin');
  const eve = await server.person('eve');
  const said = await eve.says('before the suspension #eve');
  await staff.post(`/api/v1/admin/accounts/${eve.id}/action`, { type: 'suspend' });
  const parts = ['', '/followers', '/following', '/with_replies', '/media', '/follow', '.rss'];
  // Other servers get the document, which says that the account is suspended (FEDERATION.md).
  for (const part of parts) await looksMissing([`/@eve${part}`, `/@eve@localhost${part}`], `/@nobody${part}`, PAGE);
  for (const part of ['', '/embed', '/history'])
    await looksMissing([`/@eve/${said}${part}`], `/@nobody/${said}${part}`);
  for (const path of [
    '/public',
    '/public/local',
    '/tags/eve',
    '/tags/eve.rss',
    '/directory?order=new',
    '/explore',
    '/',
  ])
    assert.doesNotMatch(await answerAt(path, 'text/html'), /before the suspension|@eve\b/, path);
});

test('a hidden list of followers answers alike, whoever is in it and at whatever position', async () => {
  const hider = await server.person('hider');
  const change = { hide_collections: true };
  await server.ask('PATCH', '/api/v1/accounts/update_credentials', change, hider.token);
  const pages = async () => {
    const all: string[] = [];
    for (const list of ['followers', 'following'])
      for (const query of ['', '?max_id=1', '?min_id=1', `?max_id=${ann.id}`, `?since_id=${bob.id}`])
        all.push(await answerAt(`/@hider/${list}${query}`, 'text/html'));
    return all;
  };
  await ann.follows(hider);
  await hider.follows(ann);
  const withAnn = await pages();
  for (const text of withAnn) assert.doesNotMatch(text, /@ann\b|rel=\\"(?:next|prev)/);
  await ann.post(`/api/v1/accounts/${hider.id}/unfollow`);
  await hider.post(`/api/v1/accounts/${ann.id}/unfollow`);
  await bob.follows(hider);
  await hider.follows(bob);
  assert.deepEqual(await pages(), withAnn);
});
