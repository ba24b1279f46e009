import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EMAIL_CHANGE_LIFETIME_MS } from '../../../actors/account/email-change.js';
import { MAIL_PAUSE_MS } from '../../../actors/account/recovery.js';
import { newcomer, startMs } from './newcomer.js';

const owned = (confirmed = true) =>
  newcomer((state) => {
    if (state.owner !== undefined) Object.assign(state.owner, { confirmed, email: 'old@example.org' });
  });
const ask = { email: 'new@example.org', nonce: 'n', taken: false, unlimited: false };
const link = { nonce: 'n' };

test('another address counts once its link is opened, and the link works once', () => {
  const asked = owned().when('askEmailChange', ask);
  assert.equal(asked.state.owner?.email, 'old@example.org');
  assert.equal(asked.when('judgeEmailChange', link).events.length, asked.events.length);
  assert.equal(asked.when('confirmEmailChange', { nonce: 'x' }).lastProblem?.problem, 'invalid');
  const done = asked.when('askReset', { nonce: 'r' }).when('confirmEmailChange', link);
  assert.deepEqual([done.state.owner?.email, done.state.passwordReset], ['new@example.org', undefined]);
  assert.equal(done.when('confirmEmailChange', link).lastProblem?.problem, 'invalid');
});

test('an address of another account is never mailed, and its link is none', () => {
  const asked = owned().when('askEmailChange', { ...ask, taken: true });
  assert.equal(asked.lastProblem, undefined);
  assert.equal(asked.when('confirmEmailChange', link).lastProblem?.problem, 'invalid');
  assert.equal(asked.when('judgeEmailChange', { nonce: '' }).lastProblem?.problem, 'invalid');
});

test('mails pause, links expire, and the present address and an unconfirmed account are refused', () => {
  const asked = owned().when('askEmailChange', ask);
  assert.equal(asked.when('askEmailChange', ask).lastProblem?.problem, 'rate_limited');
  const other = { ...ask, nonce: 'm' };
  const again = asked.when('askEmailChange', other, { nowMs: startMs + MAIL_PAUSE_MS });
  assert.equal(again.when('confirmEmailChange', link).lastProblem?.problem, 'invalid', 'the last link counts');
  const late = asked.when('confirmEmailChange', link, { nowMs: startMs + EMAIL_CHANGE_LIFETIME_MS });
  assert.equal(late.lastProblem?.problem, 'invalid');
  for (const [start, email, problem] of [
    [owned(), 'OLD@example.org', 'invalid'],
    [owned(), `${'x'.repeat(300)}@example.org`, 'invalid'],
    [owned(false), 'new@example.org', 'forbidden'],
  ] as const)
    assert.equal(start.when('askEmailChange', { ...ask, email }).lastProblem?.problem, problem);
});
