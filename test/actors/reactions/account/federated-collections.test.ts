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
  const here = await town(['ann']);
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
