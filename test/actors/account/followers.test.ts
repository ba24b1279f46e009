import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FOLLOW_REQUESTS_MAX, FOLLOWERS_REMEMBERED_MAX } from '../../../actors/account/followers.js';
import type { AccountState } from '../../../actors/account/slices.js';
import { newcomer, other, startMs } from './newcomer.js';

const knock = { follower: other, edgeId: '7', believedPending: false };
const remote = (state: AccountState) => {
  state.owner = undefined;
  state.origin = {} as never;
};
const locked = (state: AccountState) => {
  state.profile = { ...state.profile, locked: true };
};

test('a follower is added and removed once', () => {
  const alice = newcomer().when('addFollower', knock).when('addFollower', knock);
  assert.deepEqual([alice.state.followers, alice.reply], [1, { answer: 'accepted' }]);
  assert.deepEqual(
    alice.events.map(({ type }) => type),
    ['followerAdded', 'notified'],
  );
  const without = alice.when('removeFollower', knock).when('removeFollower', knock);
  assert.deepEqual([without.events.length, without.state.followers], [4, 0], 'including the retracted notification');
});

test('a removal for an older edge keeps the newer one', () => {
  const alice = newcomer()
    .when('addFollower', { ...knock, edgeId: '8' })
    .when('removeFollower', knock);
  assert.equal(alice.state.followers, 1);
});

test('a locked account stores requests, answers each once, and refuses those above the limit', () => {
  const alice = newcomer(locked).when('addFollower', knock).when('addFollower', knock);
  assert.deepEqual(
    [alice.events.map(({ type }) => type), alice.reply],
    [['followRequested', 'notified'], { answer: 'pending' }],
  );
  const granted = alice.when('authorizeFollow', { follower: other }).when('authorizeFollow', { follower: other });
  assert.deepEqual([granted.state.followers, granted.state.requests.size], [1, 0]);
  const told = granted.events.slice(2).map((event) => (event.type === 'notified' ? event.kind : event.type));
  assert.deepEqual(told, ['followerAdded', 'notificationDismissed', 'follow']);
  const full = newcomer((state) => {
    locked(state);
    for (let n = 0; n < FOLLOW_REQUESTS_MAX; n++) state.requests.set(`${n}`, { edgeId: `${n}`, atMs: startMs });
  }).when('addFollower', knock);
  assert.deepEqual(full.reply, { answer: 'rejected' });
});

test('a rejected or withdrawn request is removed, and rejecting none is no error', () => {
  const alice = newcomer(locked).when('addFollower', knock);
  const told = alice.state.lastNotificationId ?? '';
  const withdrawn = alice.when('removeFollower', knock);
  assert.equal(withdrawn.state.requests.size, 0);
  assert.deepEqual(withdrawn.events.at(-1), { type: 'notificationDismissed', id: told });
  const turnedDown = newcomer(locked).when('addFollower', knock).when('rejectFollow', { follower: other });
  assert.equal(turnedDown.events.at(-1)?.type, 'notificationDismissed');
  const blocked = newcomer(locked).when('addFollower', knock).when('block', { target: other });
  assert.equal(blocked.events.at(-1)?.type, 'notificationDismissed');
  assert.deepEqual(newcomer().when('rejectFollow', { follower: other }).events, []);
  assert.equal(newcomer().when('authorizeFollow', { follower: other }).lastProblem?.problem, 'not_found');
});

test('an answer that names another request than the present one settles nothing', () => {
  const asked = newcomer(locked).when('addFollower', knock);
  const earlier = { follower: other, edgeId: `${knock.edgeId}1` };
  assert.equal(asked.when('authorizeFollow', earlier).lastProblem?.problem, 'not_found');
  assert.deepEqual(asked.when('rejectFollow', earlier).state.requests.size, 1);
  const present = { follower: other, edgeId: knock.edgeId };
  assert.equal(asked.when('authorizeFollow', present).state.followers, 1);
});

test('an account that opens is not notified of each accepted request', () => {
  const open = newcomer(locked).when('addFollower', knock);
  open.state.profile = { ...open.state.profile, locked: false };
  assert.equal(open.when('authorizeFollow', { follower: other }).events.at(-1)?.type, 'notificationDismissed');
});

test('a blocked account’s follow is refused', () => {
  const alice = newcomer((state) => state.blocking.set(other, '1')).when('addFollower', knock);
  assert.deepEqual([alice.reply, alice.state.followers], [{ answer: 'rejected' }, 0]);
});

test('all followers are counted, although only the latest are stored', () => {
  let alice = newcomer((state) => {
    for (let n = 0; n < FOLLOWERS_REMEMBERED_MAX; n++) state.recentFollowers.set(`${n}`, '1');
    state.followers = FOLLOWERS_REMEMBERED_MAX;
  }).when('addFollower', knock);
  assert.equal(alice.state.recentFollowers.size, FOLLOWERS_REMEMBERED_MAX);
  alice = alice.when('removeFollower', { follower: '0', edgeId: '1' });
  assert.equal(alice.state.followers, FOLLOWERS_REMEMBERED_MAX);
});

test('a removed follower is notified, and removing an account that does not follow notifies nobody', () => {
  const alice = newcomer().when('addFollower', knock);
  const away = alice.when('dropFollower', { follower: other, edgeId: knock.edgeId });
  const gone = (away.events as unknown as { type: string; rejected: boolean }[]).at(-2);
  assert.deepEqual([gone?.type, gone?.rejected, away.state.followers], ['followerRemoved', true, 0]);
  assert.equal(away.when('dropFollower', { follower: other, edgeId: knock.edgeId }).events.length, away.events.length);
  assert.deepEqual(newcomer().when('dropFollower', { follower: other, edgeId: '9' }).events, []);
});

test('a follow that only the other server knows is disowned, but neither a known one nor a request', () => {
  const disowned = newcomer(remote).when('disownFollow', { follower: other });
  assert.deepEqual(disowned.events, [{ type: 'followDisowned', follower: other }]);
  const asked = newcomer(remote).when('addFollower', knock);
  assert.deepEqual(asked.when('disownFollow', { follower: other }).events, asked.events);
  const known = asked.when('authorizeFollow', { follower: other });
  assert.deepEqual(known.when('disownFollow', { follower: other }).events, known.events);
  const forgotten = newcomer((state) => {
    remote(state);
    state.followers = 1;
  });
  assert.deepEqual(forgotten.when('disownFollow', { follower: other }).events, []);
});
