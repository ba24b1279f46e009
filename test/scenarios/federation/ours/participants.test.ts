import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Answer, Place, seen } from '../../../kit/federation/two-places.js';
import { call } from '../../cluster/people.js';

/** Ann writes here. Ben reads there and follows nobody. */
let here: Place;
let there: Place;
before(async () => {
  [here, there] = await Place.pair('ann', 'ben');
});
after(() => Promise.all([here?.dispose(), there?.dispose()]));

test('answers that a server lists appear in the thread of another server, private ones do not', async () => {
  const first = await here.ask('POST', 'statuses', { status: 'the beginning' });
  const say = (status: string, visibility: string) =>
    here.ask('POST', 'statuses', { status, visibility, in_reply_to_id: first.id });
  const shown = await say('for all', 'public');
  await say('for followers', 'private');
  const found = (await there.find(first.uri)).statuses[0];
  assert.ok(found, 'the status is found by its address');
  const context = () => there.ask('GET', `statuses/${found.id}/context`);
  await seen('the answer', async () => (await context()).descendants.length > 0);
  assert.deepEqual(
    (await context()).descendants.map(({ uri }: Answer) => uri),
    [shown.uri],
  );
});

test('an edit and a deletion reach the server of somebody who only favourited the status', async () => {
  const made = await here.ask('POST', 'statuses', { status: 'first words' });
  const copy = (await there.find(made.uri)).statuses[0];
  await there.ask('POST', `statuses/${copy.id}/favourite`);
  await seen('the favourite', async () => (await here.ask('GET', `statuses/${made.id}`)).favourites_count === 1);
  await here.ask('PUT', `statuses/${made.id}`, { status: 'better words' });
  await seen('the edit', async () => /better/.test((await there.ask('GET', `statuses/${copy.id}`)).content));
  await here.ask('DELETE', `statuses/${made.id}`);
  await seen('the deletion', async () => {
    const found = await there.ask('GET', `statuses/${copy.id}`).catch((error: unknown) => String(error));
    return /404/.test(String(found));
  });
});

test('the deletion of an account reaches the server of somebody whom only it followed', async () => {
  const { accounts } = await here.find(`@ben@${there.host}`);
  await here.ask('POST', `accounts/${accounts[0].id}/follow`);
  const followers = (): Promise<Answer[]> => there.ask('GET', `accounts/${there.person.id}/followers`);
  await seen('the follower', async () => (await followers()).length === 1);
  const found = async (): Promise<Answer[]> => (await there.ask('GET', 'search?q=ann', undefined, 'v2')).accounts;
  assert.equal((await found()).length, 1);
  const boss = await here.staff();
  const admin = `/api/v1/admin/accounts/${here.person.id}`;
  await call(here.server.url, boss, 'POST', `${admin}/action`, { type: 'suspend' });
  await call(here.server.url, boss, 'DELETE', admin);
  await seen('no follower', async () => (await followers()).length === 0);
  await seen('nobody found', async () => (await found()).length === 0);
});
