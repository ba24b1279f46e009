import assert from 'node:assert/strict';
import type { ForeignServer, Said } from '../../../kit/federation/foreign-server.js';
import { until } from '../../../kit/time/until.js';
import { call, type Person } from '../../cluster/people.js';

/** Timeout of an effect: on a busy machine the first attempt of a delivery may time out, and the next is a minute later. */
const SEEN_MS_MAX = 240_000;
const seen = <T>(what: string, condition: () => Promise<T> | T) => until(what, condition, SEEN_MS_MAX);

// biome-ignore lint/suspicious/noExplicitAny: tests read into answers of every shape.
type Ask = (method: string, path: string, body?: object) => Promise<any>;

const listens = (peer: ForeignServer) => seen('the server', () => peer.said('listens')[0] as Required<Said>);

/** Returns fred's account as the person here sees it. */
async function findFred(ask: Ask, peer: ForeignServer) {
  const { port } = await listens(peer);
  const acct = `fred@127.0.0.1:${port}`;
  const found = await ask('GET', `/api/v2/search?q=@${acct}&resolve=true`);
  const [fred] = found.accounts;
  assert.equal(fred?.acct, acct);
  return fred;
}

/** Shows that a foreign server verifies certificates: it was started without the authority of this server. */
export async function distrust(url: string, ada: Person, peer: ForeignServer): Promise<void> {
  const ask: Ask = (method, path, body) => call(url, ada, method, path, body);
  await listens(peer);
  peer.tell(`follow ${url}/users/${ada.name}`);
  await seen('an error', () => peer.said('error').length > 0);
  assert.deepEqual(await ask('GET', `/api/v1/accounts/${ada.id}/followers`), []);
}

/**
 * Lets a person here and fred of a foreign server follow each other; both write, edit and delete a status, mark the
 * other's, and part. Asserts at each step what either server has understood.
 */
export async function exchange(url: string, ada: Person, peer: ForeignServer): Promise<void> {
  const ask: Ask = (method, path, body) => call(url, ada, method, path, body);
  const actor = `${url}/users/${ada.name}`;
  const fred = await findFred(ask, peer);
  const relation = async () => (await ask('GET', `/api/v1/accounts/relationships?id[]=${fred.id}`))[0];
  await ask('POST', `/api/v1/accounts/${fred.id}/follow`);
  await seen('a follow', async () => (await relation()).following);
  await seen('a Follow', () => peer.said('Follow').length > 0);
  peer.tell(`follow ${actor}`);
  await seen('a follower', async () => (await relation()).followed_by);
  await seen('an Accept', () => peer.said('Accept').length > 0);

  const about = (type: string, uri: string) => peer.said(type).find(({ object }) => object === uri);
  const made = await ask('POST', '/api/v1/statuses', { status: 'first words' });
  const created = await seen('a Create', () => about('Create', made.uri));
  assert.deepEqual([created?.kind, created?.content], ['Note', '<p>first words</p>']);
  await ask('PUT', `/api/v1/statuses/${made.id}`, { status: 'better words' });
  assert.equal((await seen('an Update', () => about('Update', made.uri)))?.content, '<p>better words</p>');
  await ask('POST', `/api/v1/statuses/${made.id}/pin`);
  await seen('an Add', () => about('Add', made.uri));
  peer.tell(`like ${actor} ${made.uri}`);
  await seen('a favourite', async () => (await ask('GET', `/api/v1/statuses/${made.id}`)).favourites_count === 1);
  await ask('DELETE', `/api/v1/statuses/${made.id}`);
  await seen('a Delete', () => about('Delete', made.uri));

  const theirs = async () =>
    (await ask('GET', '/api/v1/timelines/home')).filter(
      ({ account }: { account: { id: string } }) => account.id === fred.id,
    );
  peer.tell(`post ${actor} 1 words of Fred`);
  const [copy] = await seen('a status', async () => ((await theirs()).length > 0 ? theirs() : undefined));
  assert.match(copy.content, /words of Fred/);
  await ask('POST', `/api/v1/statuses/${copy.id}/favourite`);
  await seen('a Like', () => about('Like', copy.uri));
  await ask('POST', `/api/v1/statuses/${copy.id}/reblog`);
  await seen('an Announce', () => about('Announce', copy.uri));
  peer.tell(`edit ${actor} 1 edited words`);
  await seen('an edit', async () => /edited words/.test((await ask('GET', `/api/v1/statuses/${copy.id}`)).content));
  peer.tell(`delete ${actor} 1`);
  await seen('no status', async () => (await theirs()).length === 0);

  await ask('POST', `/api/v1/accounts/${fred.id}/remove_from_followers`);
  await seen('a Reject', () => peer.said('Reject').length > 0);
  await ask('POST', `/api/v1/accounts/${fred.id}/unfollow`);
  await seen('an Undo', () => peer.said('Undo').length > 0);
  assert.equal(peer.said('Undo')[0]?.of, 'Follow');
  assert.deepEqual(peer.said('error'), []);
}
