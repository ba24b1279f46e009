import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DIRECT_STATUSES_MAX, DIRECTS_MAX } from '../../../actors/account/directs.js';
import type { AccountState } from '../../../actors/account/slices.js';
import { newcomer, other, self } from './newcomer.js';

const thread = '000000000000000100';
const third = '000000000000000009';
const edge = { target: other, edgeId: '3', pending: false, reblogs: true, notify: false, atMs: 1 };
const friend = (state: AccountState) => void state.following.set(other, edge);
const idOf = (n: number) => String(1_000 + n).padStart(18, '0');
const heard = (n: number, more: object = {}) => ({
  conversationId: thread,
  statusId: idOf(n),
  from: other,
  accounts: [other, self],
  answers: false,
  ...more,
});
const page = { upwards: false, limit: 40 };
const listed = (alice: ReturnType<typeof newcomer>) =>
  (alice.when('directs', page).reply as unknown as { directs: { id: string; unread: boolean; statusIds: string[] }[] })
    .directs;

test('direct statuses of the same accounts in one thread form one conversation, unread until read or answered', () => {
  const alice = newcomer(friend).when('hearDirect', heard(1)).when('hearDirect', heard(2)).when('hearDirect', heard(2));
  assert.equal(alice.events.length, 2);
  const [direct] = listed(alice);
  assert.deepEqual([direct?.unread, direct?.statusIds], [true, [idOf(1), idOf(2)]]);
  const id = direct?.id ?? '';
  const read = alice.when('readDirect', { id }).when('readDirect', { id });
  assert.equal(read.events.length, 3);
  const again = read.when('unreadDirect', { id }).when('unreadDirect', { id });
  assert.deepEqual([again.events.length, listed(again)[0]?.unread], [4, true]);
  assert.equal(again.when('unreadDirect', { id: '1' }).lastProblem?.problem, 'not_found');
  assert.equal(listed(alice.when('hearDirect', heard(3)))[0]?.unread, true);
  assert.equal(listed(alice.when('hearDirect', heard(4, { from: self })))[0]?.unread, false);
  assert.equal(listed(alice.when('hearDirect', heard(5, { accounts: [other, self, third] }))).length, 2, 'others');
});

test('conversations are paged by their latest status', () => {
  const alice = newcomer(friend)
    .when('hearDirect', heard(1))
    .when('hearDirect', heard(2, { conversationId: '000000000000000200' }))
    .when('hearDirect', heard(3));
  assert.deepEqual(
    listed(alice).map(({ statusIds }) => statusIds.at(-1)),
    [idOf(3), idOf(2)],
  );
  const { directs, more } = alice.when('directs', { ...page, limit: 1, before: idOf(3) }).reply as unknown as {
    directs: { statusIds: string[] }[];
    more: boolean;
  };
  assert.deepEqual([directs[0]?.statusIds, more], [[idOf(2)], false]);
});

test('conversations are ordered by their latest status, in whichever order statuses arrive', () => {
  const orders = [
    [4, 1, 3, 5, 2],
    [5, 4, 3, 2, 1],
    [1, 2, 3, 5, 4],
  ];
  for (const order of orders) {
    let alice = newcomer(friend);
    for (const n of order) alice = alice.when('hearDirect', heard(n, { conversationId: String(n).padStart(18, '2') }));
    assert.deepEqual(
      listed(alice).map(({ statusIds }) => statusIds.at(-1)),
      [5, 4, 3, 2, 1].map(idOf),
    );
  }
});

test('a blocked account starts no conversation; a stranger’s is hidden until they are accepted, followed or answered', () => {
  assert.deepEqual(newcomer(({ blocking }) => blocking.set(other, '1')).when('hearDirect', heard(1)).events, []);
  assert.deepEqual(newcomer(({ blockedBy }) => blockedBy.add(other)).when('hearDirect', heard(1)).events, []);
  const waits = () => newcomer().when('hearDirect', heard(1));
  assert.deepEqual(listed(waits()), []);
  const id = [...waits().state.directs.values()][0]?.id ?? '';
  assert.equal(waits().when('readDirect', { id }).lastProblem?.problem, 'not_found');
  const admitted = waits();
  admitted.state.permitted.add(other);
  assert.equal(listed(admitted).length, 1);
  const followed = waits();
  friend(followed.state);
  assert.equal(listed(followed).length, 1);
  assert.equal(listed(waits().when('hearDirect', heard(2, { from: self }))).length, 1);
  assert.equal(listed(waits().when('hearDirect', heard(2, { answers: true }))).length, 1);
  assert.deepEqual(
    newcomer().when('setNotificationPolicy', { privateMentions: 'drop' }).when('hearDirect', heard(1)).state.directs
      .size,
    0,
  );
});

test('a deleted conversation stays deleted until a new status arrives', () => {
  const alice = newcomer(friend).when('hearDirect', heard(1));
  const id = listed(alice)[0]?.id ?? '';
  const gone = alice.when('deleteDirect', { id });
  assert.deepEqual(listed(gone), []);
  assert.equal(gone.when('deleteDirect', { id }).lastProblem?.problem, 'not_found');
  assert.equal(gone.when('readDirect', { id }).lastProblem?.problem, 'not_found');
  assert.deepEqual(listed(gone.when('hearDirect', heard(2)))[0]?.statusIds, [idOf(2)]);
});

test('conversations, and the statuses and accounts stored for each, are bounded', () => {
  let alice = newcomer(friend);
  for (let n = 0; n <= DIRECT_STATUSES_MAX; n++) alice = alice.when('hearDirect', heard(n));
  assert.equal(listed(alice)[0]?.statusIds.length, DIRECT_STATUSES_MAX);
  for (let n = 0; n <= DIRECTS_MAX; n++) alice = alice.when('hearDirect', heard(n, { conversationId: `${n}` }));
  assert.equal(alice.state.directs.size, DIRECTS_MAX);
});
