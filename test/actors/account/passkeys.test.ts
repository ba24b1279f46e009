import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PASSKEYS_MAX } from '../../../actors/account/passkeys.js';
import { newcomer, startMs } from './newcomer.js';

const adding = { id: 'one', publicKey: 'key', counter: 0, name: 'Telephone' };
const added = () => newcomer().when('addPasskey', adding);

test('a challenge is answered once, and never one before it', () => {
  const used = added().when('usePasskey', { id: 'one', counter: 0, askedAtMs: startMs });
  assert.equal(used.lastProblem, undefined);
  assert.equal(used.state.passkeys.get('one')?.usedAtMs, startMs);
  for (const askedAtMs of [startMs, startMs - 1])
    assert.equal(used.when('usePasskey', { id: 'one', counter: 0, askedAtMs }).lastProblem?.problem, 'forbidden');
  assert.equal(used.when('usePasskey', { id: 'one', counter: 0, askedAtMs: startMs + 1 }).lastProblem, undefined);
});

test('a key that counts counts upwards', () => {
  const used = added().when('usePasskey', { id: 'one', counter: 7, askedAtMs: startMs });
  for (const counter of [0, 6, 7])
    assert.equal(
      used.when('usePasskey', { id: 'one', counter, askedAtMs: startMs + 1 }).lastProblem?.problem,
      'forbidden',
      String(counter),
    );
});

test('a passkey is added once, and an account has no more than fit', () => {
  assert.equal(added().when('addPasskey', adding).lastProblem?.problem, 'invalid');
  let account = newcomer();
  for (let number = 0; number < PASSKEYS_MAX; number++)
    account = account.when('addPasskey', { ...adding, id: `${number}` });
  assert.equal(account.when('addPasskey', adding).lastProblem?.problem, 'invalid');
  assert.equal(account.state.passkeys.size, PASSKEYS_MAX);
});

test('a removed passkey is unknown, and a repeat records nothing', () => {
  const removed = added().when('removePasskey', { id: 'one' });
  const use = { id: 'one', counter: 0, askedAtMs: startMs };
  assert.equal(removed.when('usePasskey', use).lastProblem?.problem, 'forbidden');
  assert.equal(removed.when('removePasskey', { id: 'one' }).events.length, removed.events.length);
});
