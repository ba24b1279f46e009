import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Document, type Peer, type PeerActor, PUBLIC } from '../../../kit/federation/peer.js';
import { type SecureServer, TrustedLoopback } from '../../../kit/federation/trusted-loopback.js';
import { until } from '../../../kit/time/until.js';
import { call, makePeople, type Person } from '../../cluster/people.js';

/** Tests see an effect within this time. */
const SEEN_MS_MAX = 30_000;

let loopback: TrustedLoopback;
let server: SecureServer;
let good: Peer;
let evil: Peer;
let ada: Person;
/** Two people of one server, and an attacker on another. */
let vera: PeerActor;
let zoe: PeerActor;
let mallory: PeerActor;
before(async () => {
  loopback = await TrustedLoopback.open();
  [good, evil] = await Promise.all([loopback.peer(), loopback.peer()]);
  [vera, zoe, mallory] = [good.actor('vera'), good.actor('zoe'), evil.actor('mallory')];
  server = await loopback.server();
  [ada] = (await makePeople(server.dataDir, ['ada'])) as [Person];
});
after(async () => {
  await server?.dispose();
  await Promise.all([good?.close(), evil?.close()]);
  await loopback?.close();
});

// biome-ignore lint/suspicious/noExplicitAny: tests read into answers of every shape.
const ask = (method: string, path: string, body?: object): Promise<any> =>
  call(server.url, ada, method, `/api/v1/${path}`, body);
const send = async (who: PeerActor, activity: Document): Promise<void> =>
  assert.equal(await who.post(`${server.url}/inbox`, activity), 202);
const find = async (uri: string): Promise<Document> => {
  const path = `/api/v2/search?q=${encodeURIComponent(uri)}&resolve=true`;
  const { statuses } = (await call(server.url, ada, 'GET', path)) as { statuses: Document[] };
  return statuses[0] as Document;
};
const stateOf = async (id: string): Promise<string> => (await ask('GET', `statuses/${id}`)).quote?.state;
const becomes = (id: string, state: string) =>
  until(`a quote that is ${state}`, async () => (await stateOf(id)) === state, SEEN_MS_MAX);

/** Ada quotes a status of vera's. Returns the quoting status and the request for it, when vera has got it. */
async function quoted(canQuote: Document = { automaticApproval: [PUBLIC] }) {
  const note = vera.note('<p>quote me</p>', { interactionPolicy: { canQuote } });
  const { id } = await find(note.id);
  const made = await ask('POST', 'statuses', { status: 'indeed', quoted_status_id: id });
  const request = await until(
    'the request',
    () => good.delivered('QuoteRequest').find(({ activity }) => activity.object === note.id)?.activity,
    SEEN_MS_MAX,
  );
  return { note, quotedId: id, id: made.id as string, made, request: request as Document };
}

test('a quote of a status with an open policy shows only after the Accept of its author', async () => {
  const { id, made, note, request } = await quoted();
  assert.deepEqual([made.quote.state, made.quote.quoted_status], ['pending', null]);
  assert.deepEqual([request.actor, request.instrument.id], [`${server.url}/users/ada`, made.uri]);
  assert.deepEqual([request.instrument.quote, request.instrument.quoteUri], [note.id, undefined]);
  const stamp = good.uri('stamp');
  await send(vera, vera.activity('Accept', request, { result: stamp }));
  await becomes(id, 'accepted');
  const update = await until(
    'the Update',
    () => good.delivered('Update').find(({ activity }) => activity.object.id === made.uri)?.activity,
    SEEN_MS_MAX,
  );
  assert.equal((update as Document).object.quoteAuthorization, stamp);
  await send(vera, vera.activity('Delete', stamp));
  await becomes(id, 'revoked');
  await send(vera, vera.activity('Accept', request, { result: stamp }));
  assert.equal(await stateOf(id), 'revoked', 'an Accept that arrives late, or again');
});

test('an author who wants to be asked may be asked; one who wants no quotes is not', async () => {
  const { id, request } = await quoted({ manualApproval: [PUBLIC] });
  await send(vera, vera.activity('Reject', request.id));
  await becomes(id, 'rejected');
  const closed = await find(vera.note('<p>not me</p>').id);
  const refused = { status: 'indeed', quoted_status_id: closed.id };
  await assert.rejects(ask('POST', 'statuses', refused), /404/);
});

test('forged answers, and stamps of another origin, permit nothing', async () => {
  const { id, request } = await quoted();
  const stamp = good.uri('stamp');
  for (const forger of [mallory, zoe]) {
    await send(forger, forger.activity('Accept', request, { result: stamp }));
    await send(forger, forger.activity('Accept', request.id, { result: forger.peer.uri('stamp') }));
    await send(forger, forger.activity('Reject', request.id));
  }
  await send(vera, vera.activity('Accept', request, { result: evil.uri('stamp') }));
  await send(vera, vera.activity('Accept', request));
  await send(vera, vera.activity('Accept', { ...request, object: good.uri('notes') }, { result: stamp }));
  assert.equal(await stateOf(id), 'pending');
  await send(vera, vera.activity('Accept', request, { result: stamp }));
  await becomes(id, 'accepted');
  for (const forger of [mallory, zoe]) await send(forger, forger.activity('Delete', stamp));
  assert.equal(await stateOf(id), 'accepted', 'only its author deletes a stamp');
});

/** Ada's status, and a note of somebody's that quotes it. */
async function mine(by: PeerActor = vera, more: object = {}) {
  const { id, uri } = await ask('POST', 'statuses', { status: 'mine', ...more });
  return { id: id as string, uri: uri as string, instrument: by.note('<p>quoting</p>', { quote: uri }) };
}
const answersTo = (peer: Peer, uri: string, type: string) =>
  peer.delivered(type).filter(({ activity }) => activity.object.object === uri);
const answered = (uri: string, type: string, peer = good) =>
  until(`${type} for ${uri}`, () => answersTo(peer, uri, type)[0]?.activity, SEEN_MS_MAX) as Promise<Document>;

test('a request gets an Accept with a stamp, which is served until the quote is revoked', async () => {
  const { id, uri, instrument } = await mine();
  await send(vera, vera.activity('QuoteRequest', uri, { instrument: instrument.id }));
  const { result } = await answered(uri, 'Accept');
  const stamp = async () => fetch(result, { headers: { accept: 'application/activity+json' } });
  const served = await stamp();
  assert.equal(served.status, 200);
  const { type, attributedTo, interactingObject, interactionTarget } = (await served.json()) as Document;
  assert.deepEqual(
    [type, attributedTo, interactingObject, interactionTarget],
    ['QuoteAuthorization', `${server.url}/users/ada`, instrument.id, uri],
  );
  const [quoting] = await until(
    'the quote',
    async () => {
      const listed: Document[] = await ask('GET', `statuses/${id}/quotes`);
      return listed[0]?.quote?.state === 'accepted' && listed;
    },
    SEEN_MS_MAX,
  );
  await ask('POST', `statuses/${id}/quotes/${quoting?.id}/revoke`);
  assert.equal((await stamp()).status, 404);
  const [deleted] = await good.gets('Delete');
  assert.equal(deleted?.activity.object.id, result);
});

test('a request against the policy gets a Reject', async () => {
  const { uri, instrument } = await mine(vera, { quote_approval_policy: 'nobody' });
  await send(vera, vera.activity('QuoteRequest', uri, { instrument }));
  await answered(uri, 'Reject');
});

test('a blocked account gets no answer, and nobody asks with a status of somebody else', async () => {
  const [blocked] = (await call(server.url, ada, 'GET', `/api/v2/search?q=@mallory@${evil.host}&resolve=true`).then(
    (found) => (found as { accounts: Document[] }).accounts,
  )) as [Document];
  const ours = await mine(mallory);
  await ask('POST', `accounts/${blocked.id}/block`);
  await send(mallory, mallory.activity('QuoteRequest', ours.uri, { instrument: ours.instrument }));
  const { uri, instrument } = await mine(zoe);
  for (const named of [instrument, instrument.id])
    await send(vera, vera.activity('QuoteRequest', uri, { instrument: named }));
  const hidden = await mine(vera, { visibility: 'private' });
  await send(vera, vera.activity('QuoteRequest', hidden.uri, { instrument: hidden.instrument }));
  // Deliveries to a host that are due at a time leave together: the last answer shows that there was no earlier one.
  const last = await mine();
  await send(vera, vera.activity('QuoteRequest', last.uri, { instrument: last.instrument }));
  await answered(last.uri, 'Accept');
  for (const type of ['Accept', 'Reject']) {
    assert.deepEqual(answersTo(evil, ours.uri, type), []);
    for (const one of [uri, hidden.uri]) assert.deepEqual(answersTo(good, one, type), [], type);
  }
});

test('none of it caused an error on the server', () => {
  const errors = server.log.split('\n').filter((line) => /"level":(?:50|60)/.test(line));
  assert.deepEqual(errors, []);
});
