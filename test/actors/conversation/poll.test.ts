import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countsAlarm, pollOf } from '../../../actors/conversation/poll.js';
import { started as plain } from './thread-of-one.js';

const nowMs = 1_767_225_600_000;
const asked = { options: ['yes', 'no', 'perhaps'], expiresInMs: 300_000, multiple: false, hideTotals: false };
const started = (multiple = false) => plain({ poll: pollOf({ ...asked, multiple }, nowMs) });
const end = { what: '1', atMs: nowMs + 300_000 };
const vote = { statusId: '1', by: 'bob', choices: [1] };
const edit = {
  ...{ statusId: '1', by: 'author', text: 'new', html: '<p>new</p>', spoilerText: '', sensitive: false },
  ...{ mentions: [], tags: [] },
};

test('a vote is counted once for each option chosen', () => {
  const one = started().when('vote', vote);
  const poll = one.state.statuses.get('1')?.record.poll;
  assert.deepEqual([poll?.options.map(({ votes }) => votes), poll?.voters], [[0, 1, 0], 1]);
  const two = started(true).when('vote', { ...vote, choices: [0, 2, 0] });
  const several = two.state.statuses.get('1')?.record.poll;
  assert.deepEqual([several?.options.map(({ votes }) => votes), several?.voters], [[1, 0, 1], 1]);
});

test('repeated votes, the author’s, late ones and unknown options are refused and record nothing', () => {
  const twice = started().when('vote', vote).when('vote', vote);
  const refused = [
    twice,
    started().when('vote', { ...vote, by: 'author' }),
    started().when('vote', vote, { nowMs: nowMs + 300_000 }),
    started().when('vote', { ...vote, choices: [3] }),
    started().when('vote', { ...vote, choices: [] }),
    started().when('vote', { ...vote, choices: [0, 1] }),
  ];
  assert.deepEqual(
    refused.map(({ lastProblem, events }) => [lastProblem?.problem, events.length]),
    refused.map((one) => ['invalid', one === twice ? 2 : 1]),
  );
  assert.equal(plain().when('vote', vote).lastProblem?.problem, 'not_found');
});

test('a poll ends once, and not before its time', () => {
  const early = started().when('alarm', end, { nowMs: nowMs + 299_999 });
  assert.equal(early.lastProblem?.problem, 'unavailable');
  const ended = early.when('alarm', end, { nowMs: nowMs + 300_000 });
  assert.equal(ended.state.statuses.get('1')?.record.poll?.ended, true);
  assert.equal(ended.when('alarm', end, { nowMs: nowMs + 300_001 }).events.length, 2);
  assert.deepEqual(plain().when('alarm', end).events.length, 1, 'a status without a poll has no end');
});

test('changed options reset all votes, and unchanged ones keep them and the end', () => {
  const voted = started().when('vote', vote);
  const kept = voted.when('edit', { ...edit, poll: { ...asked, expiresInMs: 600_000 } }, { nowMs: nowMs + 1 });
  const same = kept.state.statuses.get('1')?.record.poll;
  assert.deepEqual([same?.voters, same?.expiresAtMs], [1, nowMs + 300_000]);
  const changed = kept.when('edit', { ...edit, poll: { ...asked, options: ['a', 'b'] } });
  const entry = changed.state.statuses.get('1');
  assert.deepEqual([entry?.record.poll?.voters, entry?.markCount], [0, 0]);
  assert.deepEqual(changed.when('vote', vote).lastProblem, undefined, 'a voter may vote again');
  const none = changed.when('edit', edit);
  assert.equal(none.state.statuses.get('1')?.record.poll, undefined);
});

test('the alarm of a minute reports the counts of an open poll, and nothing of one that has ended', () => {
  assert.equal(countsAlarm('1', nowMs + 1, 1).atMs, nowMs + 2_001, 'the first vote is reported soon');
  const alarm = countsAlarm('1', nowMs + 1, 2);
  assert.deepEqual(alarm, countsAlarm('1', nowMs + 59_999, 3), 'later votes of a minute share their alarm');
  assert.equal(alarm.atMs, nowMs + 60_000);
  const told = started().when('vote', vote).when('alarm', alarm, { nowMs: alarm.atMs });
  assert.deepEqual(told.events.at(-1)?.type, 'pollReported');
  assert.equal(told.state.statuses.get('1')?.record.poll?.voters, 1);
  const over = started()
    .when('vote', vote)
    .when('alarm', alarm, { nowMs: nowMs + 300_000 });
  assert.equal(over.events.at(-1)?.type, 'voted');
  const ended = started()
    .when('alarm', end, { nowMs: nowMs + 300_000 })
    .when('alarm', alarm, { nowMs: nowMs + 300_000 });
  assert.equal(ended.events.at(-1)?.type, 'pollEnded');
});
