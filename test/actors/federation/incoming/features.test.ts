import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { deletedUris, featureStamps } from '../../../../store/federation-tables.js';
import { put } from '../../../../store/port.js';
import { accounts, collections } from '../../../../store/tables.js';
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

let places = 700;
/** Stores a collection of the local account with ann in it; returns the request as an answer names it. */
async function asked(account = annId) {
  const [id, item] = [places++, places++].map((one) => String(one).padStart(18, '0')) as [string, string];
  const items = [{ id: item, account, createdAtMs: 1, pending: true }];
  const row = { id, owner: LOCAL_ID, items, createdAtMs: 1, updatedAtMs: 1 };
  await world.tables.write([
    put(accounts, { account: LOCAL_ID }, world.local.get('local') as never),
    put(collections, { collection: id }, row),
  ]);
  const uri = `${world.localUri}/collections/${id}`;
  const request = { type: 'FeatureRequest', actor: world.localUri, object: ann.uri, instrument: uri };
  return {
    id,
    item,
    uri,
    stamp: world.peer.uri('stamps'),
    request: { id: `${uri}/items/${item}#feature-request`, ...request },
  };
}
/** Returns the commands of an answer, also if it waits for the fetch of the stamp, and the stamps that were fetched. */
async function answers(type: string, object: unknown, more: Document = {}, by = ann) {
  const [sent, waited, fetched] = [world.sent.length, world.waited.length, world.fetched.length];
  const activity = by.activity(type, object, more);
  assert.equal(await world.gets(by, activity), 'taken');
  const waits = world.waited.length > waited;
  const outcome = waits ? await world.later(by, activity) : undefined;
  return {
    outcome,
    commands: world.sent.slice(sent),
    waits,
    fetched: world.fetched.slice(fetched).filter((uri) => uri.includes('/stamps/')),
  };
}

test('an Accept waits for its stamp, and a Reject settles the place at once', async () => {
  const { id, item, request, stamp } = await asked();
  const settled = [LOCAL_ID, 'settleFeature', { id, item, by: annId, stampUri: stamp }];
  for (const object of [request, request.id])
    assert.deepEqual(await answers('Accept', object, { result: stamp }), {
      ...{ outcome: 'done', waits: true, fetched: [stamp], commands: [settled] },
    });
  for (const object of [request, request.id, { ...request, id: undefined }])
    assert.deepEqual((await answers('Reject', object)).commands, [
      [LOCAL_ID, 'settleFeature', { id, item, by: annId }],
    ]);
});

test('answers about places of others, and stamps that cannot be the sender’s, cause no fetch and no command', async () => {
  const { uri, request, stamp } = await asked();
  const others = await asked('000000000000000999');
  const nothing = { outcome: undefined, commands: [], waits: false, fetched: [] };
  for (const result of ['https://v.example/stamps/1', undefined, 7, `${world.url}/stamps/1`])
    assert.deepEqual(await answers('Accept', request, { result }), nothing, String(result));
  for (const object of [
    others.request,
    others.request.id,
    { ...request, object: 'https://v.example/users/x' },
    `${uri}/items/9#feature-request`,
    `${uri}99#feature-request`,
    `${world.localUri}x/collections/1#feature-request`,
    `https://v.example/users/x/collections/1/items/1#feature-request`,
  ])
    for (const type of ['Accept', 'Reject'])
      assert.deepEqual(await answers(type, object, { result: stamp }), nothing, JSON.stringify(object));
});

test('a forged stamp permits nothing, one that cannot be fetched now waits, and a deleted one is not fetched', async () => {
  const { uri, request, stamp } = await asked();
  const seen: unknown[] = [];
  for (const [proof, outcome] of [
    ['rejected', 'ignored'],
    ['later', 'later'],
  ] as const) {
    world.stamps = (stamped) => {
      seen.push(stamped);
      return proof;
    };
    const answer = await answers('Accept', request, { result: stamp });
    assert.deepEqual([answer.outcome, answer.commands], [outcome, []]);
  }
  const expected = { id: stamp, type: 'FeatureAuthorization', attributedTo: ann.uri };
  assert.deepEqual(seen[0], { ...expected, interactingObject: uri, interactionTarget: ann.uri });
  await world.tables.write([put(deletedUris, { uri: stamp }, {} as never)]);
  const { waits, fetched } = await answers('Accept', request, { result: stamp });
  assert.deepEqual([waits, fetched], [false, []]);
});

test('the deletion of a stamp ends the place that it has permitted, by its author alone', async () => {
  const { id, stamp } = await asked();
  const key = { account: annId, stamp };
  await world.tables.write([put(featureStamps, key, { collectionId: id, owner: LOCAL_ID })]);
  const eve = world.peer.actor('eve');
  world.knows(eve);
  const ends = async (by: PeerActor) =>
    (await answers('Delete', stamp, {}, by)).commands.filter(([, command]) => command === 'endFeature');
  assert.deepEqual(await ends(eve), []);
  assert.deepEqual(await ends(ann), [[LOCAL_ID, 'endFeature', { id, by: annId, stampUri: stamp }]]);
});
