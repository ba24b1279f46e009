import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { operatorClient } from '../../../cli/operator-socket.js';
import { type Delivered, type Document, type Peer, type PeerActor, PUBLIC } from '../../kit/federation/peer.js';
import { type SecureServer, TrustedLoopback } from '../../kit/federation/trusted-loopback.js';
import { type Answer, seen } from '../../kit/federation/two-places.js';
import { call, makePeople, type Person } from '../cluster/people.js';

let loopback: TrustedLoopback;
let server: SecureServer;
let ada: Person;
/** The relay's server, and one whose statuses it passes on. */
let peer: Peer;
let far: Peer;
let relay: PeerActor;
let stranger: PeerActor;
let author: PeerActor;
before(async () => {
  loopback = await TrustedLoopback.open();
  [peer, far] = await Promise.all([loopback.peer(), loopback.peer()]);
  relay = peer.actor('relay', { type: 'Application' });
  stranger = peer.actor('stranger');
  author = far.actor('author');
  server = await loopback.server();
  [ada] = (await makePeople(server.dataDir, ['ada'])) as [Person];
});
after(async () => {
  await server?.dispose();
  await Promise.all([peer?.close(), far?.close()]);
  await loopback?.close();
});

const operate: ReturnType<typeof operatorClient> = (name, input) => operatorClient(server.dataDir)(name, input);
const instance = () => `${server.url}/actor`;
const send = async (who: PeerActor, activity: Document) =>
  assert.equal(await who.post(`${server.url}/inbox`, activity), 202);
const post = (status: string, visibility = 'public'): Promise<Answer> =>
  call(server.url, ada, 'POST', '/api/v1/statuses', { status, visibility });
const states = async () => (await operate('relay.list', {})).relays.map(({ state }) => state);
const shownHere = async (text: string): Promise<boolean> => {
  const statuses = (await call(server.url, ada, 'GET', '/api/v1/timelines/public?remote=true')) as Answer[];
  return statuses.some(({ content }) => content.includes(text));
};
/** Returns what the relay got from an actor here. */
const gotten = (type: string, actor: string): Delivered[] =>
  peer.delivered(type).filter(({ target, activity }) => target.includes('relay') && activity.actor === actor);
/** Waits for one more activity of a type from an actor here than the relay had. */
const gets = async (type: string, actor: string, had = 0): Promise<Delivered> =>
  seen(`a ${type}`, async () => gotten(type, actor)[had]);

/** Adds the relay; returns its Follow. */
async function subscribe(style: string): Promise<Document> {
  const had = gotten('Follow', instance()).length;
  await operate('relay.add', { address: relay.uri, style });
  const { activity, headers } = await gets('Follow', instance(), had);
  assert.match(headers.signature ?? '', new RegExp(`keyId="${instance()}#main-key"`));
  return activity;
}

test('a relay counts only after its own Accept, gets public statuses, and makes those of others known', async () => {
  await assert.rejects(operate('relay.add', { address: `${peer.url}/nothing`, style: 'mastodon' }), /no address/);
  const follow = await subscribe('mastodon');
  assert.equal(follow.object, PUBLIC);
  await assert.rejects(operate('relay.add', { address: relay.uri, style: 'mastodon' }), /added already/);

  // Before: an Announce of the relay, and the Accept of somebody else, have no effect.
  const early = author.note('too early');
  await send(relay, relay.activity('Announce', early.id));
  await send(stranger, stranger.activity('Accept', follow));
  await send(stranger, stranger.activity('Announce', early.id));
  await post('before the Accept');
  assert.deepEqual(await states(), ['pending']);

  await send(relay, relay.activity('Accept', follow));
  assert.deepEqual(await states(), ['accepted']);
  const uri = `${server.url}/users/ada`;
  await post('for followers', 'private');
  await post('unlisted', 'unlisted');
  const open = await post('for everybody');
  assert.equal((await gets('Create', uri)).activity.object.id, open.uri);
  await call(server.url, ada, 'DELETE', `/api/v1/statuses/${open.id}`);
  await gets('Delete', uri);
  assert.equal(gotten('Create', uri).length, 1);
  assert.equal(gotten('Announce', instance()).length, 0);

  // An embedded or forwarded status counts only as its own server gives it.
  const told = author.note('through the relay');
  await send(relay, relay.activity('Announce', { ...told, content: 'forged by the relay' }));
  const forwarded = author.note('forwarded by the relay');
  await send(relay, author.activity('Create', { ...forwarded, content: 'forged by the relay' }));
  for (const text of ['through the relay', 'forwarded by the relay']) await seen(text, () => shownHere(text));
  await send(stranger, stranger.activity('Announce', author.note('no relay').id));
  for (const text of ['forged', 'too early', 'no relay']) assert.equal(await shownHere(text), false, text);

  await operate('relay.remove', { address: relay.uri });
  assert.equal((await gets('Undo', instance())).activity.object.id, follow.id);
  await send(relay, relay.activity('Announce', author.note('too late').id));
  assert.deepEqual(await states(), []);
});

test('a relay of the other style is followed itself, may follow back, and gets Announce of the server', async () => {
  const follow = await subscribe('litepub');
  assert.equal(follow.object, relay.uri);
  await send(relay, relay.activity('Accept', follow));
  await send(stranger, stranger.activity('Follow', instance()));
  const back = relay.activity('Follow', instance());
  await send(relay, back);
  assert.equal((await gets('Accept', instance())).activity.object.id, back.id);
  assert.equal(peer.delivered('Accept').length, 1);
  const { uri } = await post('announced');
  assert.equal((await gets('Announce', instance())).activity.object, uri);
  await send(relay, relay.activity('Reject', follow));
  assert.deepEqual(await states(), ['rejected']);
});
