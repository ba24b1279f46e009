import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RelayList } from '../../../gateway/settings/relay-list.js';
import type { InstanceEntry } from '../../../proto/gen/types.js';
import { VirtualClock } from '../../kit/time/virtual-clock.js';

const failed = (error: unknown) => assert.fail(String(error));

/** Returns the entry of a relay. */
const entryOf = (key: string, state: string) =>
  ({ id: key, key, collection: 'relays', relay: { inbox: `${key}/inbox`, style: 'litepub', state } }) as InstanceEntry;

async function listOf(found: readonly InstanceEntry[], clock = new VirtualClock()) {
  const entries = { of: async () => found, peek: () => found, onChanged: () => undefined };
  return RelayList.open({ entries: entries as never, clock, failed });
}

test('relays count from their Accept on', async () => {
  const list = await listOf(['pending', 'accepted', 'rejected'].map((state) => entryOf(`https://${state}`, state)));
  assert.deepEqual(list.accepted, [{ uri: 'https://accepted', inbox: 'https://accepted/inbox', style: 'litepub' }]);
  const accepts = ['https://pending', 'https://accepted', 'https://rejected'].map((uri) => list.accepts(uri));
  assert.deepEqual(accepts, [false, true, false]);
});

test('a node takes ten relayed statuses a second, and a minute of them at once', async () => {
  const clock = new VirtualClock();
  const list = await listOf([], clock);
  const taken = () => {
    let count = 0;
    while (list.admits()) count += 1;
    return count;
  };
  assert.equal(taken(), 600);
  await clock.advance(2_500);
  assert.equal(taken(), 25);
  await clock.advance(3_600_000);
  assert.equal(taken(), 600);
});
