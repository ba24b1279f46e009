import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { emptyProfile } from '../../../../actors/account/profile.js';
import { REMOTE_COLLECTIONS_MAX, REMOTE_ITEMS_MAX } from '../../../../actors/account/remote-collections.js';
import { eraOfId, makeId } from '../../../../actors/domain/ids.js';
import { FeaturedCollections } from '../../../../actors/federation/remote/featured-collections.js';
import { Stamps } from '../../../../actors/federation/remote/stamps.js';
import type { AccountCollection, StoreAccountRecord } from '../../../../proto/gen/types.js';
import { deletedUris, featureStamps } from '../../../../store/federation-tables.js';
import { put } from '../../../../store/port.js';
import { accounts, collections, featuredIn } from '../../../../store/tables.js';
import type { FetchOutcome } from '../../../../transport/federation/port.js';
import type { Document } from '../../../kit/federation/peer.js';
import { FAR, town } from '../../reactions/town.js';

type Town = Awaited<ReturnType<typeof town>>;
const closing: Town[] = [];
afterEach(() => {
  for (const { stage } of closing.splice(0)) stage.close();
});

const HERE = 'https://here.example';
const ANN = `${HERE}/users/ann`;
const BOB = `https://${FAR}/users/bob`;
const EVE = `https://${FAR}/users/eve`;
const VIC = 'https://v.example/users/vic';
const SHELF = `${BOB}/collections/1`;

const actor = (uri: string) => ({
  ...{ uri, url: '', inbox: `${uri}/inbox`, sharedInbox: '', outbox: '', followersUri: '', featuredUri: '', keys: [] },
  ...{ type: 'Person', alsoKnownAs: [], movedTo: '', fetchedAtMs: 1, gone: false, avatarUrl: '', headerUrl: '' },
  ...{ emojis: [], publishedMs: 0, featuredCollectionsUri: `${uri}/featured_collections` },
});

type Served = Map<string, Document | 'failed'>;

/** Returns ann of this server, bob, who has collections, vic, and documents that other servers serve. */
async function world() {
  const here = await town(['ann']);
  closing.push(here);
  const { account, receive, stage, tables } = here;
  const [ann, bob, vic] = [here.id('ann'), makeId(stage.clock.nowMs(), 1, 61), makeId(stage.clock.nowMs(), 2, 62)];
  await account(bob, 'describe', { username: 'bob', domain: FAR, profile: emptyProfile, actor: actor(BOB) });
  await account(vic, 'describe', { username: 'vic', domain: 'v.example', profile: emptyProfile, actor: actor(VIC) });
  await account(ann, 'updateProfile', { discoverable: true } as never);
  const served: Served = new Map();
  const fetched: string[] = [];
  const client = {
    object: async (uri: string): Promise<FetchOutcome> => {
      fetched.push(uri);
      const value = served.get(uri);
      if (value === undefined) return { kind: 'missing' } as FetchOutcome;
      return value === 'failed' ? ({ kind: 'failed' } as FetchOutcome) : { kind: 'object', value, url: uri };
    },
  };
  const stamps = new Stamps(client);
  const record = async (id: string) => (await tables.get(accounts, { account: id })) as StoreAccountRecord;
  const byUri = async (uri: string) => (uri === VIC ? record(vic) : uri === BOB ? record(bob) : undefined);
  const remote = new FeaturedCollections({
    ...{ baseUrl: HERE, tables, client, stamps, clock: stage.clock },
    people: { known: byUri, find: async (uri) => (await byUri(uri)) ?? { missing: 'gone' } },
    localAccountAt: async (uri) => (uri === ANN ? record(ann) : undefined),
    askAccount: receive,
  });
  const owner = await record(bob);
  const known = async () => {
    const reply = await account(bob, 'collectionAt', { uri: SHELF });
    return 'items' in reply ? (reply as AccountCollection) : undefined;
  };
  const accountsIn = async () => (await known())?.items.map((item) => item.account);
  const tell = (document: Document) => remote.told(document, owner);
  return { ...here, ann, bob, vic, served, fetched, stamps, remote, owner, known, accountsIn, tell };
}

/** Serves the stamp by which vic permits a place, and returns the place. */
function placeOf(served: Served, number = 1, stamped: Document = {}): Document {
  const id = `https://v.example/stamps/${number}`;
  const stamp = {
    ...{ id, type: 'FeatureAuthorization', attributedTo: VIC },
    ...{ interactingObject: SHELF, interactionTarget: VIC },
  };
  served.set(id, { ...stamp, ...stamped });
  const place = { id: `${SHELF}/items/${number}`, type: 'FeaturedItem', featuredObject: VIC };
  return { ...place, featureAuthorization: id, published: '2026-01-01T12:00:00Z' };
}
const shelf = (orderedItems: unknown, more: Document = {}): Document => ({
  ...{ id: SHELF, type: 'FeaturedCollection', attributedTo: BOB, name: '<b>Birds</b> &', orderedItems },
  ...{ summary: '<p>Fine <script>x</script>birds</p>', sensitive: true, discoverable: true },
  ...{ published: '1970-01-01T12:00:00Z', updated: '1970-01-02T12:00:00Z', topic: { name: '#Owls' } },
  ...more,
});

test('a collection shows the accounts whose stamps are proven, which are fetched once', async () => {
  const { served, fetched, tell, known, vic, tables, remote, owner, stamps } = await world();
  const item = placeOf(served);
  const stamp = { account: vic, stamp: item.featureAuthorization };
  assert.equal(await tell(shelf([item], { summaryMap: { de: 'Sch\u00f6ne V\u00f6gel' } })), 'done');
  const first = await known();
  assert.deepEqual(first?.text, {
    ...{ name: 'Birds &', description: 'Sch\u00f6ne V\u00f6gel', language: 'de', tag: 'owls' },
    ...{ sensitive: true, discoverable: true },
  });
  assert.deepEqual(
    first?.items.map(({ account, stampUri, uri }) => [account, stampUri, uri]),
    [[vic, item.featureAuthorization, item.id]],
  );
  assert.equal((await tables.get(collections, { collection: first?.id ?? '' }))?.uri, SHELF);
  assert.equal((await tables.get(featureStamps, stamp))?.collectionId, first?.id);
  assert.equal(await tell(shelf([item], { name: 'Owls', updated: '1970-01-03T12:00:00Z' })), 'done');
  const second = await known();
  assert.deepEqual([second?.text?.name, second?.id, second?.items[0]?.id], ['Owls', first?.id, first?.items[0]?.id]);
  assert.deepEqual(fetched, [item.featureAuthorization], 'a proven stamp is not fetched again');
  assert.equal(await tell(shelf([], { name: 'old' })), 'done');
  assert.equal((await known())?.text?.name, 'Owls', 'an older version has no effect');
  assert.deepEqual(stamps.figures.FeatureAuthorization, { accepted: 1, rejected: 0, later: 0 });
  await remote.parted(item.id, SHELF, owner);
  assert.deepEqual((await known())?.items, []);
  assert.equal(await tables.get(featureStamps, stamp), undefined);
});

test('forged stamps are not shown, and are counted', async () => {
  const { served, tell, accountsIn, stamps } = await world();
  const forged = [
    placeOf(served, 1, { attributedTo: BOB }),
    placeOf(served, 2, { interactingObject: `${BOB}/collections/2` }),
    placeOf(served, 3, { interactionTarget: BOB }),
    placeOf(served, 4, { type: 'QuoteAuthorization' }),
    { ...placeOf(served, 5), featureAuthorization: `https://${FAR}/stamps/5` },
    { ...placeOf(served, 6), featureAuthorization: 'https://v.example/stamps/none' },
    { ...placeOf(served, 7), featuredObject: ANN, featureAuthorization: `${ANN}/feature_authorizations/7` },
    { ...placeOf(served, 8), featuredObject: ANN, featureAuthorization: 'https://v.example/stamps/8' },
  ];
  assert.equal(await tell(shelf(forged)), 'done');
  assert.deepEqual(await accountsIn(), []);
  assert.deepEqual(stamps.figures.FeatureAuthorization, { accepted: 0, rejected: forged.length, later: 0 });
});

test('a local account shows with the stamp that it has given for this collection, until it leaves', async () => {
  const { account, tell, known, accountsIn, ann, bob, stage, tables, delivered } = await world();
  await account(ann, 'requestFeature', { by: bob, uri: SHELF, requestId: '', follows: false });
  await stage.clock.settle();
  const [accept] = delivered.splice(0);
  const { result } = (accept?.activity ?? {}) as Document;
  const item = { id: `${SHELF}/items/1`, type: 'FeaturedItem', featuredObject: ANN, featureAuthorization: result };
  const other = shelf([item], { id: `${BOB}/collections/2` });
  assert.equal(await tell({ ...other, orderedItems: [{ ...item, id: `${other.id}/items/1` }] }), 'done');
  assert.equal(await tell(shelf([item])), 'done');
  assert.deepEqual(await accountsIn(), [ann]);
  const { id, items } = (await known()) ?? {};
  const place = items?.[0]?.id ?? '';
  const row = () => tables.get(featuredIn, { account: ann, era: eraOfId(place), item: place });
  assert.deepEqual(await row(), { collectionId: id, owner: bob });
  await account(ann, 'endFeaturing', { uri: SHELF });
  await stage.clock.settle();
  assert.deepEqual([await accountsIn(), await row()], [[], undefined]);
  assert.deepEqual(
    delivered.map(({ activity }) => activity.type),
    ['Delete'],
  );
  assert.equal(await tell(shelf([item])), 'done');
  assert.deepEqual(await accountsIn(), [], 'the revoked stamp proves nothing');
});

test('collections of others, on other servers and deleted ones are not stored', async () => {
  const { served, remote, owner, tell, known, tables } = await world();
  for (const odd of [
    { attributedTo: VIC },
    { attributedTo: EVE },
    { attributedTo: [BOB, EVE] },
    { attributedTo: undefined },
    { id: 'https://v.example/collections/1' },
    { id: `${SHELF}${'0'.repeat(500)}` },
    { type: 'Note' },
  ])
    assert.equal(await tell(shelf([], odd)), 'ignored', JSON.stringify(odd));
  served.set(SHELF, shelf([], { attributedTo: EVE }));
  assert.equal(await remote.find(SHELF, owner), 'ignored');
  served.set(SHELF, shelf([], { id: `${BOB}/collections/2` }));
  assert.equal(await remote.find(SHELF, owner), 'ignored');
  assert.equal(await remote.find('https://v.example/collections/1', owner), 'ignored');
  assert.equal(await known(), undefined);
  served.set(SHELF, shelf([]));
  assert.equal(await remote.find(SHELF, owner), 'done');
  served.delete(SHELF);
  assert.equal(await remote.find(SHELF, owner), 'ignored');
  assert.equal(await known(), undefined, 'a collection that is gone is removed');
  await tables.write([put(deletedUris, { uri: SHELF }, { atMs: 1 })]);
  assert.equal(await tell(shelf([])), 'ignored');
});

test('the completion of a profile removes collections that its list has no more and that are gone', async () => {
  const { served, remote, owner, known, account, bob } = await world();
  const [list, kept] = [`${BOB}/featured_collections`, `${BOB}/collections/2`];
  const serve = (...orderedItems: string[]) => served.set(list, { id: list, type: 'OrderedCollection', orderedItems });
  for (const id of [SHELF, kept]) served.set(id, shelf([], { id }));
  serve(SHELF, kept);
  await remote.all(owner, () => false);
  serve();
  await remote.all(owner, () => false);
  assert.ok(await known(), 'a list that lacks a collection does not prove its end');
  served.delete(SHELF);
  await remote.all(owner, () => false);
  assert.equal(await known(), undefined);
  assert.ok('items' in (await account(bob, 'collectionAt', { uri: kept })));
});

test('huge lists, loops of pages, odd items and many collections are bounded', async () => {
  const { served, fetched, remote, owner, tell, accountsIn, account, bob, vic } = await world();
  const many = Array.from({ length: 10_000 }, (_, index) => placeOf(served, index + 1));
  assert.equal(await tell(shelf([7, null, 'x', { type: 'FeaturedItem' }, ...many])), 'done');
  assert.deepEqual(await accountsIn(), [vic], 'an account shows once');
  assert.ok(fetched.length <= REMOTE_ITEMS_MAX, `${fetched.length} fetches`);
  fetched.length = 0;
  const page = `${SHELF}/page`;
  served.set(page, { id: page, type: 'OrderedCollectionPage', attributedTo: BOB, orderedItems: [], next: page });
  assert.equal(await tell(shelf([], { first: page, updated: '1970-01-09T00:00:00Z' })), 'done');
  assert.deepEqual(fetched, [page]);
  const uris = Array.from({ length: 3 * REMOTE_COLLECTIONS_MAX }, (_, index) => `${BOB}/collections/${index + 10}`);
  for (const id of uris) served.set(id, shelf([], { id }));
  const list = `${BOB}/featured_collections`;
  served.set(list, { id: list, type: 'OrderedCollection', orderedItems: uris });
  await remote.all(owner, () => false);
  const reply = await account(bob, 'collections', {});
  assert.equal('ids' in reply && reply.ids.length, REMOTE_COLLECTIONS_MAX);
});

test('a stamp that cannot be fetched now is repeated, and the rest is stored', async () => {
  const { served, tell, accountsIn, vic, remote, owner } = await world();
  const item = placeOf(served);
  served.set(item.featureAuthorization, 'failed');
  assert.equal(await tell(shelf([item])), 'later');
  assert.deepEqual(await accountsIn(), []);
  assert.equal(await remote.joined(item, SHELF, owner), 'later');
  placeOf(served);
  assert.equal(await remote.joined(item, SHELF, owner), 'done');
  assert.deepEqual(await accountsIn(), [vic]);
  await remote.forget(SHELF, owner);
  assert.equal(await accountsIn(), undefined);
});
