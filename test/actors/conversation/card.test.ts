import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LinkCard } from '../../../proto/gen/types.js';
import { started } from './thread-of-one.js';

const card = { url: 'https://example.org/', title: 'A page' } as LinkCard;

test('a card is set once, on an existing status that links to its page', () => {
  const linked = started();
  const entry = linked.state.statuses.get('1');
  assert.ok(entry);
  const before = linked.events.length;
  assert.equal(
    linked.when('setCard', { statusId: '1', card }).events.length,
    before,
    'the status links to another page',
  );
  entry.record = { ...entry.record, text: 'see https://example.org/' };
  const shown = linked.when('setCard', { statusId: '1', card }).when('setCard', { statusId: '1', card });
  assert.equal(shown.events.length, before + 1);
  assert.equal(shown.state.statuses.get('1')?.record.card?.title, 'A page');
  const gone = shown.when('remove', { statusId: '1', by: 'author' });
  assert.equal(gone.state.statuses.get('1')?.record.card, undefined);
  assert.equal(gone.when('setCard', { statusId: '1', card }).events.length, before + 2);
});

test('a status shows the card of its first link, in its current text, and of no other', () => {
  const pageAt = (url: string) => ({ url, title: url }) as LinkCard;
  for (const [text, url, isShown] of [
    ['now https://example.org/second', 'https://example.org/', false],
    ['now https://example.org/second', 'https://example.org/second', true],
    ['https://other.example/ before https://example.org/', 'https://example.org/', false],
    ['only example.org', 'https://example.org/', false],
    ['at https://example.org/#part', 'https://example.org/', true],
    ['auf https://bücher.example/neu', 'https://xn--bcher-kva.example/neu', true],
  ] as const) {
    const thread = started();
    const entry = thread.state.statuses.get('1');
    assert.ok(entry);
    entry.record = { ...entry.record, text };
    thread.when('setCard', { statusId: '1', card: pageAt(url) });
    assert.equal(thread.state.statuses.get('1')?.record.card?.url, isShown ? url : undefined, `${text}: ${url}`);
  }
});

test('a status that is not public, or that has media, shows no card', () => {
  for (const more of [{ visibility: 'private' }, { visibility: 'direct' }, { media: { media: [] } }]) {
    const thread = started();
    const entry = thread.state.statuses.get('1');
    assert.ok(entry);
    entry.record = { ...entry.record, text: 'see https://example.org/', ...more };
    const before = thread.events.length;
    assert.equal(thread.when('setCard', { statusId: '1', card }).events.length, before, JSON.stringify(more));
  }
});
