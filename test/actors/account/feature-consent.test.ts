import assert from 'node:assert/strict';
import { test } from 'node:test';
import { consentOf } from '../../../actors/account/feature-consent.js';
import { newcomer, other } from './newcomer.js';

type Told = ReturnType<typeof newcomer>;
const consent = (alice: Told) =>
  (alice.when('featureConsent', { by: other }).reply as unknown as { consent: string }).consent;
const open = (change?: object) =>
  newcomer((state) => {
    state.profile = { ...state.profile, discoverable: true, ...change };
  });

test('discoverable accounts can be featured by everybody, locked ones only by their followers', () => {
  assert.equal(consentOf({ discoverable: true, locked: false }), 'public');
  assert.equal(consentOf({ discoverable: true, locked: true }), 'followers');
  for (const locked of [true, false]) assert.equal(consentOf({ discoverable: false, locked }), 'nobody');
  assert.equal(consent(open()), 'public');
  assert.equal(consent(open({ locked: true })), 'followers');
  assert.equal(consent(newcomer()), 'nobody');
});

test('a blocked or blocking account cannot feature an account, and a suspended account cannot be featured', () => {
  assert.equal(consent(open().when('block', { target: other })), 'nobody');
  assert.equal(consent(open().when('receiveBlock', { from: other, on: true })), 'nobody');
  const decided = { by: '', text: '', mail: false };
  assert.equal(consent(open().when('moderate', { action: 'suspend', ...decided })), 'nobody');
});
