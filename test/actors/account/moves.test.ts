import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALIASES_MAX, MOVE_AGAIN_MS, REMOTE_MOVE_AGAIN_MS } from '../../../actors/account/moves.js';
import { newcomer, other, self, startMs } from './newcomer.js';

const targetUri = 'https://far.example/users/ann';
const move = { target: other, targetUri, targetLocked: false };
const third = { ...move, target: '000000000000000777', targetUri: 'https://far.example/users/bob' };

test('an account has a bounded number of different aliases', () => {
  const alice = newcomer().when('setAliases', { uris: ['https://a.example/1', 'https://a.example/1'] });
  assert.deepEqual(alice.state.moves.aliases, ['https://a.example/1']);
  assert.equal(alice.when('setAliases', { uris: ['https://a.example/1'] }).events.length, 1);
  const many = Array.from({ length: ALIASES_MAX + 1 }, (_, n) => `https://a.example/${n}`);
  assert.equal(alice.when('setAliases', { uris: many }).lastProblem?.problem, 'limit_reached');
});

test('an account that moved posts no more, until the move ends', () => {
  const post = {
    text: 'x',
    html: 'x',
    spoilerText: '',
    visibility: 'public',
    sensitive: false,
    mentions: [],
    tags: [],
  };
  const gone = newcomer().when('move', move).when('move', move);
  assert.deepEqual([gone.events.length, gone.state.moves.movedTo], [1, { id: other, uri: targetUri, atMs: startMs }]);
  assert.equal(gone.when('post', post).lastProblem?.problem, 'forbidden');
  const back = gone.when('endMove', {}).when('endMove', {}).when('post', post);
  assert.deepEqual([back.lastProblem, back.state.moves.movedTo], [undefined, undefined]);
});

test('an account moves once in 30 days, one of another server once in 7, and never to itself', () => {
  assert.equal(newcomer().when('move', { ...move, target: self }).lastProblem?.problem, 'invalid');
  for (const [pauseMs, isRemote] of [
    [MOVE_AGAIN_MS, false],
    [REMOTE_MOVE_AGAIN_MS, true],
  ] as const) {
    const movedAt = (ms: number) =>
      newcomer((state) => {
        state.moves = { ...state.moves, lastMoveMs: startMs - ms };
        if (isRemote) state.origin = {} as never;
      }).when('move', third);
    assert.equal(movedAt(pauseMs - 1).lastProblem?.problem, 'limit_reached');
    assert.equal(movedAt(pauseMs).events.length, 1);
  }
});
