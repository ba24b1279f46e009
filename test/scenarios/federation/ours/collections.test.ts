import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { operatorClient } from '../../../../cli/operator-socket.js';
import { type Answer, follow, Place, seen } from '../../../kit/federation/two-places.js';

/** A delivery that failed once is repeated within two minutes; the rest is for restarts on a busy machine. */
const REPEATED_MS_MAX = 180_000;

/** Ann has collections here; Ben lives there and follows her. */
let here: Place;
let there: Place;
let ben: string;
let ann: string;
before(async () => {
  [here, there] = await Place.pair('ann', 'ben');
  for (const place of [here, there]) await place.ask('PATCH', 'accounts/update_credentials', { discoverable: true });
  ann = await follow(there, here);
  ben = (await here.find(`@ben@${there.host}`)).accounts[0].id;
});
after(() => Promise.all([here?.dispose(), there?.dispose()]));

const shown = async (): Promise<Answer[]> => (await there.ask('GET', `accounts/${ann}/collections`)).collections;
const shownAs = (what: string, condition: (collection: Answer) => boolean): Promise<Answer> =>
  seen(what, async () => (await shown()).find(condition), REPEATED_MS_MAX);

test('a collection shows at a follower’s server with those who have permitted it, through changes and a kill', async () => {
  const body = {
    name: 'Birds',
    description: 'a & b',
    language: 'en',
    tag_name: 'owls',
    account_ids: [here.person.id, ben],
  };
  const { id, uri } = (await here.ask('POST', 'collections', body)).collection;
  const first = await shownAs('the collection with both', ({ item_count }) => item_count === 2);
  const { name, description, language, local, sensitive, discoverable, tag, items, account_id } = first;
  assert.deepEqual(
    [first.uri, name, description, language, local, sensitive, discoverable, tag.name, account_id],
    [uri, 'Birds', 'a &amp; b', 'en', false, false, true, 'owls', ann],
  );
  assert.deepEqual(
    items.map((item: Answer) => [item.account_id, item.state]).toSorted(),
    [
      [ann, 'accepted'],
      [there.person.id, 'accepted'],
    ].toSorted(),
  );
  const { accounts } = await there.ask('GET', `collections/${first.id}`);
  assert.deepEqual(accounts.map(({ acct }: Answer) => acct).toSorted(), [`ann@${here.host}`, 'ben'].toSorted());
  const of = await there.ask('GET', `accounts/${there.person.id}/in_collections`);
  assert.deepEqual(
    of.collections.map((one: Answer) => one.id),
    [first.id],
  );

  await there.server.kill();
  await here.ask('PATCH', `collections/${id}`, { name: 'Geese' });
  await there.server.restart();
  // The first attempts may have failed; the next one would follow after a minute or two.
  await operatorClient(here.server.dataDir)('federation.steer', { host: there.host, act: 'retry' });
  const again = await shownAs('the new name', (one) => one.name === 'Geese');
  assert.equal(again.id, first.id);

  // Ben leaves, at his own server.
  const own = again.items.find((item: Answer) => item.account_id === there.person.id);
  await there.ask('POST', `collections/${again.id}/items/${own.id}/revoke`);
  await shownAs('the collection without Ben', (one) => one.id === again.id && one.item_count === 1);
  await seen(
    'his end at the owner',
    async () => (await here.ask('GET', `collections/${id}`)).collection.item_count === 1,
  );

  await here.ask('PATCH', `collections/${id}`, { discoverable: false });
  await seen('the end of the listing', async () => (await shown()).length === 0, REPEATED_MS_MAX);
  await here.ask('PATCH', `collections/${id}`, { discoverable: true });
  await shownAs('it again', (one) => one.uri === uri);
  await here.ask('DELETE', `collections/${id}`);
  await seen('its end', async () => (await shown()).length === 0, REPEATED_MS_MAX);
});
