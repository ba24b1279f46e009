import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FOLLOWING_MAX } from '../../../actors/account/follow.js';
import { newcomer, other, self, startMs } from './newcomer.js';

const open = { target: other, targetLocked: false };
const edgeTo = (target: string) => ({
  target,
  edgeId: target,
  pending: false,
  reblogs: true,
  notify: false,
  atMs: startMs,
});

test('a repeated follow records nothing; other options keep the edge', () => {
  const alice = newcomer().when('follow', open).when('follow', open);
  assert.equal(alice.events.length, 1);
  const changed = alice.when('follow', { ...open, reblogs: false });
  assert.ok(changed.events.at(-1)?.type === 'followed');
  const edge = changed.state.following.get(other);
  assert.deepEqual([edge?.reblogs, edge?.edgeId], [false, alice.state.following.get(other)?.edgeId]);
});

test('an account cannot follow itself, nor across a block', () => {
  for (const alice of [
    newcomer().when('follow', { ...open, target: self }),
    newcomer((state) => state.blocking.set(other, '1')).when('follow', open),
    newcomer((state) => state.blockedBy.add(other)).when('follow', open),
  ]) {
    assert.equal(alice.lastProblem?.problem, 'forbidden');
    assert.deepEqual(alice.events, []);
  }
});

test('a follow past the limit is refused and records nothing', () => {
  const full = newcomer(({ following }) => {
    for (let n = 0; n < FOLLOWING_MAX; n++) following.set(`${n}`, edgeTo(`${n}`));
  }).when('follow', open);
  assert.equal(full.lastProblem?.problem, 'limit_reached');
  assert.deepEqual(full.events, []);
});

test('an answer is applied to the current edge only, and once', () => {
  const alice = newcomer().when('follow', { ...open, targetLocked: true });
  const edgeId = alice.state.following.get(other)?.edgeId ?? '';
  assert.equal(alice.when('answerFollow', { target: other, edgeId: '1', answer: 'rejected' }).events.length, 1);
  const accepted = alice.when('answerFollow', { target: other, edgeId, answer: 'accepted' });
  assert.equal(accepted.state.following.get(other)?.pending, false);
  assert.equal(accepted.when('answerFollow', { target: other, edgeId, answer: 'accepted' }).events.length, 2);
  const rejected = accepted.when('answerFollow', { target: other, edgeId, answer: 'rejected' });
  assert.equal(rejected.state.following.size, 0);
});

test('an account that is not followed can be unfollowed without a record', () => {
  assert.deepEqual(newcomer().when('unfollow', { target: other }).events, []);
  const alice = newcomer().when('follow', open).when('unfollow', { target: other });
  assert.equal(alice.state.following.size, 0);
});

test('a follow is limited to languages until the limit is removed, and other options keep it', () => {
  const follow = { target: other, targetLocked: false };
  const limited = newcomer().when('follow', { ...follow, limit: { languages: ['fr', 'en', 'fr'] } });
  const limit = () => limited.state.following.get(other)?.limit?.languages;
  assert.deepEqual(limit(), ['en', 'fr']);
  const wide = newcomer().when('follow', { ...follow, limit: { languages: ['zh-TW', 'sr-Latn'] } });
  assert.deepEqual(wide.state.following.get(other)?.limit?.languages, ['sr-Latn', 'zh-TW']);
  const again = limited.when('follow', { ...follow, limit: { languages: ['en', 'fr'] } });
  assert.equal(again.events.length, 1, 'the same limit is recorded once');
  assert.deepEqual([again.when('follow', { ...follow, notify: true }).lastProblem, limit()], [undefined, ['en', 'fr']]);
  limited.when('follow', { ...follow, limit: { languages: [] } });
  assert.equal(limit(), undefined);
  for (const languages of [
    ['english'],
    ['EN'],
    ['en', 'zz'],
    ['zh-Hant-TW'],
    Array.from({ length: 21 }, (_, n) => `de-A${String.fromCharCode(65 + n)}`),
  ])
    assert.equal(limited.when('follow', { ...follow, limit: { languages } }).lastProblem?.problem, 'invalid');
});

test('followed accounts are listed newest first, without pending ones', () => {
  const alice = newcomer(({ following }) => {
    for (const target of ['1', '2', '3']) following.set(target, edgeTo(target));
    following.set('4', { ...edgeTo('4'), pending: true });
  });
  const page = (bounds: object) => {
    const { edges, more } = alice.when('following', { upwards: false, limit: 2, ...bounds }).reply as unknown as {
      edges: { account: string }[];
      more: boolean;
    };
    return [edges.map(({ account }) => account), more];
  };
  assert.deepEqual(page({}), [['3', '2'], true]);
  assert.deepEqual(page({ before: '2' }), [['1'], false]);
  assert.deepEqual(page({ after: '1', upwards: true, limit: 1 }), [['2'], true]);
});
