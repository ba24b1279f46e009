import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { operatorClient } from '../../../../cli/operator-socket.js';
import { type Answer, follow, Place, seen } from '../../../kit/federation/two-places.js';

/** A delivery that failed once is repeated within two minutes; the rest is for restarts on a busy machine. */
const REPEATED_MS_MAX = 180_000;

/** Ann quotes here what Ben writes there. */
let here: Place;
let there: Place;
before(async () => {
  [here, there] = await Place.pair('ann', 'ben');
});
after(() => Promise.all([here?.dispose(), there?.dispose()]));

const get = (place: Place, id: string): Promise<Answer> => place.ask('GET', `statuses/${id}`);
const stateAt = async (place: Place, id: string) => (await get(place, id)).quote?.state;

/** Ben posts, and Ann finds the status by its address. */
async function shared(body: object): Promise<{ readonly own: string; readonly copy: string }> {
  const made = await there.ask('POST', 'statuses', body);
  return { own: made.id, copy: (await here.find(made.uri)).statuses[0].id };
}

const quote = (id: string, more: object = {}): Promise<Answer> =>
  here.ask('POST', 'statuses', { status: 'look at this', quoted_status_id: id, ...more });

/** Returns the copy there of a status of Ann's. */
const copyThere = (uri: string): Promise<Answer> =>
  seen('the quoting status there', async () => (await there.find(uri)).statuses[0] as Answer);

test('a quote shows on both servers once its author has permitted it, until they revoke it', async () => {
  const { own, copy } = await shared({ status: 'worth quoting' });
  const made = await quote(copy);
  await seen('the permission', async () => (await stateAt(here, made.id)) === 'accepted');
  const { quote: shown } = await get(here, made.id);
  assert.equal(shown.quoted_status.id, copy);
  const quoting = await copyThere(made.uri);
  await seen('the quote there', async () => (await stateAt(there, quoting.id)) === 'accepted');
  await seen('the count', async () => (await get(there, own)).quotes_count === 1);
  await seen('the count here', async () => (await get(here, copy)).quotes_count === 1);
  const told = await seen('the notification', async () => {
    const all = await there.ask('GET', 'notifications?types[]=quote');
    return all.length > 0 && all;
  });
  assert.deepEqual(
    told.map(({ account, status }: Answer) => [account.acct, status.id]),
    [[`ann@${here.host}`, quoting.id]],
  );
  await there.ask('POST', `statuses/${own}/quotes/${quoting.id}/revoke`);
  await seen('the end here', async () => (await stateAt(here, made.id)) === 'revoked');
  assert.equal((await get(here, made.id)).quote.quoted_status, null);
  await seen('no count', async () => (await get(here, copy)).quotes_count === 0);
  assert.equal((await get(there, own)).quotes_count, 0);
});

test('a quote that the author has ruled out meanwhile is rejected, and a policy reaches the other server', async () => {
  const { own, copy } = await shared({ status: 'open at first' });
  await there.ask('PUT', `statuses/${own}/interaction_policy`, { quote_approval_policy: 'nobody' });
  const made = await quote(copy);
  assert.equal(made.quote.quoted_status, null);
  await seen('the refusal', async () => (await stateAt(here, made.id)) === 'rejected');
  await here.ask('POST', `statuses/${copy}/favourite`);
  await seen('the favourite', async () => (await get(there, own)).favourites_count === 1);
  await there.ask('PUT', `statuses/${own}/interaction_policy`, { quote_approval_policy: 'followers' });
  await seen('the policy', async () => (await get(here, copy)).quote_approval.automatic[0] === 'followers');
});

test('followers of the quoting author see the quote, by the stamp', async () => {
  const people = await follow(there, here);
  const { copy } = await shared({ status: 'for the followers of others' });
  const made = await quote(copy);
  const arrived = await seen('the quote at the follower', async () => {
    const home: Answer[] = await there.ask('GET', 'timelines/home');
    return home.find(({ uri, quote: shown }) => uri === made.uri && shown?.state === 'accepted');
  });
  assert.equal(arrived.account.id, people);
});

test('the deletion of the quoting status ends the quote there', async () => {
  const { own, copy } = await shared({ status: 'quoted for a while' });
  const made = await quote(copy);
  await seen('the count', async () => (await get(there, own)).quotes_count === 1);
  await here.ask('DELETE', `statuses/${made.id}`);
  await seen('no count', async () => (await get(there, own)).quotes_count === 0);
});

test('a quote asked of a server that is killed, by one that is killed, is permitted once both are back', async () => {
  const { own, copy } = await shared({ status: 'quoted in a bad hour' });
  await there.server.kill();
  const made = await quote(copy);
  await here.server.kill();
  await here.server.restart();
  assert.equal(await stateAt(here, made.id), 'pending');
  await there.server.restart();
  // The first attempts may have failed; the next one would follow after a minute or two.
  await operatorClient(here.server.dataDir)('federation.steer', { host: there.host, act: 'retry' });
  await seen('the permission', async () => (await stateAt(here, made.id)) === 'accepted', REPEATED_MS_MAX);
  await seen('the count', async () => (await get(there, own)).quotes_count === 1);
});
