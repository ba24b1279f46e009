import assert from 'node:assert/strict';
import { test } from 'node:test';
import { REVISIONS_MAX } from '../../../actors/conversation/edit.js';
import { started } from './thread-of-one.js';

const mention = (accountId: string) => ({ accountId, username: accountId, acct: accountId, url: '' });
const change = {
  statusId: '1',
  by: 'author',
  text: 'new',
  html: '<p>new</p>',
  spoilerText: '',
  sensitive: false,
  mentions: [mention('bob')],
  tags: ['new'],
};

test('an edit changes the status and keeps the previous revision', () => {
  const edited = started({ mentions: [mention('carol')] }).when('edit', change);
  const record = edited.state.statuses.get('1')?.record;
  assert.deepEqual([record?.text, record?.tags, record?.edits], ['new', ['new'], 1]);
  assert.ok((record?.editedAtMs ?? 0) > 0);
  const event = edited.events.at(-1) as unknown as Record<string, unknown> & { first: { text: string } };
  assert.deepEqual([event.first.text, event.newlyMentioned, event.number], ['text', ['bob'], 1]);
  const again = edited.when('edit', { ...change, text: 'newer' });
  const second = again.events.at(-1) as unknown as Record<string, unknown>;
  assert.deepEqual([second.first, second.newlyMentioned, second.number], [undefined, [], 2]);
});

test('an edit that changes nothing records nothing', () => {
  const same = started().when('edit', { ...change, text: 'text', html: '<p>text</p>' });
  assert.equal(same.events.length, 1);
});

test('only the author can edit a status, only while it exists, and only within its limits', () => {
  assert.equal(started().when('edit', { ...change, by: 'bob' }).lastProblem?.problem, 'not_found');
  const gone = started().when('remove', { statusId: '1', by: 'author' });
  assert.equal(gone.when('edit', change).lastProblem?.problem, 'not_found');
  assert.equal(started().when('edit', { ...change, text: ' ' }).lastProblem?.problem, 'invalid');
  assert.equal(started().when('edit', { ...change, text: 'x'.repeat(501) }).lastProblem?.problem, 'invalid');
  assert.equal(started({ edits: REVISIONS_MAX }).when('edit', change).lastProblem?.problem, 'limit_reached');
});
