import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RECOVERY_CODES_MAX } from '../../../actors/account/second-factor.js';
import { newcomer } from './newcomer.js';

const enabling = { nonce: 'n', step: 100, recoveryHashes: ['a', 'b'] };
const enabled = () => newcomer().when('enableOtp', enabling);

test('the code of a step works once, and never the code of an earlier step', () => {
  assert.equal(enabled().when('useOtp', { step: 100 }).lastProblem?.problem, 'forbidden', 'it turned the factor on');
  const used = enabled().when('useOtp', { step: 101 });
  assert.equal(used.lastProblem, undefined);
  assert.equal(used.when('useOtp', { step: 101 }).lastProblem?.problem, 'forbidden');
  assert.equal(used.when('useOtp', { step: 100 }).lastProblem?.problem, 'forbidden');
  assert.equal(used.when('useOtp', { step: 102 }).lastProblem, undefined);
});

test('a recovery code works once', () => {
  assert.equal(enabled().when('useRecoveryCode', { hash: 'x' }).lastProblem?.problem, 'forbidden');
  const used = enabled().when('useRecoveryCode', { hash: 'a' });
  assert.deepEqual([...(used.state.otp?.recoveryHashes ?? [])], ['b']);
  assert.equal(used.when('useRecoveryCode', { hash: 'a' }).lastProblem?.problem, 'forbidden');
});

test('a second factor is not replaced while it is on, and has no more codes than fit', () => {
  assert.equal(enabled().when('enableOtp', { ...enabling, nonce: 'm' }).lastProblem?.problem, 'invalid');
  assert.equal(enabled().when('enableOtp', enabling).lastProblem?.problem, 'invalid', 'its codes are given out');
  const many = Array.from({ length: RECOVERY_CODES_MAX + 1 }, String);
  assert.equal(newcomer().when('enableOtp', { ...enabling, recoveryHashes: many }).lastProblem?.problem, 'invalid');
});

test('without a second factor no code fits, and turning it off twice records nothing more', () => {
  assert.equal(newcomer().when('useOtp', { step: 1 }).lastProblem?.problem, 'forbidden');
  assert.equal(newcomer().when('useRecoveryCode', { hash: 'a' }).lastProblem?.problem, 'forbidden');
  const off = enabled().when('disableOtp', {});
  assert.equal(off.state.otp, undefined);
  assert.equal(off.when('disableOtp', {}).events.length, off.events.length);
});
