import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BLOCKED_BY_MAX, BLOCKS_MAX } from '../../../actors/account/block.js';
import { accountSlice } from '../../../actors/kinds/account.js';
import { newcomer, other, self } from './newcomer.js';

test('a block ends the own follow and the request of the other account, once', () => {
  const alice = newcomer(({ requests }) => requests.set(other, { edgeId: '9', atMs: 1 }))
    .when('follow', { target: other, targetLocked: false })
    .when('block', { target: other })
    .when('block', { target: other });
  const types = alice.events.map(({ type }) => type);
  assert.deepEqual(types, ['followed', 'blocked', 'unfollowed', 'followRequestRemoved']);
  assert.deepEqual([alice.state.following.size, alice.state.requests.size], [0, 0]);
});

test('an unblock is recorded once', () => {
  const alice = newcomer().when('block', { target: other }).when('unblock', { target: other });
  assert.equal(alice.when('unblock', { target: other }).events.length, 2);
});

test('blocking oneself or too many is refused', () => {
  assert.equal(newcomer().when('block', { target: self }).lastProblem?.problem, 'forbidden');
  const full = newcomer(({ blocking }) => {
    for (let n = 0; n < BLOCKS_MAX; n++) blocking.set(`${n}`, '1');
  }).when('block', { target: other });
  assert.equal(full.lastProblem?.problem, 'limit_reached');
});

test('being blocked ends the follow of the blocker, and repeating it records nothing', () => {
  const alice = newcomer()
    .when('follow', { target: other, targetLocked: false })
    .when('receiveBlock', { from: other, on: true })
    .when('receiveBlock', { from: other, on: true });
  assert.deepEqual(
    alice.events.map(({ type }) => type),
    ['followed', 'blockReceived', 'unfollowed'],
  );
  assert.equal(alice.when('receiveBlock', { from: other, on: false }).state.blockedBy.size, 0);
});

test('a block that exceeds the stored blockers still ends the follow', () => {
  const alice = newcomer(({ blockedBy }) => {
    for (let n = 0; n < BLOCKED_BY_MAX; n++) blockedBy.add(`${n}`);
  })
    .when('follow', { target: other, targetLocked: false })
    .when('receiveBlock', { from: other, on: true });
  assert.deepEqual([alice.state.following.size, alice.state.blockedBy.size], [0, BLOCKED_BY_MAX]);
});

test('blocks are paged newest first, and blocks without an edge id come last', () => {
  const alice = newcomer((state) => accountSlice.apply.blocked(state, { target: '7', atMs: 5, edgeId: '' }, 5))
    .when('block', { target: other })
    .when('block', { target: '8' });
  const ids = (bounds: object) =>
    (
      alice.when('blocks', { upwards: false, limit: 10, ...bounds }).reply as unknown as {
        edges: { account: string; edgeId: string }[];
      }
    ).edges.map(({ account }) => account);
  assert.deepEqual(ids({}), ['8', other, '7']);
  assert.deepEqual(ids({ limit: 1 }), ['8']);
  assert.deepEqual(ids({ before: '000000000000000002' }), [other]);
  assert.equal(alice.when('unblock', { target: '8' }).state.blocking.has('8'), false);
});
