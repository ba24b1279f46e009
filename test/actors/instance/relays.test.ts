import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entries } from '../../../actors/instance/entries.js';
import { relays } from '../../../actors/instance/relays.js';
import { initialInstance } from '../../../actors/kinds/instance.js';
import { joined } from '../../../actors/runtime/slice.js';
import { given } from '../../kit/actors/given.js';

const uri = 'https://relay.example/actor';
const relay = { inbox: 'https://relay.example/inbox', style: 'mastodon', state: 'pending' };
const entry = { collection: 'relays', id: '', key: uri, atMs: 0, updatedAtMs: 0, relay };

/** Returns an instance that has asked one relay, and the id of the relay's entry. */
function subscribed() {
  const slice = joined([entries, relays]);
  const asked = given(slice, initialInstance()).when('putEntry', { entry, by: '', replace: false });
  return { asked, id: (asked.reply as { id: string }).id };
}

test('a relay settles its own subscription alone, and may end it later', () => {
  const { asked, id } = subscribed();
  for (const forged of [
    { uri: 'https://evil.example/actor', id, accepted: true },
    { uri, id: '000000000000000404', accepted: true },
  ])
    assert.equal(asked.when('answerRelay', forged).lastProblem?.problem, 'not_found');
  const stateOf = (one: typeof asked) => one.state.entries.get('relays')?.get(id)?.relay?.state;
  assert.equal(stateOf(asked), 'pending');
  const accepted = asked.when('answerRelay', { uri, id, accepted: true });
  assert.equal(stateOf(accepted), 'accepted');
  const events = accepted.events.length;
  assert.equal(accepted.when('answerRelay', { uri, id, accepted: true }).events.length, events);
  assert.equal(stateOf(accepted.when('answerRelay', { uri, id, accepted: false })), 'rejected');
});

test('only a relay may follow the server, and a removed one tells where its Undo goes', () => {
  const { asked, id } = subscribed();
  const stranger = asked.when('meetRelay', { uri: 'https://evil.example/actor', activityId: 'https://evil.example/1' });
  assert.equal(stranger.lastProblem?.problem, 'not_found');
  const met = asked.when('meetRelay', { uri, activityId: 'https://relay.example/1' });
  assert.deepEqual(met.events.at(-1), { type: 'relayMet', id, activityId: 'https://relay.example/1' });
  const removed = met.when('removeEntry', { collection: 'relays', id, by: '' }).events.at(-1);
  assert.deepEqual([removed?.type, (removed as { relay?: object }).relay], ['entryRemoved', relay]);
});
