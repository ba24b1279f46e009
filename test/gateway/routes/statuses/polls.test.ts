import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Person, TestServer } from '../../../kit/services/server.js';

let server: TestServer;
let alice: Person;
let bob: Person;
let carol: Person;
before(async () => {
  server = await TestServer.start();
  alice = await server.person('alice');
  bob = await server.person('bob');
  carol = await server.person('carol');
});
after(() => server.stop());

const poll = (more: object = {}) => ({ options: ['yes', 'no'], expires_in: 3_600, ...more });
const asks = (more: object = {}, visibility = 'public') => alice.says('well?', { poll: poll(more), visibility });
const votes = (person: Person, id: string, choices: unknown) => person.post(`/api/v1/polls/${id}/votes`, { choices });

test('a poll accepts and counts one vote of each account, and shows voters their own choice', async () => {
  const status = await asks();
  const shown = (await bob.get(`/api/v1/statuses/${status}`)).body.poll;
  assert.deepEqual(
    [shown.expired, shown.multiple, shown.votes_count, shown.voted, shown.own_votes, shown.options],
    [
      false,
      false,
      0,
      false,
      [],
      [
        { title: 'yes', votes_count: 0 },
        { title: 'no', votes_count: 0 },
      ],
    ],
  );
  const voted = await votes(bob, shown.id, ['1']);
  assert.deepEqual([voted.status, voted.body.voted, voted.body.own_votes, voted.body.votes_count], [200, true, [1], 1]);
  assert.deepEqual((await bob.get(`/api/v1/polls/${shown.id}`)).body, voted.body);
  assert.deepEqual((await bob.get(`/api/v1/statuses/${status}`)).body.poll, voted.body);
  const others = (await carol.get(`/api/v1/statuses/${status}`)).body.poll;
  assert.deepEqual([others.voted, others.own_votes, others.options[1].votes_count], [false, [], 1]);
  const anonymous = (await server.get(`/api/v1/polls/${shown.id}`)).body;
  assert.deepEqual(['voted' in anonymous, anonymous.voters_count], [false, 1]);
  assert.equal((await alice.get(`/api/v1/polls/${shown.id}`)).body.voted, true, 'its author need not vote');
});

test('totals can be hidden until the end, and several options chosen', async () => {
  const id = await asks({ multiple: true, hide_totals: true, options: ['a', 'b', 'c'] });
  const { body } = await votes(bob, id, [0, 2, 0]);
  assert.deepEqual([body.own_votes, body.voters_count, body.options[0].votes_count], [[0, 2], 1, null]);
});

test('a poll with several choices accepts more choices later, each once', async () => {
  const id = await asks({ multiple: true, options: ['a', 'b', 'c'] });
  assert.deepEqual((await votes(bob, id, [2])).body.own_votes, [2]);
  const { body } = await votes(bob, id, [0]);
  assert.deepEqual([body.own_votes, body.voters_count, body.votes_count], [[0, 2], 1, 2]);
  assert.deepEqual((await bob.get(`/api/v1/polls/${id}`)).body, body);
  assert.equal((await votes(bob, id, [1, 2])).status, 422);
  assert.equal((await bob.get(`/api/v1/polls/${id}`)).body.votes_count, 2);
});

test('votes on one’s own poll, repeated votes, and votes for unknown options are refused', async () => {
  const id = await asks();
  assert.equal((await votes(bob, id, [0])).status, 200);
  for (const [who, choices] of [
    [bob, [0]],
    [alice, [0]],
    [carol, [2]],
    [carol, []],
    [carol, [0, 1]],
    [carol, [-1]],
    [carol, 'x'],
  ] as const)
    assert.equal((await votes(who, id, choices)).status, 422, JSON.stringify(choices));
  assert.equal((await carol.get(`/api/v1/polls/${id}`)).body.votes_count, 1);
});

test('an invalid poll is refused with the reason', async () => {
  const refused = async (more: object) => {
    const { status, body } = await alice.post('/api/v1/statuses', { status: 'well?', poll: poll(more) });
    assert.equal(status, 422, JSON.stringify(more));
    return body.error;
  };
  assert.match(await refused({ options: ['one', ' '] }), /more than one item/);
  assert.match(await refused({ options: ['1', '2', '3', '4', '5'] }), /more than 4 items/);
  assert.match(await refused({ options: ['x', 'y'.repeat(51)] }), /longer than 50 characters/);
  assert.match(await refused({ options: ['x', 'x'] }), /duplicate/);
  assert.match(await refused({ expires_in: 299 }), /too soon/);
  assert.match(await refused({ expires_in: 2_629_747 }), /too far/);
});

test('an invisible poll and a missing one get the same answer', async () => {
  const hidden = await asks({}, 'private');
  const plain = await alice.says('no question');
  for (const id of [hidden, plain, '999999999999999999']) {
    for (const answer of [await carol.get(`/api/v1/polls/${id}`), await votes(carol, id, [0])])
      assert.deepEqual([answer.status, answer.body], [404, { error: 'Record not found' }]);
  }
  const reader = await server.token(bob.id, ['read']);
  assert.equal((await server.ask('POST', `/api/v1/polls/${hidden}/votes`, { choices: [0] }, reader)).status, 403);
});

test('an edit of the options allows new votes, and the history lists the old ones', async () => {
  const id = await asks();
  await votes(bob, id, [0]);
  const edit = { status: 'well, well?', poll: poll({ options: ['a', 'b'] }) };
  const edited = await server.ask('PUT', `/api/v1/statuses/${id}`, edit, alice.token);
  assert.deepEqual([edited.status, edited.body.poll.votes_count], [200, 0]);
  assert.deepEqual((await bob.get(`/api/v1/polls/${id}`)).body.voted, false);
  assert.deepEqual((await votes(bob, id, [1])).body.own_votes, [1]);
  const history = (await server.get(`/api/v1/statuses/${id}/history`)).body;
  assert.deepEqual(
    history.map((one: { poll: { options: { title: string }[] } }) => one.poll.options.map(({ title }) => title)),
    [
      ['yes', 'no'],
      ['a', 'b'],
    ],
  );
});
