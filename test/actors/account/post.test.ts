import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AccountState } from '../../../actors/account/slices.js';
import { STATUS_CHARS_MAX } from '../../../actors/domain/text/status-text.js';
import { accountRecord } from '../../../actors/reactions/account/rows.js';
import { blankPost } from '../reactions/town.js';
import { newcomer, startMs } from './newcomer.js';

test("a status begins a conversation of its own id, or joins its parent's", () => {
  const alice = newcomer().when('post', blankPost);
  assert.deepEqual(alice.reply, { id: '000000000000000001', conversationId: '000000000000000001' });
  assert.deepEqual(alice.when('post', { ...blankPost, conversationId: '5' }).reply, {
    id: '000000000000000002',
    conversationId: '5',
  });
  assert.equal(alice.state.statuses, 2);
  assert.deepEqual(alice.actorIds, ['000000000000000001'], 'a reply begins no conversation');
});

test('a blank, too long or unknown field is refused with the message that clients show', () => {
  const details: [object, string][] = [
    [{ text: ' \n' }, "Validation failed: Text can't be blank"],
    [{ text: 'a'.repeat(STATUS_CHARS_MAX + 1) }, 'Validation failed: Text character limit of 500 exceeded'],
    [
      { text: 'a'.repeat(400), spoilerText: 'b'.repeat(101) },
      'Validation failed: Text character limit of 500 exceeded',
    ],
    [{ visibility: 'secret' }, 'Validation failed: Visibility is not included in the list'],
  ];
  for (const [part, detail] of details) {
    const refused = newcomer().when('post', { ...blankPost, ...part });
    assert.deepEqual(
      [refused.lastProblem?.problem, refused.lastProblem?.detail, refused.events],
      ['invalid', detail, []],
    );
  }
  assert.equal(newcomer().when('post', { ...blankPost, text: 'a'.repeat(STATUS_CHARS_MAX) }).lastProblem, undefined);
});

test('direct statuses are counted separately and do not set the last date', () => {
  const alice = newcomer()
    .when('post', blankPost)
    .when('post', { ...blankPost, visibility: 'direct' }, { nowMs: startMs + 9 });
  const told = ({ statuses, directStatuses, lastStatusAtMs }: AccountState) => [
    statuses,
    directStatuses,
    lastStatusAtMs,
  ];
  assert.deepEqual(told(alice.state as AccountState), [2, 1, startMs]);
  const gone = alice.when('countStatus', { id: '2', delta: -1, atMs: 9, direct: true, tags: [] });
  assert.deepEqual(told(gone.state as AccountState), [1, 0, startMs]);
});

test('the count follows reblogs and deletions in any order, and is never shown below zero', () => {
  const up = { id: '5', delta: 1, atMs: 9, tags: [] };
  const down = { id: '5', delta: -1, atMs: 9, tags: [] };
  assert.equal(newcomer().when('countStatus', up).state.statuses, 1);
  const early = newcomer().when('countStatus', down);
  assert.equal(accountRecord(early.state as AccountState).statuses, 0);
  assert.equal(early.when('countStatus', up).state.statuses, 0);
});
