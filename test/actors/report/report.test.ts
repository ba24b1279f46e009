import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Commands, type Events, reportPart, type State } from '../../../actors/report/report.js';
import { given } from '../../kit/actors/given.js';

const self = '000000000000000009';
const filed = {
  account: '1',
  target: '2',
  category: 'spam',
  comment: 'x',
  statusIds: ['3'],
  ruleIds: [],
  collectionIds: [],
  forward: false,
};
const handled = (action: string, by = '7') => ({ action, by, ruleIds: [], setRules: false });
const fresh = () =>
  given<State, Commands, Events>(reportPart, { id: self, report: undefined }, { self, nowMs: 1_767_225_600_000 });

test('a report is filed once', () => {
  const once = fresh()
    .when('file', filed)
    .when('file', { ...filed, comment: 'other' });
  assert.equal(once.events.length, 1);
  assert.deepEqual([once.state.report?.id, once.state.report?.comment], [self, 'x']);
});

test('moderators assign, unassign, resolve and reopen a report, each recorded once', () => {
  const all = ['assign', 'unassign', 'resolve', 'reopen'].reduce(
    (report, action) => report.when('handle', handled(action)).when('handle', handled(action)),
    fresh().when('file', filed),
  );
  assert.equal(all.events.length, 5);
  assert.deepEqual([all.state.report?.assigned, all.state.report?.resolvedAtMs], [undefined, 0]);
  const resolved = all.when('handle', handled('resolve', '8'));
  assert.equal(resolved.state.report?.resolvedBy, '8');
});

test('a report’s category and rules can change, and unfiled reports and unknown actions are refused', () => {
  const right = fresh()
    .when('file', filed)
    .when('handle', {
      ...handled('update'),
      category: 'violation',
      ruleIds: ['5'],
      setRules: true,
    });
  assert.deepEqual([right.state.report?.category, right.state.report?.ruleIds], ['violation', ['5']]);
  assert.equal(right.when('handle', handled('burn')).lastProblem?.problem, 'invalid');
  assert.equal(fresh().when('handle', handled('resolve')).lastProblem?.problem, 'not_found');
});
