import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { emptyProfile } from '../../../../actors/account/profile.js';
import { makeId } from '../../../../actors/domain/ids.js';
import type { AccountCollection } from '../../../../proto/gen/types.js';
import { featureStamps } from '../../../../store/federation-tables.js';
import { type Delivered, FAR, town } from '../town.js';

type Town = Awaited<ReturnType<typeof town>>;
const closing: Town[] = [];
afterEach(() => {
  for (const { stage } of closing.splice(0)) stage.close();
});

const BOB_URI = `https://${FAR}/users/bob`;
const STAMP = `${BOB_URI}/stamps/1`;
const ANN_URI = 'https://here.example/users/ann';
const text = { name: 'Owls', description: '', language: '', tag: '', sensitive: false, discoverable: true };

/** Returns ann, an account of this server, with a collection in which bob, of another server, is pending. */
async function world() {
  const here = await town(['ann', 'carol']);
  closing.push(here);
  const { account, stage } = here;
  const [ann, bob] = [here.id('ann'), makeId(stage.clock.nowMs(), 1, 63)];
  const actor = {
    ...{ uri: BOB_URI, url: '', inbox: `${BOB_URI}/inbox`, sharedInbox: `https://${FAR}/inbox`, outbox: '' },
    ...{ followersUri: '', featuredUri: '', keys: [], type: 'Person', alsoKnownAs: [], movedTo: '' },
    ...{ fetchedAtMs: stage.clock.nowMs(), gone: false, avatarUrl: '', headerUrl: '', emojis: [], publishedMs: 0 },
  };
  await account(bob, 'describe', { username: 'bob', domain: FAR, profile: emptyProfile, actor });
  /** Returns the activities that were delivered since the last call. */
  const sent = async (): Promise<Delivered[]> => {
    await stage.clock.settle();
    return here.delivered.splice(0);
  };
  const types = async () => (await sent()).map(({ activity }) => activity.type);
  const featured = { account: bob, consent: 'public', asked: true };
  const made = (await account(ann, 'createCollection', { text, accounts: [featured] })) as AccountCollection;
  const { id } = made;
  const add = async () => {
    const item = await account(ann, 'addToCollection', { id, featured });
    return 'id' in item ? item.id : '';
  };
  const settle = (more: object = {}) => account(ann, 'settleFeature', { id, by: bob, ...more });
  const stamped = () => here.tables.get(featureStamps, { account: bob, stamp: STAMP });
  return {
    ...here,
    ann,
    bob,
    carol: here.id('carol'),
    id,
    item: made.items[0]?.id ?? '',
    uri: `${ANN_URI}/collections/${id}`,
    ...{ sent, types, add, settle, stamped },
  };
}

test('the request and the removal go to the account’s own inbox', async () => {
  const { ann, id, item, uri, account, sent } = await world();
  const [request, ...more] = await sent();
  assert.deepEqual(more, []);
  assert.deepEqual([request?.inbox, request?.activity.type], [`${BOB_URI}/inbox`, 'FeatureRequest']);
  await account(ann, 'removeFromCollection', { id, item });
  const [{ inbox, activity } = {} as Delivered, ...rest] = await sent();
  assert.deepEqual(rest, []);
  assert.deepEqual([inbox, activity.type, activity.object], [`${BOB_URI}/inbox`, 'Remove', `${uri}/items/${item}`]);
});

test('a server that has refused or revoked a place gets no further activity about it', async () => {
  const { ann, bob, id, account, types, add, settle, stamped } = await world();
  await settle();
  assert.deepEqual(await types(), ['FeatureRequest']);
  await account(ann, 'deleteCollection', {
    id: ((await account(ann, 'createCollection', { text, accounts: [] })) as AccountCollection).id,
  });
  assert.deepEqual(await types(), []);
  await add();
  await settle({ stampUri: STAMP });
  assert.deepEqual(await types(), ['FeatureRequest']);
  await account(ann, 'endFeature', { id, by: bob, stampUri: STAMP });
  assert.equal(await stamped(), undefined);
  await account(ann, 'deleteCollection', { id });
  assert.deepEqual(await types(), []);
});

test('the row of a stamp lives as long as the place that it permits', async () => {
  const { ann, id, item, account, types, add, settle, stamped } = await world();
  assert.equal(await stamped(), undefined);
  await settle({ item, stampUri: STAMP });
  assert.deepEqual(await stamped(), { collectionId: id, owner: ann });
  await account(ann, 'removeFromCollection', { id, item });
  assert.equal(await stamped(), undefined);
  await add();
  await settle({ stampUri: STAMP });
  assert.deepEqual(await stamped(), { collectionId: id, owner: ann });
  await account(ann, 'deleteCollection', { id });
  assert.equal(await stamped(), undefined);
  assert.deepEqual(await types(), ['FeatureRequest', 'Remove', 'FeatureRequest', 'Remove']);
});

/** Returns that world with bob as a follower of ann, and nothing waiting. */
async function followedWorld() {
  const here = await world();
  await here.account(here.bob, 'follow', { target: here.ann, targetLocked: false, activityId: `${BOB_URI}/follows/1` });
  await here.sent();
  const carol = { account: here.carol, consent: 'public' };
  const create = async (more: object = {}, accounts: object[] = []) => {
    const made = await here.account(here.ann, 'createCollection', { text: { ...text, ...more }, accounts } as never);
    return made as AccountCollection;
  };
  /** Returns the only activity that was delivered since the last call, to the shared inbox. */
  const one = async () => {
    const [first, ...more] = await here.sent();
    assert.deepEqual([more, first?.inbox, first?.signer], [[], `https://${FAR}/inbox`, here.ann]);
    // biome-ignore lint/suspicious/noExplicitAny: tests read into documents of every shape.
    return first?.activity as any;
  };
  return { ...here, carol, create, one };
}

test('a discoverable collection goes to followers with the accounts that have permitted it, and each change after it', async () => {
  const { ann, account, carol, create, one } = await followedWorld();
  const { id, items } = await create({ language: 'en', description: 'good' }, [
    carol,
    { account: ann, consent: 'public' },
  ]);
  const uri = `${ANN_URI}/collections/${id}`;
  const added = await one();
  assert.deepEqual([added.type, added.target, added.object.id], ['Add', `${ANN_URI}/featured_collections`, uri]);
  assert.deepEqual(added.object.summaryMap, { en: 'good' });
  const places = items.map((item) => `${uri}/items/${item.id}`);
  assert.deepEqual(
    added.object.orderedItems.map((item: { id: string }) => item.id),
    places,
  );

  await account(ann, 'removeFromCollection', { id, item: items[0]?.id ?? '' });
  const removed = await one();
  assert.deepEqual([removed.type, removed.object, removed.target], ['Remove', places[0], uri]);
  await account(ann, 'addToCollection', { id, featured: carol });
  const joined = await one();
  const { featuredObject, featureAuthorization } = joined.object;
  assert.deepEqual([joined.type, joined.target, featuredObject], ['Add', uri, 'https://here.example/users/carol']);
  assert.match(featureAuthorization, /^https:\/\/here\.example\/users\/carol\/feature_authorizations\/[0-9]+$/);
  await account(ann, 'updateCollection', { id, name: 'Geese' });
  const updated = await one();
  assert.deepEqual([updated.type, updated.object.name, updated.object.totalItems], ['Update', 'Geese', 2]);
  await account(ann, 'leaveCollection', { id, item: items[1]?.id ?? '', by: ann });
  assert.deepEqual((await one()).type, 'Remove');
  await account(ann, 'deleteCollection', { id });
  const ended = await one();
  assert.deepEqual([ended.type, ended.object, ended.target], ['Remove', uri, `${ANN_URI}/featured_collections`]);
  const ids = [added, removed, joined, updated, ended].map((activity) => activity.id);
  assert.equal(new Set(ids).size, ids.length);
});

test('followers see an account of another server once it permits its place, and its removal once', async () => {
  const { ann, id, item, account, sent, types, add, settle, one } = await followedWorld();
  await settle({ stampUri: STAMP });
  const joined = await one();
  assert.deepEqual([joined.type, joined.object.featureAuthorization], ['Add', STAMP]);
  await account(ann, 'removeFromCollection', { id, item });
  const removed = await one();
  assert.equal(removed.type, 'Remove', 'the server of the account is that of a follower');
  const again = await add();
  assert.deepEqual(await types(), ['FeatureRequest']);
  await account(ann, 'removeFromCollection', { id, item: again });
  const [last, ...more] = await sent();
  assert.deepEqual([more, last?.inbox, last?.activity.type], [[], `${BOB_URI}/inbox`, 'Remove'], 'it was never shown');
  await add();
  await settle();
  assert.deepEqual(await types(), ['FeatureRequest']);
});

test('collections that are not discoverable go to nobody, and an end of the listing removes them', async () => {
  const { ann, account, carol, create, one, sent } = await followedWorld();
  const { id } = await create({ discoverable: false });
  await account(ann, 'updateCollection', { id, name: 'Geese' });
  await account(ann, 'addToCollection', { id, featured: carol });
  assert.deepEqual(await sent(), []);
  await account(ann, 'updateCollection', { id, discoverable: true });
  const added = await one();
  assert.deepEqual([added.type, added.object.totalItems], ['Add', 1]);
  await account(ann, 'updateCollection', { id, discoverable: false });
  assert.equal((await one()).type, 'Remove');
  await account(ann, 'deleteCollection', { id });
  assert.deepEqual(await sent(), []);
});
