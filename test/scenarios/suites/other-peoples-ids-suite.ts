import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { targetAt } from '../../kit/network/sockets.js';
import { type Answered, type Asked, Person } from '../../kit/services/server.js';
import { until } from '../../kit/time/until.js';
import { makePeople } from '../cluster/people.js';
import type { Ground } from '../worlds/node-address.js';

const TOLD_MS_MAX = 60_000;

let ground: Ground;
let nodes: readonly Asked[];
let ada: Person;
let ben: Person;
let stranger: Person;

/** Registers the tests: on one node, or on several, each of which must hide data equally well. */
export function otherPeoplesIdsTests(open: () => Promise<Ground>): void {
  before(async () => {
    ground = await open();
    nodes = ground.nodes.map(({ url }) => targetAt(url));
    [ada, ben, stranger] = (await people('olga', 'pat', 'stranger')) as [Person, Person, Person];
  });
  after(() => ground?.dispose());
  hiddenTest();
  deletionTest();
  notificationTest();
  followRequestTest();
}

/** Creates people whose requests go to any node. */
async function people(...names: string[]): Promise<Person[]> {
  const server = targetAt(ground.place.url);
  const made = await makePeople(ground.place.dataDir, names);
  return made.map(({ id, name, token }) => new Person(server, id, name, token));
}

/** Returns the same person with requests to that node only. */
const at = (node: Asked, { id, name, token }: Person): Person => new Person(node, id, name, token);

const said = ({ status, body }: Answered) => ({ status, body });
/** An id that was never issued. */
const NOBODYS = '999999999999999999';

function hiddenTest(): void {
  test('a hidden status is indistinguishable from a missing one', async () => {
    await ben.follows(ada);
    const hidden = [
      await ada.says('for followers', { visibility: 'private' }),
      await ada.says('@pat for you', { visibility: 'direct' }),
    ];
    const of = (id: string, node: Asked, stranger: Person) => [
      () => stranger.get(`/api/v1/statuses/${id}`),
      () => node.ask('GET', `/api/v1/statuses/${id}`),
      () => stranger.get(`/api/v1/statuses/${id}/context`),
      () => stranger.get(`/api/v1/statuses/${id}/favourited_by`),
      () => stranger.get(`/api/v1/statuses/${id}/reblogged_by`),
      () => stranger.get(`/api/v1/statuses?id[]=${id}`),
      () => stranger.remove(`/api/v1/statuses/${id}`),
      () => stranger.post('/api/v1/statuses', { status: 'me too', in_reply_to_id: id }),
      ...['favourite', 'unfavourite', 'reblog', 'unreblog'].map(
        (verb) => () => stranger.post(`/api/v1/statuses/${id}/${verb}`),
      ),
    ];
    for (const id of hidden) {
      for (const [number, node] of nodes.entries()) {
        const asking = at(node, stranger);
        const missing = of(NOBODYS, node, asking);
        for (const [index, ask] of of(id, node, asking).entries()) {
          const [real, none] = [said(await ask()), said(await (missing[index] as typeof ask)())];
          assert.deepEqual(real, none, `request ${index} at node ${number + 1}`);
          assert.ok(real.status === 404 || (real.body as unknown[]).length === 0, JSON.stringify(real));
        }
      }
      assert.equal((await ben.get(`/api/v1/statuses/${id}`)).status, 200, 'whom it is for sees it');
      const counted = (await ada.get(`/api/v1/statuses/${id}`)).body;
      assert.deepEqual([counted.favourites_count, counted.reblogs_count, counted.replies_count], [0, 0, 0]);
    }
  });
}

function deletionTest(): void {
  test('nobody deletes another’s status, seen or not', async () => {
    const id = await ada.says('mine');
    for (const node of nodes) {
      const other = at(node, ben);
      const [real, none] = [
        await other.remove(`/api/v1/statuses/${id}`),
        await other.remove(`/api/v1/statuses/${NOBODYS}`),
      ];
      assert.deepEqual(said(real), said(none));
      assert.equal(real.status, 404);
    }
    assert.equal((await ada.get(`/api/v1/statuses/${id}`)).status, 200);
  });
}

function notificationTest(): void {
  test('another’s notification is read by nobody and dismissed by nobody', async () => {
    await ada.says('@pat look');
    const first = await until(
      'a notification',
      async () => (await ben.get('/api/v1/notifications?types[]=mention')).body[0],
      TOLD_MS_MAX,
    );
    const asking = nodes.flatMap((node) => [
      (id: string) => at(node, stranger).get(`/api/v1/notifications/${id}`),
      (id: string) => at(node, stranger).post(`/api/v1/notifications/${id}/dismiss`),
    ]);
    for (const ask of asking) {
      assert.deepEqual(said(await ask(first.id)), said(await ask(NOBODYS)));
      assert.equal((await ask(first.id)).status, 404);
    }
    assert.equal((await ben.get(`/api/v1/notifications/${first.id}`)).status, 200);
  });
}

function followRequestTest(): void {
  test('only the recipient can answer a follow request', async () => {
    const [locked] = (await people('locked')) as [Person];
    const change = { locked: true };
    const answer = await locked.server.ask('PATCH', '/api/v1/accounts/update_credentials', change, locked.token);
    assert.equal(answer.status, 200);
    await ben.follows(locked);
    for (const node of nodes) {
      assert.equal((await at(node, stranger).post(`/api/v1/follow_requests/${ben.id}/authorize`)).status, 404);
      // Rejecting a missing request succeeds without a change.
      await at(node, stranger).post(`/api/v1/follow_requests/${ben.id}/reject`);
    }
    assert.deepEqual(
      (await locked.get('/api/v1/follow_requests')).body.map((one: { id: string }) => one.id),
      [ben.id],
    );
    assert.deepEqual((await stranger.get('/api/v1/follow_requests')).body, []);
  });
}
