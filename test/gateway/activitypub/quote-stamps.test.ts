import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Person, TestServer } from '../../kit/services/server.js';

const BASE = 'https://social.example';
let server: TestServer;
let ann: Person;
let ben: Person;
before(async () => {
  server = await TestServer.start({ BASE_URL: BASE });
  [ann, ben] = [await server.person('ann'), await server.person('ben')];
});
after(() => server?.stop());

const fetched = (path: string) =>
  server.ask('GET', path, undefined, undefined, { accept: 'application/activity+json' });
/** Ben quotes a status. Returns the id of the quoting one. */
const quote = async (id: string, more: object = {}): Promise<string> =>
  (await ben.post('/api/v1/statuses', { status: 'look', quoted_status_id: id, ...more })).body.id;
const uriOf = (who: Person, id: string) => `${BASE}/users/${who.name}/statuses/${id}`;
const pathOf = (id: string, quoting: string) => `/users/${ann.name}/statuses/${id}/quote_authorizations/${quoting}`;

test('a quote names the stamp of its author, which is served while the quote is permitted', async () => {
  const id = await ann.says('quote me');
  const quoting = await quote(id);
  const note = (await fetched(`/users/ben/statuses/${quoting}`)).body;
  assert.deepEqual([note.quote, note.quoteAuthorization], [uriOf(ann, id), `${BASE}${pathOf(id, quoting)}`]);
  const stamp = await fetched(pathOf(id, quoting));
  assert.deepEqual([stamp.status, stamp.headers.get('cache-control')], [200, 'private, no-store']);
  const { '@context': _context, ...body } = stamp.body;
  assert.deepEqual(body, {
    ...{ id: note.quoteAuthorization, type: 'QuoteAuthorization', attributedTo: `${BASE}/users/ann` },
    ...{ interactingObject: uriOf(ben, quoting), interactionTarget: uriOf(ann, id) },
  });
  await ann.post(`/api/v1/statuses/${id}/quotes/${quoting}/revoke`);
  assert.equal((await fetched(pathOf(id, quoting))).status, 404);
  const revoked = (await fetched(`/users/ben/statuses/${quoting}`)).body;
  assert.deepEqual([revoked.quote, revoked.quoteAuthorization], [undefined, undefined]);
});

test('there is no stamp for other pairs, for deleted statuses, or for those who may not see the quoted one', async () => {
  const [id, other] = [await ann.says('quote me'), await ann.says('another')];
  const quoting = await quote(id);
  const missing = [pathOf(other, quoting), pathOf(id, other), pathOf(id, '1'), pathOf('1', quoting)];
  for (const path of [...missing, pathOf(id, quoting).replace('/ann/', '/ben/')])
    assert.equal((await fetched(path)).status, 404, path);
  await ben.remove(`/api/v1/statuses/${quoting}`);
  assert.equal((await fetched(pathOf(id, quoting))).status, 404);
  const hidden = await ann.says('for followers', { visibility: 'private' });
  const own = { status: 'again', quoted_status_id: hidden, visibility: 'private' };
  const again = (await ann.post('/api/v1/statuses', own)).body.id;
  assert.equal((await fetched(pathOf(hidden, again))).status, 404);
});

test('a quote of an own status needs no stamp', async () => {
  const id = await ben.says('mine');
  const note = (await fetched(`/users/ben/statuses/${await quote(id)}`)).body;
  assert.deepEqual([note.quote, note.quoteAuthorization], [uriOf(ben, id), undefined]);
});
