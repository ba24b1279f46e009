import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mint } from '../../../actors/instance/mint.js';
import { given } from '../../kit/actors/given.js';

test('an actor of the instance mints an id and records nothing', () => {
  const minted = given(mint, {}, { self: '000000000000000001', nowMs: 1, ids: ['000000000000000042'] }).when(
    'mintId',
    {},
  );
  assert.deepEqual(minted.reply, { id: '000000000000000042' });
  assert.deepEqual(minted.events, []);
});
