import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LinkCard } from '../../../proto/gen/types.js';
import { started } from './thread-of-one.js';

const card = { url: 'https://example.org/', title: 'A page' } as LinkCard;

test('a card is shown once, on a status that leads to its page and still exists', () => {
  const linked = started();
  const entry = linked.state.statuses.get('1');
  assert.ok(entry);
  const before = linked.events.length;
  assert.equal(linked.when('setCard', { statusId: '1', card }).events.length, before, 'it leads elsewhere');
  entry.record = { ...entry.record, text: 'see https://example.org/' };
  const shown = linked.when('setCard', { statusId: '1', card }).when('setCard', { statusId: '1', card });
  assert.equal(shown.events.length, before + 1);
  assert.equal(shown.state.statuses.get('1')?.record.card?.title, 'A page');
  const gone = shown.when('remove', { statusId: '1', by: 'author' });
  assert.equal(gone.state.statuses.get('1')?.record.card, undefined);
  assert.equal(gone.when('setCard', { statusId: '1', card }).events.length, before + 2);
});
