import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIST_MEMBERSHIPS_MAX, LIST_TITLE_CHARS_MAX, LISTS_MAX } from '../../../actors/account/lists.js';
import { LazyMap } from '../../../actors/runtime/state/lazy-collections.js';
import { newcomer, other, self } from './newcomer.js';

const friends = { title: 'Friends', repliesPolicy: 'list', exclusive: false };
/** The first id that a test's actor mints. */
const ID = '000000000000000001';
const types = (events: readonly { type: string }[]) => events.map(({ type }) => type);
const follows = { target: other, targetLocked: false };
const made = () => newcomer().when('createList', friends);
/** A list with a followed account as its member. */
const peopled = () =>
  made()
    .when('follow', follows)
    .when('addToList', { id: ID, accounts: [other, self, other] });

test('a list is created, shown, changed in part, and deleted', () => {
  const alice = made();
  assert.deepEqual(alice.reply, { id: ID, ...friends });
  const changed = alice.when('updateList', { id: ID, title: ' Foes ' }).when('updateList', { id: ID, exclusive: true });
  assert.deepEqual(changed.reply, { id: ID, title: 'Foes', repliesPolicy: 'list', exclusive: true });
  assert.deepEqual(changed.when('list', { id: ID }).reply, changed.reply);
  const gone = changed.when('updateList', { id: ID }).when('deleteList', { id: ID });
  assert.deepEqual(types(gone.events), ['listCreated', 'listUpdated', 'listUpdated', 'listDeleted']);
  for (const command of ['list', 'deleteList', 'updateList', 'listMembers'] as const)
    assert.equal(gone.when(command, { id: ID }).lastProblem?.problem, 'not_found', command);
});

test('a list with an empty or too long title, or above the limit, is refused', () => {
  for (const title of ['', '  ', 'x'.repeat(LIST_TITLE_CHARS_MAX + 1)]) {
    assert.equal(newcomer().when('createList', { ...friends, title }).lastProblem?.problem, 'invalid');
    assert.equal(made().when('updateList', { id: ID, title }).lastProblem?.problem, 'invalid');
  }
  let alice = newcomer();
  for (let n = 0; n < LISTS_MAX; n++) alice = alice.when('createList', friends);
  assert.equal(alice.when('createList', friends).lastProblem?.problem, 'limit_reached');
});

test('only the owner and followed or requested accounts can be members, each once', () => {
  const alice = made().when('follow', follows);
  const add = (accounts: string[]) => alice.when('addToList', { id: ID, accounts });
  assert.equal(add([other, '5']).lastProblem?.problem, 'not_found');
  assert.deepEqual([...(alice.state.lists.get(ID)?.members.keys() ?? [])], [], 'all or none');
  assert.equal(add([other, self, other]).lastProblem, undefined);
  assert.equal(add([self]).lastProblem?.problem, 'invalid');
  assert.equal(alice.when('addToList', { id: '9', accounts: [other] }).lastProblem?.problem, 'not_found');
  assert.deepEqual([...(alice.state.lists.get(ID)?.members.keys() ?? [])], [other, self]);
});

test('members are bounded', () => {
  const alice = newcomer(({ lists }) => {
    const members = new LazyMap(Array.from({ length: LIST_MEMBERSHIPS_MAX }, (_, n) => [`${n}`, `${n}`]));
    lists.set('7', { ...friends, members });
  }).when('addToList', { id: '7', accounts: [self] });
  assert.equal(alice.lastProblem?.problem, 'limit_reached');
});

test('members are paged, shown in lists, removed once, and removed with the follow', () => {
  const alice = peopled();
  const page = (limit: number) =>
    alice.when('listMembers', { id: ID, bounds: { upwards: false, limit } }).reply as unknown as {
      edges: { account: string }[];
      more: boolean;
    };
  assert.deepEqual(
    [page(1).edges.map(({ account }) => account), page(1).more, page(2).more],
    [[self], true, false],
    'newest first',
  );
  const withOther = () =>
    (alice.when('lists', { account: other }).reply as unknown as { lists: object[] }).lists.length;
  assert.equal(withOther(), 1);
  const out = alice.when('removeFromList', { id: ID, accounts: [other, '5'] });
  assert.equal(withOther(), 0);
  assert.equal(out.when('removeFromList', { id: ID, accounts: [other] }).events.length, out.events.length);
  assert.equal(out.when('removeFromList', { id: '9', accounts: [other] }).lastProblem?.problem, 'not_found');
  for (const end of [
    () => peopled().when('unfollow', { target: other }),
    () => peopled().when('block', { target: other }),
    () => peopled().when('receiveBlock', { from: other, on: true }),
  ])
    assert.deepEqual([...(end().state.lists.get(ID)?.members.keys() ?? [])], [self]);
});

test('a rejected follow request removes the member from lists', () => {
  const alice = made().when('follow', { ...follows, targetLocked: true });
  const edgeId = alice.state.following.get(other)?.edgeId ?? '';
  const refused = alice
    .when('addToList', { id: ID, accounts: [other] })
    .when('answerFollow', { target: other, edgeId, answer: 'rejected' });
  assert.equal(refused.state.lists.get(ID)?.members.size, 0);
});

test('sources contain the lists, and each change of one changes the version of the relations', () => {
  const { state } = peopled();
  const before = state.relationsVersion;
  const { reply } = newcomer((fresh) => Object.assign(fresh, state)).when('sources', {});
  assert.ok(reply !== undefined && 'lists' in reply && 'muted' in reply);
  assert.deepEqual(reply.lists, [{ id: ID, members: [other, self], repliesPolicy: 'list', exclusive: false }]);
  const changed = peopled().when('updateList', { id: ID, exclusive: true });
  assert.equal(changed.state.relationsVersion, before + 1);
});
