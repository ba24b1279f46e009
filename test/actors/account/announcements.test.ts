import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ANNOUNCEMENTS_MAX, REACTIONS_MAX } from '../../../actors/account/announcements.js';
import { newcomer } from './newcomer.js';

const types = (events: readonly { type: string }[]) => events.map(({ type }) => type);

test('dismissing an announcement and reacting to it are recorded once, and a reaction can be undone', () => {
  const read = newcomer().when('dismissAnnouncement', { id: '5' }).when('dismissAnnouncement', { id: '5' });
  assert.deepEqual(types(read.events), ['announcementDismissed']);
  const on = { id: '5', name: '👍', on: true };
  const reacted = read.when('react', on).when('react', on);
  const off = reacted.when('react', { ...on, on: false }).when('react', { ...on, on: false });
  assert.deepEqual(types(off.events), ['announcementDismissed', 'reacted', 'reacted']);
  const { marks } = reacted.when('announcementMarks', {}).reply as unknown as { marks: object[] };
  assert.equal(marks.length, 1);
});

test('reactions and stored announcements of one account are bounded', () => {
  let alice = newcomer();
  for (let index = 0; index <= REACTIONS_MAX; index++)
    alice = alice.when('react', { id: '5', name: `${index}`, on: true });
  assert.equal(alice.events.length, REACTIONS_MAX);
  for (let id = 10; id < 20 + ANNOUNCEMENTS_MAX; id++) alice = alice.when('dismissAnnouncement', { id: String(id) });
  assert.equal(alice.state.announcements.size, ANNOUNCEMENTS_MAX);
});
