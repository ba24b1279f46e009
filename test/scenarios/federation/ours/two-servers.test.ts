import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Place, seen } from '../../../kit/federation/two-places.js';

/** Timeout of a delivery to a server that was down: the first pause, and the interval of reads of alarms. */
const BACK_MS_MAX = 240_000;

/** Ann is here and Ben there. */
let [here, there]: Place[] = [];
/** Id of the other server's person, by place. */
const others = new Map<Place, string>();
before(async () => {
  [here, there] = await Place.pair('ann', 'ben');
  for (const [one, other] of [[here, there] as const, [there, here] as const]) {
    const { accounts } = await one.find(`@${other.person.name}@${other.host}`);
    others.set(one, accounts[0].id);
  }
});
after(async () => {
  await Promise.all([here?.dispose(), there?.dispose()]);
});

const other = (from: Place) => others.get(from) as string;
const post = (from: Place, path: string) => from.ask('POST', path);
const relation = async (from: Place) => (await from.ask('GET', `accounts/relationships?id[]=${other(from)}`))[0];

/** Waits until both servers agree that the first person follows the second, or does not. */
async function agree(follows: boolean, ms?: number): Promise<void> {
  const [one, two] = [here as Place, there as Place];
  const both = async () => {
    const [own, theirs] = [await relation(one), await relation(two)];
    return own.following === follows && !own.requested && theirs.followed_by === follows;
  };
  await seen(`both ${follows ? 'have' : 'lack'} the follow`, both, ms);
}

test('a person follows one of another server, and leaves', async () => {
  const [one, two] = [here as Place, there as Place];
  await post(one, `accounts/${other(one)}/follow`);
  await agree(true);
  assert.equal((await two.ask('GET', `accounts/${two.person.id}/followers`)).length, 1);
  await post(one, `accounts/${other(one)}/unfollow`);
  await agree(false);
  assert.equal((await two.ask('GET', `accounts/${two.person.id}/followers`)).length, 0);
});

test('a locked person accepts a follower of another server, and removes them', async () => {
  const [one, two] = [here as Place, there as Place];
  await two.ask('PATCH', 'accounts/update_credentials', { locked: true });
  await post(one, `accounts/${other(one)}/follow`);
  await seen('a request', async () => (await two.ask('GET', 'follow_requests')).length === 1);
  assert.deepEqual([(await relation(one)).following, (await relation(one)).requested], [false, true]);
  await post(two, `follow_requests/${other(two)}/authorize`);
  await agree(true);
  await post(two, `accounts/${other(two)}/remove_from_followers`);
  await agree(false);
  await post(one, `accounts/${other(one)}/follow`);
  await seen('a request', async () => (await two.ask('GET', 'follow_requests')).length === 1);
  await post(two, `follow_requests/${other(two)}/reject`);
  await agree(false);
  await two.ask('PATCH', 'accounts/update_credentials', { locked: false });
});

test('blocks of both end the follows of both, and hold until they end', async () => {
  const [one, two] = [here as Place, there as Place];
  for (const from of [one, two]) await post(from, `accounts/${other(from)}/follow`);
  await agree(true);
  await seen('the other follow', async () => (await relation(two)).following && (await relation(one)).followed_by);
  await post(one, `accounts/${other(one)}/block`);
  await seen('the block', async () => (await relation(two)).blocked_by);
  await agree(false);
  assert.equal((await relation(two)).following, false);
  await post(two, `accounts/${other(two)}/block`);
  await seen('the other block', async () => (await relation(one)).blocked_by);
  for (const from of [one, two]) await post(from, `accounts/${other(from)}/unblock`);
  await seen('no block', async () => !(await relation(one)).blocked_by && !(await relation(two)).blocked_by);
  await post(one, `accounts/${other(one)}/follow`);
  await agree(true);
});

test('a server that is down, and one that is killed, agree later on what happened meanwhile', async () => {
  const [one, two] = [here as Place, there as Place];
  await two.server.kill();
  await post(one, `accounts/${other(one)}/unfollow`);
  await post(one, `accounts/${other(one)}/follow`);
  await post(one, `accounts/${other(one)}/unfollow`);
  await one.server.kill();
  await one.server.restart();
  await two.server.restart();
  await agree(false, BACK_MS_MAX);
});
