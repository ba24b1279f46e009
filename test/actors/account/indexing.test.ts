import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newcomer, startMs } from './newcomer.js';

const wish = (indexable: boolean) => ({ indexable, fields: [], setFields: false });
const types = (events: readonly { type: string }[]) => events.map(({ type }) => type);

test('each change of the indexing setting is a new choice, and other changes are not', () => {
  const alice = newcomer().when('updateProfile', wish(true));
  assert.deepEqual(types(alice.events), ['profileUpdated', 'indexingChosen']);
  assert.equal(alice.state.indexingRound, 1);
  const named = alice.when('updateProfile', { ...wish(true), displayName: 'Alice' });
  assert.deepEqual(types(named.events.slice(2)), ['profileUpdated']);
  const shy = named.when('updateProfile', wish(false));
  assert.deepEqual(shy.events.at(-1), { type: 'indexingChosen', on: false, round: 2, atMs: startMs });
});

test('steps of an earlier choice stop after the next one', () => {
  const alice = newcomer().when('updateProfile', wish(true)).when('updateProfile', wish(false));
  const known = alice.events.length;
  const late = alice.when('indexSome', { round: 1, after: '7' });
  assert.deepEqual([late.events.length, late.lastProblem], [known, undefined]);
  const next = late.when('indexSome', { round: 2, after: '7' });
  assert.deepEqual(next.events.at(-1), { type: 'someIndexed', round: 2, after: '7' });
});
