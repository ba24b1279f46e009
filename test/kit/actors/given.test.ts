import assert from 'node:assert/strict';
import { test } from 'node:test';
import { given } from './given.js';
import { type NotebookCommands, type NotebookEvents, type NotebookState, notebook } from './notebook.js';

test('given a slice and a state, a command shows its reply, its events and the state after them', () => {
  const page = given<NotebookState, NotebookCommands, NotebookEvents>(notebook(), { lines: ['one'] }).when('addOnce', {
    text: 'two',
  });
  assert.deepEqual(page.reply, { line: 2 });
  assert.deepEqual(page.events, [{ type: 'added', text: 'two', line: 2 }]);
  assert.deepEqual(page.state.lines, ['one', 'two']);
  assert.deepEqual(page.when('addOnce', { text: 'two' }).events, page.events);
});

test('given a refusal, nothing is recorded', () => {
  const page = given<NotebookState, NotebookCommands, NotebookEvents>(notebook(), { lines: [] }).when('erase', {});
  assert.equal(page.lastProblem?.problem, 'forbidden');
  assert.deepEqual(page.events, []);
});
