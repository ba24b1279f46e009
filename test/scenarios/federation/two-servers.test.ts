import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ServerProcess } from '../../kit/services/server-process.js';
import { until } from '../../kit/time/until.js';
import { call, makePeople, type Person } from '../cluster/people.js';

/** Tests see an effect within this time. */
const SEEN_MS_MAX = 30_000;
/** Timeout of a delivery to a server that was down: the first pause, and the interval of reads of alarms. */
const BACK_MS_MAX = 240_000;

/** One server of ours with one person, who knows the person of the other by id. */
interface Place {
  readonly server: ServerProcess;
  readonly person: Person;
  /** Id of the other server's person here. */
  other: string;
}
// biome-ignore lint/suspicious/noExplicitAny: tests read into answers of every shape.
type Answer = any;

let [here, there]: Place[] = [];
before(async () => {
  [here, there] = [await place('ann'), await place('ben')];
  for (const [one, other] of [[here, there] as const, [there, here] as const]) {
    const { host } = new URL(other.server.url);
    const found = await ask(one, 'GET', `search?q=@${other.person.name}@${host}&resolve=true`, undefined, 'v2');
    one.other = found.accounts[0].id;
  }
});
after(async () => {
  await Promise.all([here?.server.dispose(), there?.server.dispose()]);
});

async function place(name: string): Promise<Place> {
  const server = await ServerProcess.start({ FEDERATION_ALLOW_CIDRS: 'loopback' });
  const [person] = (await makePeople(server.dataDir, [name])) as [Person];
  return { server, person, other: '' };
}

const ask = ({ server, person }: Place, method: string, path: string, body?: object, version = 'v1'): Promise<Answer> =>
  call(server.url, person, method, `/api/${version}/${path}`, body);
const post = (from: Place, path: string) => ask(from, 'POST', path);
const relation = async (from: Place) => (await ask(from, 'GET', `accounts/relationships?id[]=${from.other}`))[0];
const seen = (what: string, condition: () => Promise<unknown>, ms = SEEN_MS_MAX) => until(what, condition, ms);

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
  await post(one, `accounts/${one.other}/follow`);
  await agree(true);
  assert.equal((await ask(two, 'GET', `accounts/${two.person.id}/followers`)).length, 1);
  await post(one, `accounts/${one.other}/unfollow`);
  await agree(false);
  assert.equal((await ask(two, 'GET', `accounts/${two.person.id}/followers`)).length, 0);
});

test('a locked person accepts a follower of another server, and removes them', async () => {
  const [one, two] = [here as Place, there as Place];
  await ask(two, 'PATCH', 'accounts/update_credentials', { locked: true });
  await post(one, `accounts/${one.other}/follow`);
  await seen('a request', async () => (await ask(two, 'GET', 'follow_requests')).length === 1);
  assert.deepEqual([(await relation(one)).following, (await relation(one)).requested], [false, true]);
  await post(two, `follow_requests/${two.other}/authorize`);
  await agree(true);
  await post(two, `accounts/${two.other}/remove_from_followers`);
  await agree(false);
  await post(one, `accounts/${one.other}/follow`);
  await seen('a request', async () => (await ask(two, 'GET', 'follow_requests')).length === 1);
  await post(two, `follow_requests/${two.other}/reject`);
  await agree(false);
  await ask(two, 'PATCH', 'accounts/update_credentials', { locked: false });
});

test('blocks of both end the follows of both, and hold until they end', async () => {
  const [one, two] = [here as Place, there as Place];
  for (const from of [one, two]) await post(from, `accounts/${from.other}/follow`);
  await agree(true);
  await seen('the other follow', async () => (await relation(two)).following && (await relation(one)).followed_by);
  await post(one, `accounts/${one.other}/block`);
  await seen('the block', async () => (await relation(two)).blocked_by);
  await agree(false);
  assert.equal((await relation(two)).following, false);
  await post(two, `accounts/${two.other}/block`);
  await seen('the other block', async () => (await relation(one)).blocked_by);
  for (const from of [one, two]) await post(from, `accounts/${from.other}/unblock`);
  await seen('no block', async () => !(await relation(one)).blocked_by && !(await relation(two)).blocked_by);
  await post(one, `accounts/${one.other}/follow`);
  await agree(true);
});

test('a server that is down, and one that is killed, agree later on what happened meanwhile', async () => {
  const [one, two] = [here as Place, there as Place];
  await two.server.kill();
  await post(one, `accounts/${one.other}/unfollow`);
  await post(one, `accounts/${one.other}/follow`);
  await post(one, `accounts/${one.other}/unfollow`);
  await one.server.kill();
  await one.server.restart();
  await two.server.restart();
  await agree(false, BACK_MS_MAX);
});
