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

test('another address counts once its link is opened; opening it again changes nothing', () => {
  const asked = owned().when('askEmailChange', ask);
  assert.equal(asked.state.owner?.email, 'old@example.org');
  assert.equal(asked.when('judgeEmailChange', link).events.length, asked.events.length);
  assert.equal(asked.when('confirmEmailChange', { nonce: 'x' }).lastProblem?.problem, 'invalid');
  const done = asked.when('askReset', { nonce: 'r' }).when('confirmEmailChange', link);
  assert.deepEqual([done.state.owner?.email, done.state.passwordReset], ['new@example.org', undefined]);
  const again = done.when('confirmEmailChange', link);
  assert.equal(again.lastProblem, undefined);
  assert.equal(again.events.length, done.events.length);
  assert.deepEqual(again.when('judgeEmailChange', link).reply, { email: ask.email, former: ask.email });
});

test('a used link is refused when it is forged, expired, or of an address that the account no longer has', () => {
  const done = owned().when('askEmailChange', ask).when('confirmEmailChange', link);
  const refusals = (account: typeof done, nonce: string, nowMs = startMs) =>
    (['judgeEmailChange', 'confirmEmailChange'] as const).map(
      (command) => account.when(command, { nonce }, { nowMs }).lastProblem?.problem,
    );
  const refused = ['invalid', 'invalid'];
  for (const nonce of ['x', '', 'N']) assert.deepEqual(refusals(done, nonce), refused, nonce);
  assert.deepEqual(refusals(done, 'n', startMs + EMAIL_CHANGE_LIFETIME_MS), refused);
  const third = { ...ask, email: 'third@example.org', nonce: 'm', unlimited: true };
  const moved = done.when('askEmailChange', third).when('confirmEmailChange', { nonce: 'm' });
  assert.deepEqual(refusals(moved, 'n'), refused);
  const gone = done.when('deleteAccount', {});
  assert.notEqual(gone.when('confirmEmailChange', link).lastProblem, undefined);
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
