import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:net';
import { after, before, test } from 'node:test';
import { operatorClient } from '../../../cli/operator-socket.js';
import type { Document, Peer, PeerActor } from '../../kit/federation/peer.js';
import { type SecureServer, TrustedLoopback } from '../../kit/federation/trusted-loopback.js';
import { until } from '../../kit/time/until.js';
import { call, makePeople, type Person } from '../cluster/people.js';

// Documents of another server name addresses in this machine in every field that holds one. A listener there must not
// get a connection, whatever people then do with these documents. transport/federation/forbidden-addresses.test.ts has
// more spellings, redirects and names that change; here they come by the fields.

const SETTLED_MS_MAX = 60_000;
/** The listener's address; the peer is at 127.0.0.1, which alone the setting allows. */
const CANARY = '127.0.0.9';
const SPELLINGS = [
  ...[CANARY, '127.9', '2130706441', '0x7f000009', '0177.0.0.011', '127.0.0.9.', '１２７.０.０.９'],
  ...['[::1]', '[::ffff:127.0.0.9]', '[::ffff:7f00:9]', '[64:ff9b::7f00:9]', 'canary@127.0.0.9'],
];

let loopback: TrustedLoopback;
let server: SecureServer;
let peer: Peer;
let ada: Person;
let canary: Server;
let connections = 0;
let port = 0;
let counted = 0;

before(async () => {
  loopback = await TrustedLoopback.open();
  canary = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  await new Promise<void>((listening) => void canary.listen(0, '::', listening));
  port = (canary.address() as { port: number }).port;
  peer = await loopback.peer();
  server = await loopback.server({ FEDERATION_ALLOW_CIDRS: '127.0.0.1/32', LOG_LEVEL: 'warn' });
  [ada] = (await makePeople(server.dataDir, ['ada'])) as [Person];
});
after(async () => {
  await server?.dispose();
  await Promise.all([peer?.close(), new Promise((closed) => canary?.close(closed) ?? closed(undefined))]);
  await loopback?.close();
});

const api = (method: string, path: string, body?: object) =>
  call(server.url, ada, method, `/api/${path}`, body) as Promise<Document>;
/** Makes a call that may be refused, and reads its answer. */
async function tried(method: string, path: string, body?: object): Promise<Document> {
  const headers = { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json' };
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const response = await fetch(new URL(path, server.url), init);
  assert.ok(response.status < 500 || response.status === 503, `${path}: ${response.status}`);
  const text = await response.text();
  return response.headers.get('content-type')?.includes('json') === true && text !== '' ? JSON.parse(text) : {};
}
const found = (uri: string) => tried('GET', `/api/v2/search?q=${encodeURIComponent(uri)}&resolve=true`);

/** Returns an address of the listener: each call another spelling, both schemes, with a path of its own. */
function inside(path = 'x'): string {
  const spelling = SPELLINGS[counted++ % SPELLINGS.length];
  return `${counted % 2 === 0 ? 'https' : 'http'}://${spelling}:${port}/${path}${counted}`;
}

/** Waits until nothing of what was received or caused is under way. */
async function settled(): Promise<void> {
  const ask = operatorClient(server.dataDir);
  await until(
    'effects',
    async () => ((await ask('status', {})) as { unsettled: number }).unsettled === 0 || undefined,
    SETTLED_MS_MAX,
  );
}

/** Every field of an actor that holds an address. */
const ACTOR_FIELDS: Readonly<Record<string, () => Document>> = {
  inbox: () => ({ inbox: inside('inbox'), endpoints: {} }),
  'shared inbox': () => ({ endpoints: { sharedInbox: inside('inbox') } }),
  outbox: () => ({ outbox: inside() }),
  'first page of the outbox': () => ({ outbox: { type: 'OrderedCollection', first: inside() } }),
  followers: () => ({ followers: inside() }),
  following: () => ({ following: inside() }),
  featured: () => ({ featured: inside() }),
  'featured tags': () => ({ featuredTags: inside() }),
  'featured accounts': () => ({ featuredAccounts: inside() }),
  'featured collections': () => ({ featuredCollections: inside() }),
  icon: () => ({ icon: { type: 'Image', url: inside() } }),
  image: () => ({ image: { type: 'Image', mediaType: 'image/png', url: [{ type: 'Link', href: inside() }] } }),
  page: () => ({ url: inside() }),
  'other accounts': () => ({ alsoKnownAs: [inside(), inside()], movedTo: inside() }),
  'owner of the key': () => ({ publicKey: [{ id: inside(), owner: inside(), publicKeyPem: 'x' }] }),
  'profile fields': () => ({
    attachment: [{ type: 'PropertyValue', name: 'a', value: `<a rel="me" href="${inside()}">x</a>` }],
  }),
  bio: () => ({ summary: `<p><a href="${inside()}">x</a><img src="${inside()}"></p>` }),
  emoji: () => ({ name: ':e:', tag: [{ type: 'Emoji', name: ':e:', icon: { type: 'Image', url: inside() } }] }),
};

/** Every field of a status that holds an address. */
const NOTE_FIELDS: Readonly<Record<string, () => Document>> = {
  page: () => ({ url: inside() }),
  'list of pages': () => ({ url: [{ type: 'Link', mediaType: 'text/html', href: inside() }] }),
  parent: () => ({ inReplyTo: inside() }),
  answers: () => ({ replies: inside() }),
  'page of answers': () => ({ replies: { type: 'Collection', first: { items: [inside()], next: inside() } } }),
  conversation: () => ({ context: inside(), conversation: inside() }),
  marks: () => ({ likes: inside(), shares: inside() }),
  quote: () => ({ quote: inside(), quoteAuthorization: inside() }),
  'other quotes': () => ({ quoteUrl: inside(), quoteUri: inside(), _misskey_quote: inside() }),
  'quoted link': () => ({
    tag: [
      {
        type: 'Link',
        mediaType: 'application/activity+json',
        href: inside(),
        rel: 'https://misskey-hub.net/ns#_misskey_quote',
      },
    ],
  }),
  media: () => ({
    attachment: [
      { type: 'Document', mediaType: 'image/png', url: inside(), icon: { type: 'Image', url: inside() } },
      { type: 'Video', url: [{ type: 'Link', mediaType: 'video/mp4', href: inside() }] },
    ],
  }),
  picture: () => ({ image: { type: 'Image', url: inside() }, preview: { type: 'Link', href: inside() } }),
  mention: () => ({ tag: [{ type: 'Mention', href: inside(), name: '@x@y' }] }),
  hashtag: () => ({ tag: [{ type: 'Hashtag', href: inside(), name: '#x' }] }),
  emoji: () => ({ tag: [{ type: 'Emoji', name: ':e:', icon: { type: 'Image', url: inside() } }], content: ':e:' }),
  text: () => ({ content: `<p><a href="${inside()}">x</a><img src="${inside()}"></p>` }),
  audience: () => ({ cc: [inside(), inside('followers')] }),
  policy: () => ({ interactionPolicy: { canQuote: { automaticApproval: [inside()] } } }),
};

/** Asks for each file of this server that an answer names. */
async function openFiles(answer: unknown): Promise<void> {
  for (const [address] of JSON.stringify(answer).matchAll(/https:[^"\\]*\/media_proxy\/[^"\\]*/g)) {
    await (await fetch(address)).arrayBuffer();
  }
}

/** Does with an account what makes this server ask others. */
async function use(account: string, who: PeerActor): Promise<void> {
  await openFiles(await tried('GET', `/api/v1/accounts/${account}`));
  for (const list of ['statuses', 'statuses?pinned=true', 'followers', 'following', 'endorsements', 'featured_tags'])
    await openFiles(await tried('GET', `/api/v1/accounts/${account}/${list}`));
  await tried('POST', `/api/v1/accounts/${account}/follow`, {});
  await tried('POST', '/api/v1/statuses', { status: `hello @${who.name}@${peer.host}`, visibility: 'direct' });
  await tried('POST', `/api/v1/accounts/${account}/unfollow`, {});
}

test('no field of an actor makes this server connect to an address inside', async () => {
  const key = (({ key: { privateKey }, document }) => ({
    privateKey,
    publicKeyPem: document.publicKey.publicKeyPem as string,
  }))(peer.actor('keeper'));
  for (const [index, [field, more]] of Object.entries(ACTOR_FIELDS).entries()) {
    const who = peer.actor(`a${index}`, more(), key);
    const { accounts } = await found(who.uri);
    for (const { id } of accounts as { id: string }[]) await use(id, who);
    await who.post(`${server.url}/inbox`, who.activity('Follow', `${server.url}/users/ada`));
    await who.post(`${server.url}/inbox`, who.activity('Update', { ...who.document, ...more() }));
    assert.equal(connections, 0, `${field}, or a field before it`);
  }
  await settled();
  assert.equal(connections, 0);
});

test('no field of a status makes this server connect to an address inside', async () => {
  const ann = peer.actor('ann');
  const known = await found(ann.uri);
  await api('POST', `v1/accounts/${known.accounts[0].id}/follow`);
  for (const follow of await peer.gets('Follow')) {
    if (follow.activity.object === ann.uri)
      await ann.post(`${server.url}/inbox`, ann.activity('Accept', follow.activity));
  }
  let shown = 0;
  for (const [field, more] of Object.entries(NOTE_FIELDS)) {
    const note = ann.note(`<p>${field}</p>`, more());
    assert.equal(await ann.post(`${server.url}/inbox`, ann.activity('Create', note)), 202);
    const { statuses } = await found(note.id);
    for (const status of statuses as { id: string }[]) {
      shown++;
      await openFiles(status);
      await tried('GET', `/api/v1/statuses/${status.id}/context`);
      await tried('POST', `/api/v1/statuses/${status.id}/favourite`, {});
    }
    assert.equal(await ann.post(`${server.url}/inbox`, ann.activity('Update', { ...note, ...more() })), 202);
    assert.equal(connections, 0, `${field}, or a field before it`);
  }
  await settled();
  assert.equal(connections, 0);
  assert.ok(shown > Object.keys(NOTE_FIELDS).length / 2, `${shown} statuses were shown`);
});

test('no address in an activity, a search or a WebFinger answer is connected to if it is inside', async () => {
  const eve = peer.actor('eve');
  const types = [
    'Announce',
    'Like',
    'Follow',
    'Accept',
    'Reject',
    'Undo',
    'Create',
    'Update',
    'Delete',
    'Add',
    'Remove',
  ];
  for (const type of [...types, 'Move', 'Flag', 'Block', 'QuoteRequest', 'FeatureRequest']) {
    for (const object of [inside(), { id: inside(), type: 'Note', attributedTo: inside() }]) {
      const more = { target: inside(), instrument: inside(), result: inside(), origin: inside(), to: [inside()] };
      await eve.post(`${server.url}/inbox`, eve.activity(type, object, more));
    }
  }
  const origins = SPELLINGS.flatMap((spelling) => ['http', 'https'].map((scheme) => `${scheme}://${spelling}:${port}`));
  for (const origin of origins) {
    const acct = `x@${origin.replace(/^https?:\/\//, '')}`;
    await found(`${origin}/users/x`);
    await found(`@${acct}`);
    await tried('GET', `/api/v1/accounts/lookup?acct=${encodeURIComponent(acct)}`);
    await tried('POST', '/api/v1/follows', { uri: acct });
    await tried('GET', `/authorize_interaction?uri=${encodeURIComponent(`${origin}/x`)}`);
    const links = [{ rel: 'self', type: 'application/activity+json', href: `${origin}/users/x` }];
    const headers = { 'content-type': 'application/jrd+json' };
    const name = `w${counted++}`;
    peer.answer('/.well-known/webfinger', {
      status: 200,
      headers,
      body: JSON.stringify({ subject: `acct:${name}@${peer.host}`, links }),
    });
    await found(`@${name}@${peer.host}`);
  }
  await tried('POST', '/api/v1/statuses', { status: origins.map((one) => `${one}/card`).join(' ') });
  await settled();
  assert.equal(connections, 0);
  assert.doesNotMatch(server.log, /"level":(?:50|60)/);
});

test('the listener can be reached', async () => {
  await fetch(`http://${CANARY}:${port}/`).catch(() => undefined);
  assert.equal(connections, 1);
});
