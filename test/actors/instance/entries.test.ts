import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Commands, ENTRIES_MAX, type Events, entries, type State } from '../../../actors/instance/entries.js';
import { LazyMap } from '../../../actors/runtime/state/lazy-collections.js';
import { given } from '../../kit/actors/given.js';

const fresh = (): State => ({ entries: new LazyMap() });
const rule = (text: string, id = '') => ({
  entry: { collection: 'rules', id, key: '', atMs: 0, updatedAtMs: 0, text: { text, hint: '' } },
  by: '7',
  replace: false,
});
const block = (key: string, replace = false) => ({
  entry: { collection: 'domain_blocks', id: '', key, atMs: 0, updatedAtMs: 0 },
  by: '7',
  replace,
});

test('an entry keeps its id and its creation time when it changes', () => {
  const made = given<State, Commands, Events>(entries, fresh()).when('putEntry', rule('Be kind'));
  const id = (made.reply as { id: string }).id;
  const later = made.when('putEntry', rule('Be very kind', id), { nowMs: 1_800_000_000_000 });
  const changed = later.reply as { id: string; atMs: number; updatedAtMs: number };
  assert.deepEqual([changed.id, changed.updatedAtMs], [id, 1_800_000_000_000]);
  assert.ok(changed.atMs < changed.updatedAtMs);
  assert.equal(later.when('putEntry', rule('Be very kind', id)).events.length, 2, 'an unchanged entry is not recorded');
});

test('a key is unique in its collection, unless its entry is replaced', () => {
  const once = given<State, Commands, Events>(entries, fresh()).when('putEntry', block('bad.example'));
  const twice = once.when('putEntry', block('bad.example'));
  assert.equal(twice.lastProblem?.problem, 'invalid');
  assert.deepEqual(Object.keys(twice.lastProblem?.fields ?? {}), ['domain']);
  assert.equal(once.when('putEntry', block('bad.example', true)).lastProblem, undefined);
});

test('an instance key never changes: a second one returns the first', () => {
  const key = (text: string, replace = false) => ({
    entry: { collection: 'keys', id: '', key: 'vapid', atMs: 0, updatedAtMs: 0, text: { text, hint: '' } },
    by: '',
    replace,
  });
  const once = given<State, Commands, Events>(entries, fresh()).when('putEntry', key('first'));
  const twice = once.when('putEntry', key('second'));
  assert.deepEqual([twice.lastProblem, twice.reply, twice.events.length], [undefined, once.reply, 1]);
  const replaced = twice.when('putEntry', key('third', true));
  assert.equal((replaced.reply as { text: { text: string } }).text.text, 'third');
});

test('unknown entries are neither changed nor removed, and unknown collections are refused', () => {
  const nothing = given<State, Commands, Events>(entries, fresh());
  assert.equal(nothing.when('putEntry', rule('x', '99')).lastProblem?.problem, 'not_found');
  const gone = nothing.when('removeEntry', { collection: 'rules', id: '99', by: '7' });
  assert.equal(gone.lastProblem?.problem, 'not_found');
  const strange = { ...rule('x'), entry: { ...rule('x').entry, collection: '__proto__' } };
  assert.equal(nothing.when('putEntry', strange).lastProblem?.problem, 'not_found');
});

test('a full collection refuses entries until one is removed', () => {
  const state = fresh();
  const full = new LazyMap(
    Array.from({ length: ENTRIES_MAX }, (_, index) => [
      `9${index}`,
      { collection: 'rules', id: `9${index}`, key: '', atMs: 0, updatedAtMs: 0 },
    ]),
  );
  state.entries.set('rules', full);
  const refused = given<State, Commands, Events>(entries, state).when('putEntry', rule('one more'));
  assert.equal(refused.lastProblem?.problem, 'limit_reached');
  const room = refused.when('removeEntry', { collection: 'rules', id: '90', by: '7' });
  assert.equal(room.when('putEntry', rule('one more')).lastProblem, undefined);
});
