import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { EventStream } from '../../../kit/network/event-stream.js';
import { linkTo, type Person, TestServer } from '../../../kit/services/server.js';
import { until } from '../../../kit/time/until.js';

let server: TestServer;
let alice: Person;
let bob: Person;
let carol: Person;
before(async () => {
  server = await TestServer.start();
  alice = await server.person('alice');
  bob = await server.person('bob');
  carol = await server.person('carol');
  for (const [one, other] of [
    [alice, bob],
    [bob, alice],
    [alice, carol],
    [carol, alice],
  ] as const)
    await one.follows(other);
});
after(() => server.stop());

/** Conversations are effects that follow the reply. */
const ARRIVAL_MS_MAX = 10_000;
const direct = { visibility: 'direct' };
interface Conversation {
  readonly id: string;
  readonly unread: boolean;
  readonly accounts: readonly { readonly id: string }[];
  readonly last_status: { readonly id: string };
}
const conversations = async (who: Person): Promise<Conversation[]> => (await who.get('/api/v1/conversations')).body;
const lastOf = async (who: Person, status: string) =>
  until(
    `a conversation with ${status}`,
    async () => (await conversations(who)).find(({ last_status }) => last_status.id === status),
    ARRIVAL_MS_MAX,
  );
const ids = (list: { id: string }[]) => list.map(({ id }) => id);

test('a conversation shows its participants and last status, unread until it is read', async () => {
  const first = await alice.says('@bob hello', direct);
  const own = await lastOf(alice, first);
  assert.deepEqual([own.unread, ids([...own.accounts])], [false, [bob.id]]);
  const his = await lastOf(bob, first);
  assert.deepEqual([his.unread, ids([...his.accounts])], [true, [alice.id]]);
  const read = await bob.post(`/api/v1/conversations/${his.id}/read`);
  assert.deepEqual(read.body, { ...his, unread: false });
  assert.equal((await lastOf(bob, first)).unread, false);
  assert.deepEqual((await bob.post(`/api/v1/conversations/${his.id}/unread`)).body, his, 'and when it is put back');
  assert.equal((await lastOf(bob, first)).unread, true);
  const answer = await bob.says('@alice hi', { ...direct, in_reply_to_id: first });
  assert.deepEqual(await lastOf(alice, answer), { ...(await lastOf(alice, answer)), id: own.id, unread: true });
  assert.equal((await conversations(alice)).length, 1);
  await bob.remove(`/api/v1/statuses/${answer}`);
  await lastOf(alice, first);
});

test('others’ conversations are not found; deleting one’s own leaves theirs', async () => {
  const status = await alice.says('@carol psst', direct);
  const { id } = await lastOf(carol, status);
  for (const path of [`${id}/read`, `${id}/unread`, '1/read', '1/unread'])
    assert.equal((await bob.post(`/api/v1/conversations/${path}`)).status, 404, path);
  assert.equal((await bob.remove(`/api/v1/conversations/${id}`)).status, 404);
  assert.ok(!JSON.stringify(await conversations(bob)).includes(status));
  assert.deepEqual((await carol.remove(`/api/v1/conversations/${id}`)).body, {});
  assert.deepEqual(await conversations(carol), []);
  await lastOf(alice, status);
});

test('conversations are paged by their last status', async () => {
  const dora = await server.person('dora');
  const said: string[] = [];
  for (let n = 0; n < 3; n++) said.unshift(await dora.says(`to myself ${n}`, direct));
  await lastOf(dora, said[0] ?? '');
  const first = await dora.get('/api/v1/conversations?limit=2');
  const second = await dora.get(linkTo(first, 'next') ?? '');
  const all: Conversation[] = [...first.body, ...second.body];
  assert.deepEqual(
    all.map(({ last_status }) => last_status.id),
    said,
  );
  assert.deepEqual(ids([...(all[0]?.accounts ?? [])]), [dora.id], 'alone with oneself');
});

test('the direct timeline contains sent and received statuses, and none of blocked accounts', async () => {
  const [erin, fay] = [await server.person('erin'), await server.person('fay')];
  await erin.follows(fay);
  const sent = await erin.says('@fay one', direct);
  const got = await fay.says('@erin two', direct);
  await fay.says('@erin in the open');
  await until(
    'both',
    async () => ((await erin.get('/api/v1/timelines/direct')).body.length === 2 ? true : undefined),
    ARRIVAL_MS_MAX,
  );
  assert.deepEqual(ids((await erin.get('/api/v1/timelines/direct')).body), [got, sent]);
  await lastOf(erin, got);
  await erin.post(`/api/v1/accounts/${fay.id}/block`);
  assert.deepEqual(ids((await erin.get('/api/v1/timelines/direct')).body), [sent]);
  assert.ok(!JSON.stringify(await conversations(erin)).includes(got));
});

test('the direct stream sends the user’s own conversations and those of followed accounts', async () => {
  const stream = await EventStream.open(server, 'direct', bob.token);
  const status = await alice.says('@bob streamed', direct);
  await alice.says('in the open');
  const event = await until('an event', () => stream.events[0], ARRIVAL_MS_MAX);
  const told: Conversation = JSON.parse(event.data);
  assert.deepEqual([event.event, told.last_status.id, told.unread], ['conversation', status, true]);
  const mine = await bob.says('@alice mine', direct);
  await until('the second', () => stream.events[1], ARRIVAL_MS_MAX);
  assert.equal((JSON.parse(stream.events[1]?.data ?? '') as Conversation).last_status.id, mine);
  await stream.close();
  const later = await EventStream.open(server, `direct?since=${status}`, bob.token);
  await until('what was missed', () => later.events[0], ARRIVAL_MS_MAX);
  assert.equal((JSON.parse(later.events[0]?.data ?? '') as Conversation).last_status.id, mine);
  await later.close();
});

test('conversations need a user with the scope', async () => {
  assert.equal((await server.get('/api/v1/conversations')).status, 401);
  assert.equal((await server.get('/api/v1/timelines/direct')).status, 401);
  const token = await server.token(alice.id, ['read:statuses']);
  const [own] = await conversations(alice);
  for (const verb of ['read', 'unread'])
    assert.equal((await server.ask('POST', `/api/v1/conversations/${own?.id}/${verb}`, undefined, token)).status, 403);
  assert.equal((await server.ask('DELETE', `/api/v1/conversations/${own?.id}`, undefined, token)).status, 403);
});
