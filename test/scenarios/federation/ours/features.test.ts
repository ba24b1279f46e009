import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { operatorClient } from '../../../../cli/operator-socket.js';
import { type Answer, Place, seen } from '../../../kit/federation/two-places.js';

/** A delivery that failed once is repeated within two minutes; the rest is for restarts on a busy machine. */
const REPEATED_MS_MAX = 180_000;

/** Ann has collections here; Ben lives there. */
let here: Place;
let there: Place;
let ben: string;
before(async () => {
  [here, there] = await Place.pair('ann', 'ben');
  await allow(true);
  ben = (await here.find(`@ben@${there.host}`)).accounts[0].id;
});
after(() => Promise.all([here?.dispose(), there?.dispose()]));

const allow = (discoverable: boolean): Promise<Answer> =>
  there.ask('PATCH', 'accounts/update_credentials', { discoverable });
/** Ann makes a collection with Ben. */
const make = async (name: string): Promise<Answer> =>
  (await here.ask('POST', 'collections', { name, account_ids: [ben] })).collection;
const statesOf = async (id: string): Promise<string[]> =>
  (await here.ask('GET', `collections/${id}`)).collection.items.map(({ state }: Answer) => state);
/** Returns the collection as other servers read it. */
const documentOf = async (uri: string): Promise<Answer> =>
  (await fetch(uri, { headers: { accept: 'application/activity+json' } })).json();
const accepted = (id: string, ms?: number) =>
  seen('the permission', async () => (await statesOf(id))[0] === 'accepted', ms);
const ended = (id: string) => seen('the end', async () => (await statesOf(id)).length === 0);

test('a person who does not want to be featured any more refuses, and is not shown', async () => {
  await allow(false);
  const { id, uri } = await make('Owls');
  await ended(id);
  assert.deepEqual((await documentOf(uri)).orderedItems, []);
  await allow(true);
});

test('a request to a server that is killed, by one that is killed, is permitted once both are back', async () => {
  await there.server.kill();
  const { id } = await make('Geese');
  await here.server.kill();
  await here.server.restart();
  assert.deepEqual(await statesOf(id), ['pending']);
  await there.server.restart();
  // The first attempts may have failed; the next one would follow after a minute or two.
  await operatorClient(here.server.dataDir)('federation.steer', { host: there.host, act: 'retry' });
  await accepted(id, REPEATED_MS_MAX);
});

test('a person of another server is shown in a collection once they have permitted it, until they revoke it', async () => {
  const { feature_approval: approval } = await here.ask('GET', `accounts/${ben}`);
  assert.deepEqual([approval.automatic, approval.current_user], [['public'], 'automatic']);
  const { id, uri, items } = await make('Birds');
  assert.deepEqual(
    items.map(({ account_id, state }: Answer) => [account_id, state]),
    [[ben, 'pending']],
  );
  await accepted(id);
  const [place] = (await documentOf(uri)).orderedItems;
  assert.equal(place.featuredObject, `${there.url}/users/ben`);
  const stamp = await documentOf(place.featureAuthorization);
  assert.deepEqual([stamp.type, stamp.interactingObject], ['FeatureAuthorization', uri]);
  const ann = (await there.find(`@ann@${here.host}`)).accounts[0].id;
  await there.ask('POST', `accounts/${ann}/block`);
  await ended(id);
  assert.deepEqual((await documentOf(uri)).orderedItems, []);
});
