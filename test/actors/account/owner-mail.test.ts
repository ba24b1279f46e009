import assert from 'node:assert/strict';
import { test } from 'node:test';
import { REPEATED_SIGN_UP_PAUSE_MS } from '../../../actors/account/owner-mail.js';
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

test('a sign-up with the address of an account is noted once a day, if the address is confirmed', () => {
  const unconfirmed = newcomer((state) => {
    if (state.owner !== undefined) state.owner.confirmed = false;
  });
  assert.deepEqual(unconfirmed.when('noteRepeatedSignUp', {}).events, []);
  const confirmed = newcomer((state) => {
    if (state.owner !== undefined) state.owner.confirmed = true;
  });
  const noted = confirmed.when('noteRepeatedSignUp', {}).when('noteRepeatedSignUp', {});
  assert.equal(noted.events.length, 1);
  const later = { nowMs: startMs + REPEATED_SIGN_UP_PAUSE_MS };
  assert.equal(noted.when('noteRepeatedSignUp', {}, later).events.length, 2);
});
