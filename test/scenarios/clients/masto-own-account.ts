import assert from 'node:assert/strict';
import { createRestAPIClient } from 'masto';
import { until } from '../../kit/time/until.js';
import { PUSH_SUBSCRIPTION } from '../requests/own-account-requests.js';

const ARRIVAL_MS_MAX = 60_000;

type Client = ReturnType<typeof createRestAPIClient>;

/** A signed-in user. */
export interface SignedIn {
  readonly id: string;
  readonly token: string;
}

/** Uses filters, notes, endorsements, hashtags, domains and a profile with masto: cleo reads dan's statuses. */
export async function playOwnAccountWithMasto(url: string, cleo: SignedIn, dan: SignedIn): Promise<void> {
  const client = createRestAPIClient({ url, accessToken: cleo.token });
  const other = createRestAPIClient({ url, accessToken: dan.token });
  const account = client.v1.accounts.$select(dan.id);
  assert.equal((await account.follow({ languages: ['en'] })).following, true);
  const filter = await client.v2.filters.create({
    title: 'cats',
    context: ['home'],
    filterAction: 'warn',
    expiresIn: 60,
    keywordsAttributes: [{ keyword: 'cat', wholeWord: 'true' } as never],
  });
  const { id: status } = await other.v1.statuses.create({ status: 'a cat', language: 'en' });
  const shown = await until(
    'the post in the home of its reader',
    async () => (await client.v1.timelines.home.list()).find(({ id }) => id === status),
    ARRIVAL_MS_MAX,
  );
  assert.equal(shown.filtered?.[0]?.filter.title, 'cats');
  await client.v2.filters.$select(filter.id).update({ title: 'all cats' });
  assert.deepEqual(
    (await client.v2.filters.list()).map(({ title }) => title),
    ['all cats'],
  );
  await client.v2.filters.$select(filter.id).remove();
  const phrase = await client.v1.filters.create({ phrase: 'dog', context: ['home'], irreversible: true });
  assert.equal((await client.v1.filters.$select(phrase.id).fetch()).irreversible, true);
  assert.equal((await account.note.create({ comment: 'a friend' })).note, 'a friend');
  assert.equal((await account.pin()).endorsed, true);
  assert.deepEqual(
    (await client.v1.endorsements.list()).map(({ id }) => id),
    [dan.id],
  );
  const tag = await client.v1.featuredTags.create({ name: 'birds' });
  assert.deepEqual(
    (await client.v1.accounts.$select(cleo.id).featuredTags.list()).map(({ id }) => id),
    [tag.id],
  );
  await client.v1.domainBlocks.create({ domain: 'bad.example' });
  assert.deepEqual([...(await client.v1.domainBlocks.list())], ['bad.example']);
  await client.v1.domainBlocks.remove({ domain: 'bad.example' });
  const own = await client.v1.accounts.updateCredentials({ displayName: 'Cleo', source: { language: 'fr' } });
  assert.deepEqual([own.displayName, own.source.language], ['Cleo', 'fr']);
  assert.equal((await client.v1.preferences.fetch())['posting:default:language'], 'fr');
  // Its types expect a plain list, which it would send without a name.
  const familiar = await client.v1.accounts.familiarFollowers.fetch({ id: [dan.id] } as never);
  assert.deepEqual(familiar, [{ id: dan.id, accounts: [] }]);
  await other.v1.accounts.updateCredentials({ discoverable: true });
  await recommend(client, other, dan);
  await beTold(client);
}

/** Creates, reads, changes and deletes a push subscription. */
async function beTold(client: Client): Promise<void> {
  const { subscription } = client.v1.push;
  const wishes = { policy: 'followed', data: { alerts: { mention: true } } } as const;
  const made = await subscription.create({ subscription: PUSH_SUBSCRIPTION, ...wishes });
  assert.deepEqual([made.alerts.mention, made.alerts.poll, made.policy], [true, false, 'followed']);
  assert.equal(made.serverKey, (await client.v2.instance.fetch()).configuration.vapid.publicKey);
  assert.equal((await subscription.update({ data: { alerts: { poll: true } } })).alerts.poll, true);
  assert.deepEqual([(await subscription.fetch()).id, (await subscription.fetch()).alerts.poll], [made.id, true]);
  await subscription.remove();
  await assert.rejects(async () => subscription.fetch());
}

/** Creates a collection, fills and changes it, until its member has left it. */
async function recommend(client: Client, other: Client, dan: SignedIn): Promise<void> {
  const featured = await client.v1.accounts.$select(dan.id).fetch();
  // Its types use the wire name of the field, not the one that it returns.
  assert.equal((featured.featureApproval as { currentUser?: string } | undefined)?.currentUser, 'automatic');
  const { collection } = await client.v1.collections.create({ name: 'Cats', tagName: 'cats' });
  const own = client.v1.collections.$select(collection.id);
  const { collectionItem } = await own.items.create({ accountId: dan.id });
  assert.equal(collectionItem.state, 'accepted');
  const shown = await other.v1.collections.$select(collection.id).fetch();
  assert.deepEqual([shown.collection.itemCount, shown.accounts.length], [1, 2]);
  assert.equal((await own.update({ name: 'All cats', tagName: null })).collection.tag, null);
  const { collections } = await other.v1.accounts.$select(dan.id).inCollections.list();
  assert.deepEqual(
    collections.map(({ name }) => name),
    ['All cats'],
  );
  await other.v1.collections.$select(collection.id).items.$select(collectionItem.id).revoke();
  assert.equal((await own.fetch()).collection.itemCount, 0);
  await own.remove();
  assert.deepEqual((await client.v1.accounts.$select(collection.accountId).collections.list()).collections, []);
}
