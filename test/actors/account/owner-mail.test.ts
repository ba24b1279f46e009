import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newcomer, startMs } from './newcomer.js';

test('a rejected mail is noted with the address that it was for, and with no other', () => {
  const rejected = { email: 'alice@example.org', reason: '550 no such mailbox' };
  const noted = newcomer().when('noteUndelivered', rejected);
  assert.deepEqual(noted.state.owner?.undelivered, { reason: rejected.reason, atMs: startMs });
  const former = newcomer().when('noteUndelivered', { ...rejected, email: 'former@example.org' });
  assert.deepEqual(former.events, []);
});

test('an owner ends the mails of a list and begins them again; other lists do not exist', () => {
  const ended = newcomer().when('chooseMails', { list: 'reports', wanted: false });
  assert.deepEqual([...ended.state.endedMails], ['reports']);
  assert.equal(ended.when('chooseMails', { list: 'reports', wanted: false }).events.length, 1, 'a repeat');
  const again = ended.when('chooseMails', { list: 'reports', wanted: true });
  assert.deepEqual([...again.state.endedMails], []);
  assert.equal(newcomer().when('chooseMails', { list: 'security', wanted: false }).lastProblem?.problem, 'not_found');
});
