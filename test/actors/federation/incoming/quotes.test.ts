import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { StoreStatusRecord } from '../../../../proto/gen/types.js';
import { deletedUris, quoteStamps } from '../../../../store/federation-tables.js';
import { put, remove } from '../../../../store/port.js';
import { following, statuses } from '../../../../store/tables.js';
import { type Document, type PeerActor, PUBLIC } from '../../../kit/federation/peer.js';
import { ForeignWorld, type Sent } from '../inbox/foreign-world.js';

let world: ForeignWorld;
let ann: PeerActor;
let annId: string;
let eve: PeerActor;
let eveId: string;
before(async () => {
  world = await ForeignWorld.open();
  ann = world.peer.actor('ann');
  eve = world.peer.actor('eve');
  eveId = world.knows(eve).id;
});
beforeEach(() => {
  annId = world.knows(ann).id;
  world.relation = { following: false, blockedBy: false };
  world.answer = {};
});
after(() => world?.peer.close());

/** Returns the commands that a signed activity causes; it must be taken. */
async function commandsOf(type: string, object: unknown, more: Document = {}): Promise<Sent[]> {
  const before = world.sent.length;
  assert.equal(await world.gets(ann, ann.activity(type, object, more)), 'taken');
  return world.sent.slice(before);
}
const localStatus = (number: number) => `${world.localUri}/statuses/${number}`;
const quoteOf = (statusId: string, uri?: string) => ({
  ...{ statusId, accountId: annId, conversationId: '8', state: 'pending', follows: false, uri },
});

/** Stores a status of this server that may be quoted, and one of ann's that quotes it. */
async function pair(number: number, more: Document = {}) {
  const quoted = await world.stores(localStatus(number));
  const uri = world.peer.uri('quoting');
  const origin = { uri, url: '' };
  const quoting = await world.stores(uri, {
    ...{ accountId: annId, conversationId: '8', origin, quote: quoteOf('', localStatus(number)) },
    ...more,
  });
  return { quoted, quoting, uri };
}

test('a QuoteRequest reaches the conversation of the quoted status, with the stamp that an Accept would name', async () => {
  const { quoted, quoting, uri } = await pair(10);
  world.relation = { following: true, blockedBy: false };
  const [[actor, command, input] = [], ...more] = await commandsOf('QuoteRequest', localStatus(10), {
    instrument: uri,
  });
  assert.deepEqual([actor, command, more], ['7', 'requestQuote', []]);
  const { requestId, ...asked } = input as Document;
  assert.match(requestId, /acts/);
  assert.deepEqual(asked, {
    ...{ statusId: quoted.id, by: annId, quotingId: quoting.id, quotingUri: uri, visibility: 'public', follows: true },
    ...{
      conversationId: '8',
      approvalUri: `${world.localUri}/statuses/${quoted.id}/quote_authorizations/${quoting.id}`,
    },
  });
});

test('the quoting status is stored if the request contains it, and fetched if it is only named', async () => {
  await world.stores(localStatus(11));
  const note = (more: Document = {}) => ({
    ...{ id: world.peer.uri('n'), type: 'Note', attributedTo: ann.uri, to: PUBLIC, content: 'x' },
    ...{ quote: localStatus(11), ...more },
  });
  const received = async (instrument: unknown) =>
    (await commandsOf('QuoteRequest', localStatus(11), { instrument })).map(([, command]) => command);
  assert.deepEqual(await received(note()), ['received']);
  const waited = world.waited.length;
  assert.deepEqual(await received(world.peer.uri('unknown')), []);
  assert.equal(world.waited.length, waited + 1);
  // A document that quotes something else, or is somebody else's, counts only as its server gives it.
  for (const more of [{ quote: localStatus(12) }, { attributedTo: 'https://v.example/users/x' }])
    assert.deepEqual(await received(note(more)), []);
  assert.equal(world.waited.length, waited + 3);
});

test('a request about a quoting status that has no row yet waits for it', async () => {
  const { quoting, uri } = await pair(16);
  const request = ann.activity('QuoteRequest', localStatus(16), { instrument: uri });
  const row = await world.tables.get(statuses, { status: quoting.id });
  await world.tables.write([remove(statuses, { status: quoting.id })]);
  const [waited, sent] = [world.waited.length, world.sent.length];
  assert.equal(await world.gets(ann, request), 'taken');
  assert.equal(await world.later(ann, request), 'later');
  assert.deepEqual([world.waited.length, world.sent.length], [waited + 1, sent]);
  await world.tables.write([put(statuses, { status: quoting.id }, row as StoreStatusRecord)]);
  assert.equal(await world.later(ann, request), 'done');
  assert.equal(world.sent.at(-1)?.[1], 'requestQuote');
});

test('requests about what the sender may not see, or with a status that is not theirs, have no effect', async () => {
  const { uri } = await pair(13);
  const other = world.peer.uri('quoting');
  await world.stores(other, {
    accountId: 'somebody',
    origin: { uri: other, url: '' },
    quote: quoteOf('', localStatus(13)),
  });
  const nothing = world.peer.uri('quoting');
  await world.stores(nothing, { accountId: annId, origin: { uri: nothing, url: '' } });
  const refused: readonly unknown[] = [other, nothing, 'https://v.example/1', localStatus(13), undefined, 7];
  for (const instrument of refused)
    assert.deepEqual(await commandsOf('QuoteRequest', localStatus(13), { instrument }), [], String(instrument));
  await world.stores(localStatus(14), { visibility: 'private' });
  await world.stores(world.peer.uri('theirs'), { domain: world.peer.host, accountId: annId });
  for (const object of [localStatus(14), localStatus(99), world.peer.uri('theirs'), world.localUri])
    assert.deepEqual(await commandsOf('QuoteRequest', object, { instrument: uri }), [], object);
  world.relation = { following: true, blockedBy: true };
  assert.deepEqual(await commandsOf('QuoteRequest', localStatus(13), { instrument: uri }), []);
});

/** Stores a local status that quotes one of ann's; returns the request as an answer names it. */
async function asked(number: number, more: Document = {}) {
  const theirs = world.peer.uri('quoted');
  const uri = localStatus(number);
  const { id } = await world.stores(uri, { quote: { ...quoteOf('600', theirs), ...more } });
  const request = { id: `${uri}#quote-request`, type: 'QuoteRequest', actor: world.localUri, object: theirs };
  return { id, request: { ...request, instrument: uri }, stamp: world.peer.uri('stamps') };
}
const settled = (statusId: string, state: string, approvalUri?: string) => [
  ['7', 'settleQuote', { statusId, quotedId: '600', state, approvalUri }],
];

test('an Accept or a Reject of the quoted author settles the quote', async () => {
  const { id, request, stamp } = await asked(20);
  const { id: _, ...unnamed } = request;
  for (const object of [request, request.id, unnamed]) {
    assert.deepEqual(await commandsOf('Accept', object, { result: stamp }), settled(id, 'accepted', stamp));
    assert.deepEqual(await commandsOf('Reject', object), settled(id, 'rejected'));
  }
});

test('answers of others, without a stamp, or with one of another origin, settle nothing and no follow', async () => {
  const { request, stamp } = await asked(21);
  const forged = await asked(22, { accountId: 'somebody' });
  await world.tables.write([
    put(following, { account: '000000000000000001', target: annId }, { edgeId: '5' } as never),
  ]);
  for (const type of ['Accept', 'Reject']) {
    assert.deepEqual(await commandsOf(type, forged.request, { result: stamp }), [], type);
    assert.deepEqual(await commandsOf(type, forged.request.id, { result: stamp }), [], type);
    assert.deepEqual(await commandsOf(type, { ...request, object: world.peer.uri('other') }, { result: stamp }), []);
    assert.deepEqual(await commandsOf(type, `${localStatus(98)}#quote-request`, { result: stamp }), [], type);
  }
  for (const result of [undefined, 'https://v.example/stamp', `${world.url}/stamp`, 7])
    assert.deepEqual(await commandsOf('Accept', request, { result }), [], String(result));
  await world.tables.write([put(deletedUris, { uri: stamp }, {} as never)]);
  assert.deepEqual(await commandsOf('Accept', request, { result: stamp }), [], 'the stamp was deleted before');
});

test('the deletion of a stamp revokes its quote if its author deletes it', async () => {
  const stamp = world.peer.uri('stamps');
  const { id } = await asked(23, { state: 'accepted', approvalUri: stamp });
  await world.tables.write([put(quoteStamps, { account: annId, stamp }, { statusId: id })]);
  const deleted = { id: stamp, type: 'QuoteAuthorization', attributedTo: ann.uri };
  for (const object of [stamp, deleted]) assert.deepEqual(await commandsOf('Delete', object), settled(id, 'revoked'));
  const before = world.sent.length;
  assert.equal(await world.gets(eve, eve.activity('Delete', stamp)), 'taken');
  assert.deepEqual(world.sent.slice(before), [[eveId, 'deleted', stamp]]);
});
