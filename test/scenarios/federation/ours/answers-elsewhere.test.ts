import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Answer, Place, seen } from '../../../kit/federation/two-places.js';

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
