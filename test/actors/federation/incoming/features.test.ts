import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Document, PeerActor } from '../../../kit/federation/peer.js';
import { ForeignWorld, type Sent } from '../inbox/foreign-world.js';

const LOCAL_ID = '000000000000000001';
let world: ForeignWorld;
let ann: PeerActor;
let annId: string;
before(async () => {
  world = await ForeignWorld.open();
  ann = world.peer.actor('ann');
  annId = world.knows(ann).id;
});
after(() => world?.peer.close());

/** Returns the commands that a signed activity causes; it must be taken. */
async function commandsOf(object: unknown, more: Document = {}): Promise<Sent[]> {
  const before = world.sent.length;
  assert.equal(await world.gets(ann, ann.activity('FeatureRequest', object, more)), 'taken');
  return world.sent.slice(before);
}

test('a FeatureRequest reaches the local account that it names, with a collection of the sender’s server', async () => {
  world.relation = { following: true, blockedBy: false };
  const uri = `${ann.uri}/collections/1`;
  for (const instrument of [uri, { id: uri, type: 'FeaturedCollection' }]) {
    const [[actor, command, input] = [], ...more] = await commandsOf(world.localUri, { instrument });
    assert.deepEqual([actor, command, more], [LOCAL_ID, 'requestFeature', []]);
    const { requestId, ...asked } = input as Document;
    assert.match(requestId, /acts/);
    assert.deepEqual(asked, { by: annId, uri, follows: true });
  }
});

test('a FeatureRequest without a collection of the sender’s server, or for nobody here, has no effect', async () => {
  for (const instrument of ['https://v.example/collections/1', `${world.url}/c/1`, 7, '', undefined])
    assert.deepEqual(await commandsOf(world.localUri, { instrument }), [], String(instrument));
  for (const object of ['https://v.example/users/x', `${world.url}/users/nobody`, `${world.localUri}/statuses/1`, 7])
    assert.deepEqual(await commandsOf(object, { instrument: `${ann.uri}/collections/1` }), [], String(object));
});
