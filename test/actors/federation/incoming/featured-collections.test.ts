import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Document, PeerActor } from '../../../kit/federation/peer.js';
import { ForeignWorld, type Sent } from '../inbox/foreign-world.js';

let world: ForeignWorld;
let ann: PeerActor;
let ben: PeerActor;
let annId: string;
let benId: string;
before(async () => {
  world = await ForeignWorld.open();
  const list = (name: string) => ({ featuredCollections: `${world.peer.url}/users/${name}/featured_collections` });
  [ann, ben] = [world.peer.actor('ann', list('ann')), world.peer.actor('ben', list('ben'))];
  annId = world.knows(ann, { followers: 1 }).id;
  benId = world.knows(ben).id;
});
after(() => world?.peer.close());

const shelf = (of: PeerActor) => `${of.uri}/collections/1`;
const collection = (of: PeerActor, more: Document = {}): Document => ({
  ...{ id: shelf(of), type: 'FeaturedCollection', attributedTo: of.uri, name: 'Birds', orderedItems: [] },
  ...more,
});
const place = (of: PeerActor, featuredObject = 'https://v.example/users/vic'): Document => ({
  ...{ id: `${shelf(of)}/items/1`, type: 'FeaturedItem', featuredObject },
  featureAuthorization: 'https://v.example/stamps/1',
});

/** Returns the calls that a signed activity causes once it was carried out, and the order in which it waited. */
async function causes(by: PeerActor, activity: Document): Promise<readonly [Sent[], string | undefined]> {
  const [sent, waited] = [world.sent.length, world.waited.length];
  assert.equal(await world.gets(by, activity), 'taken');
  assert.equal(world.sent.length, sent, 'nothing happens before the fetches');
  if (world.waited.length === waited) return [[], undefined];
  assert.equal(await world.later(by, activity), 'done');
  return [world.sent.slice(sent), world.orders.at(-1)];
}
const target = (of: PeerActor) => of.document.featuredCollections;

test('changes of the collections of a followed account wait in one order, and are carried out', async () => {
  const order = `${ann.uri}#collections`;
  const whole = collection(ann);
  for (const [activity, command, input] of [
    [ann.activity('Add', whole, { target: target(ann) }), 'told collection', shelf(ann)],
    [ann.activity('Add', shelf(ann), { target: target(ann) }), 'found', shelf(ann)],
    [ann.activity('Update', whole), 'told collection', shelf(ann)],
    [ann.activity('Add', place(ann), { target: shelf(ann) }), 'joined', [place(ann).id, shelf(ann)]],
    [ann.activity('Remove', place(ann).id, { target: shelf(ann) }), 'parted', [place(ann).id, shelf(ann)]],
    [ann.activity('Remove', shelf(ann), { target: target(ann) }), 'forgotten', shelf(ann)],
  ] as const)
    assert.deepEqual(await causes(ann, activity), [[[annId, command, input]], order], JSON.stringify(activity));
});

test('collections of an account that nobody follows count only if somebody of here is in them', async () => {
  const nothing = [[], undefined];
  const local = place(ben, world.localUri);
  for (const [activity, named] of [
    [(more: Document) => ben.activity('Update', collection(ben, more)), 'told collection'],
    [(more: Document) => ben.activity('Add', collection(ben, more), { target: target(ben) }), 'told collection'],
  ] as const) {
    assert.deepEqual(await causes(ben, activity({ orderedItems: [place(ben), 7, null] })), nothing);
    const [[call]] = await causes(ben, activity({ orderedItems: [place(ben), local] }));
    assert.deepEqual(call, [benId, named, shelf(ben)]);
  }
  assert.deepEqual(await causes(ben, ben.activity('Add', place(ben), { target: shelf(ben) })), nothing);
  const [[joined]] = await causes(ben, ben.activity('Add', local, { target: shelf(ben) }));
  assert.deepEqual(joined, [benId, 'joined', [local.id, shelf(ben)]]);
});

test('nobody changes collections of others, nor with objects of another server', async () => {
  const far = 'https://v.example/collections/1';
  // It is fetched, and its author compared.
  const [found] = await causes(ann, ann.activity('Add', collection(ben), { target: target(ann) }));
  assert.deepEqual(found, [[annId, 'found', shelf(ben)]]);
  for (const activity of [
    ann.activity('Add', collection(ann), { target: 'https://v.example/list' }),
    ann.activity('Add', collection(ann, { id: far }), { target: target(ann) }),
    ann.activity('Add', far, { target: target(ann) }),
    ann.activity('Add', { ...place(ann), id: 'https://v.example/items/1' }, { target: shelf(ann) }),
    ann.activity('Add', place(ann), { target: far }),
    ann.activity('Add', { ...place(ann), type: 'Note' }, { target: shelf(ann) }),
    ann.activity('Add', place(ann).id, { target: shelf(ann) }),
    ann.activity('Remove', far, { target: target(ann) }),
    ann.activity('Remove', place(ann).id, { target: far }),
    ann.activity('Update', collection(ann, { attributedTo: ben.uri })),
    ann.activity('Update', collection(ann, { attributedTo: [ann.uri, 'https://v.example/users/vic'] })),
    ann.activity('Update', collection(ann, { id: far })),
  ])
    assert.deepEqual(await causes(ann, activity), [[], undefined], JSON.stringify(activity));
});
