import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAIL_PAUSE_MS, RESET_LIFETIME_MS } from '../../../actors/account/recovery.js';
import { newcomer, startMs } from './newcomer.js';

const types = (events: readonly { type: string }[]) => events.map(({ type }) => type);
const unconfirmed = () =>
  newcomer((state) => {
    if (state.owner !== undefined) Object.assign(state.owner, { confirmed: false, clientId: 'app' });
  });
const resend = (clientId: string, email?: string) => ({
  clientId,
  ...(email === undefined ? {} : { email }),
  nonce: `nonce for ${email}`,
});

test('only the application of the sign-up can resend the mail, before the confirmation, and not too often', () => {
  assert.equal(unconfirmed().when('resendConfirmation', resend('other')).lastProblem?.problem, 'forbidden');
  const sent = unconfirmed().when('resendConfirmation', resend('app')).when('resendConfirmation', resend('app'));
  assert.deepEqual(types(sent.events), ['confirmationResent']);
  const later = sent.when('resendConfirmation', resend('app'), { nowMs: startMs + MAIL_PAUSE_MS });
  assert.equal(later.events.length, 2);
  const confirmed = newcomer((state) => {
    if (state.owner !== undefined) Object.assign(state.owner, { confirmed: true, clientId: 'app' });
  });
  assert.equal(confirmed.when('resendConfirmation', resend('app')).lastProblem?.problem, 'forbidden');
});

test('a new address and its link replace the first ones', () => {
  const moved = unconfirmed().when('resendConfirmation', resend('app', 'new@example.org'));
  assert.equal(moved.state.owner?.email, 'new@example.org');
  const strangers = moved.when('resendConfirmation', resend('app', 'stranger@example.org'));
  assert.deepEqual([strangers.lastProblem?.problem, strangers.state.owner?.email], ['rate_limited', 'new@example.org']);
  const later = { nowMs: startMs + MAIL_PAUSE_MS };
  const again = unconfirmed().when('resendConfirmation', resend('app', 'new@example.org'));
  assert.equal(again.when('resendConfirmation', resend('app', 'newer@example.org'), later).events.length, 2);
  assert.equal(moved.when('confirmEmail', { nonce: 'nonce for new@example.org' }).lastProblem, undefined);
});

test('a link to set a password works once, in time, signs out every device and removes passkeys', () => {
  const token = { tokenHash: 'a', clientId: 'c', scopes: ['read'], kind: 'access' };
  const asked = () => newcomer().when('issueToken', token).when('askReset', { nonce: 'n' });
  const reset = { nonce: 'n', passwordHash: 'new' };
  const late = asked().when('resetPassword', reset, { nowMs: startMs + RESET_LIFETIME_MS });
  assert.equal(late.lastProblem?.problem, 'invalid');
  const wrong = asked().when('resetPassword', { ...reset, nonce: 'x' });
  assert.equal(wrong.lastProblem?.problem, 'invalid');
  const passkey = { id: 'one', publicKey: 'key', counter: 0, name: 'of a stranger' };
  const done = asked().when('addPasskey', passkey).when('resetPassword', reset);
  assert.equal(done.state.passkeys.size, 0);
  assert.deepEqual([done.state.owner?.passwordHash, done.state.tokens.size], ['new', 0]);
  assert.equal(done.when('resetPassword', reset).lastProblem?.problem, 'invalid');
  const twice = asked().when('askReset', { nonce: 'other' });
  assert.equal(twice.state.passwordReset?.nonce, 'n', 'not again within a minute');
});

test('a link is checked without a password, and the check records nothing', () => {
  const asked = newcomer().when('askReset', { nonce: 'n' });
  assert.equal(asked.when('judgeReset', { nonce: 'n' }).lastProblem, undefined);
  assert.equal(asked.when('judgeReset', { nonce: 'n' }).events.length, asked.events.length);
  assert.equal(asked.when('judgeReset', { nonce: 'x' }).lastProblem?.problem, 'invalid');
  const late = asked.when('judgeReset', { nonce: 'n' }, { nowMs: startMs + RESET_LIFETIME_MS });
  assert.equal(late.lastProblem?.problem, 'invalid');
});

test('a changed password invalidates the mailed link', () => {
  const changed = newcomer().when('askReset', { nonce: 'n' }).when('changePassword', { passwordHash: 'new' });
  assert.equal(changed.when('resetPassword', { nonce: 'n', passwordHash: 'x' }).lastProblem?.problem, 'invalid');
});

test('a changed e-mail address invalidates the link that was mailed to the first one', () => {
  const asked = unconfirmed().when('askReset', { nonce: 'n' });
  const same = asked.when('resendConfirmation', resend('app'));
  assert.equal(same.when('judgeReset', { nonce: 'n' }).lastProblem, undefined);
  const later = { nowMs: startMs + MAIL_PAUSE_MS };
  const moved = same.when('resendConfirmation', resend('app', 'new@example.org'), later);
  assert.equal(moved.when('judgeReset', { nonce: 'n' }).lastProblem?.problem, 'invalid');
});

test('a taken address replaces the first one and pauses mails, but gets no link', () => {
  const later = { nowMs: startMs + MAIL_PAUSE_MS };
  const moved = unconfirmed().when('resendConfirmation', { ...resend('app', 'hers@example.org'), taken: true });
  assert.deepEqual(types(moved.events), ['confirmationWithheld']);
  assert.equal(
    moved.when('judgeResend', { clientId: 'app', email: 'x@example.org' }).lastProblem?.problem,
    'rate_limited',
  );
  assert.equal(moved.when('confirmEmail', { nonce: 'confirmation-nonce' }).lastProblem?.problem, 'invalid');
  const again = moved.when('resendConfirmation', resend('app'), later);
  assert.deepEqual(types(again.events), ['confirmationWithheld', 'confirmationWithheld']);
  const muchLater = { nowMs: startMs + 2 * MAIL_PAUSE_MS };
  const free = again.when('resendConfirmation', resend('app', 'free@example.org'), muchLater);
  assert.equal(free.when('confirmEmail', { nonce: 'nonce for free@example.org' }).lastProblem, undefined);
});

test('a resend is checked as it is carried out, and the check records nothing', () => {
  const judge = { clientId: 'app', email: 'new@example.org' };
  assert.equal(unconfirmed().when('judgeResend', judge).events.length, 0);
  assert.equal(unconfirmed().when('judgeResend', judge).lastProblem, undefined);
  assert.equal(unconfirmed().when('judgeResend', { ...judge, clientId: 'x' }).lastProblem?.problem, 'forbidden');
});

test('the first correction of an address is never refused, and no pause holds without rate limits', () => {
  const sent = unconfirmed().when('resendConfirmation', resend('app'));
  const corrected = sent.when('resendConfirmation', resend('app', 'right@example.org'));
  assert.equal(corrected.state.owner?.email, 'right@example.org');
  const again = resend('app', 'other@example.org');
  assert.equal(corrected.when('resendConfirmation', again).lastProblem?.problem, 'rate_limited');
  const unlimited = corrected.when('resendConfirmation', { ...again, unlimited: true });
  assert.equal(unlimited.state.owner?.email, 'other@example.org');
  const events = unlimited.when('resendConfirmation', { ...resend('app'), unlimited: true }).events;
  assert.deepEqual(types(events), Array(4).fill('confirmationResent'));
});
