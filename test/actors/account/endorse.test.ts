import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ENDORSEMENTS_MAX } from '../../../actors/account/endorse.js';
import { newcomer, other, self } from './newcomer.js';

const follow = { target: other, targetLocked: false };
const page = { upwards: false, limit: 10 };
const types = (events: readonly { type: string }[]) => events.map(({ type }) => type);

test('a followed account is endorsed once, and listed until the endorsement ends', () => {
  const alice = newcomer().when('follow', follow).when('endorse', { target: other }).when('endorse', { target: other });
  assert.deepEqual(types(alice.events), ['followed', 'endorsed']);
  const { edges } = alice.when('endorsements', page).reply as unknown as { edges: { account: string }[] };
  assert.deepEqual(
    edges.map(({ account }) => account),
    [other],
  );
  const ended = alice.when('unendorse', { target: other }).when('unendorse', { target: other });
  assert.deepEqual([types(ended.events).at(-1), ended.events.length, ended.state.endorsed.size], ['unendorsed', 3, 0]);
});

test('only followed accounts can be endorsed, and their number is bounded', () => {
  assert.equal(newcomer().when('endorse', { target: other }).lastProblem?.problem, 'invalid');
  const asked = newcomer().when('follow', { ...follow, targetLocked: true });
  assert.equal(
    asked.when('endorse', { target: other }).lastProblem?.problem,
    'invalid',
    'a pending follow is no follow',
  );
  const full = newcomer(({ endorsed }) => {
    for (let n = 0; n < ENDORSEMENTS_MAX; n++) endorsed.set(`${n}`, `${n}`);
  });
  assert.equal(full.when('follow', follow).when('endorse', { target: other }).lastProblem?.problem, 'limit_reached');
});

test('an account of another server features accounts that it is not known to follow, but none that block it', () => {
  const far = () => newcomer((state) => Object.assign(state, { owner: undefined, origin: { actor: {} } }));
  assert.equal(far().when('endorse', { target: other }).state.endorsed.size, 1);
  assert.equal(far().when('endorse', { target: self }).lastProblem?.problem, 'invalid');
  const blocked = far().when('endorse', { target: other }).when('receiveBlock', { from: other, on: true });
  assert.equal(blocked.state.endorsed.size, 0);
  assert.equal(blocked.when('endorse', { target: other }).lastProblem?.problem, 'invalid');
});

test('an endorsement ends with the follow, however that ends', () => {
  const endorsing = () => newcomer().when('follow', follow).when('endorse', { target: other });
  const edgeId = endorsing().state.following.get(other)?.edgeId ?? '';
  for (const end of [
    endorsing().when('unfollow', { target: other }),
    endorsing().when('block', { target: other }),
    endorsing().when('receiveBlock', { from: other, on: true }),
    endorsing().when('answerFollow', { target: other, edgeId, answer: 'rejected' }),
  ]) {
    assert.equal(end.state.endorsed.size, 0);
    assert.ok(types(end.events).includes('unendorsed'));
  }
});
