// A server of Fedify with one person, fred, who accepts every follow. It prints what it receives, one JSON text a line.
// usage: node fedify-server.mjs PEERS-FOLDER SIGNATURE-SCHEME KEY CERTIFICATE (files of its TLS; NODE_EXTRA_CA_CERTS
// names the authority of others). Lines on standard input send activities to the actor at ADDRESS: `follow ADDRESS`, `like ADDRESS STATUS`, `post|edit|delete ADDRESS NUMBER TEXT` about fred's status NUMBER.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const [folder, firstKnock, keyPath, certificatePath] = process.argv.slice(2);
const { resolve } = createRequire(join(folder, 'package.json'));
const load = (name) => import(pathToFileURL(resolve(name)));
const { createFederation, generateCryptoKeyPair, MemoryKvStore } = await load('@fedify/fedify');
const vocabulary = await load('@fedify/vocab');
const { Accept, Add, Announce, Create, Delete, Endpoints, Follow, Like, Note, Person, Reject } = vocabulary;
const { lookupObject, PUBLIC_COLLECTION, Remove, Tombstone, Undo, Update } = vocabulary;
const { Temporal } = await load('@js-temporal/polyfill');

const FRED = 'fred';
const say = (what) => console.log(JSON.stringify(what));
const keys = [await generateCryptoKeyPair('RSASSA-PKCS1-v1_5')];
const federation = createFederation({ kv: new MemoryKvStore(), allowPrivateAddress: true, firstKnock });

federation
  .setActorDispatcher('/users/{identifier}', async (context, identifier) => {
    if (identifier !== FRED) return null;
    const [pair] = await context.getActorKeyPairs(identifier);
    return new Person({
      id: context.getActorUri(identifier),
      preferredUsername: identifier,
      name: 'Fred',
      inbox: context.getInboxUri(identifier),
      endpoints: new Endpoints({ sharedInbox: context.getInboxUri() }),
      publicKey: pair.cryptographicKey,
    });
  })
  .setKeyPairsDispatcher(() => keys);

let count = 0;
const own = (context) => new URL(`#activities/${++count}`, context.getActorUri(FRED));
federation
  .setInboxListeners('/users/{identifier}/inbox', '/inbox')
  .on(Follow, async (context, follow) => {
    say({ type: 'Follow', actor: follow.actorId.href });
    const answer = new Accept({ id: own(context), actor: context.getActorUri(FRED), object: follow });
    await context.sendActivity({ identifier: FRED }, await follow.getActor(context), answer);
  })
  .on(Accept, (_context, accept) => say({ type: 'Accept', actor: accept.actorId.href }))
  .on(Reject, (_context, reject) => say({ type: 'Reject', actor: reject.actorId.href }))
  .on(Create, async (context, create) => sayOf(context, 'Create', create))
  .on(Update, async (context, update) => sayOf(context, 'Update', update))
  .on(Delete, (_context, gone) => say({ type: 'Delete', object: gone.objectId?.href }))
  .on(Like, (_context, like) => say({ type: 'Like', object: like.objectId.href }))
  .on(Announce, (_context, reblog) => say({ type: 'Announce', object: reblog.objectId.href }))
  .on(Add, (_context, add) => say({ type: 'Add', object: add.objectId.href }))
  .on(Remove, (_context, removal) => say({ type: 'Remove', object: removal.objectId.href }))
  .on(Undo, async (context, undo) => say({ type: 'Undo', of: (await undo.getObject(context)).constructor.name }))
  .onError((_context, error) => say({ type: 'error', message: String(error) }));

async function sayOf(context, type, activity) {
  const object = await activity.getObject(context);
  say({ type, object: object.id.href, kind: object.constructor.name, content: `${object.content ?? object.name}` });
}

const tls = { key: readFileSync(keyPath), cert: readFileSync(certificatePath) };
const server = createServer(tls, async (request, response) => {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  const { method, headers, url } = request;
  const body = method === 'GET' ? undefined : Buffer.concat(pieces);
  const asked = new Request(new URL(url, `https://${headers.host}`), { method, headers, body });
  const answer = await federation.fetch(asked, { contextData: undefined });
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  response.end(Buffer.from(await answer.arrayBuffer()));
});
server.listen(0, '127.0.0.1', () => say({ type: 'listens', port: server.address().port }));

const started = Temporal.Now.instant();
for await (const line of createInterface({ input: process.stdin })) {
  const [verb, address, number, ...text] = line.split(' ');
  const context = federation.createContext(new URL(`https://127.0.0.1:${server.address().port}`), undefined);
  const options = {
    documentLoader: context.documentLoader,
    contextLoader: context.contextLoader,
    allowPrivateAddress: true,
  };
  const target = await lookupObject(address, options);
  if (target === null) {
    say({ type: 'error', message: `failed to read ${address}` });
    continue;
  }
  const actor = context.getActorUri(FRED);
  const id = new URL(`/users/${FRED}/notes/${number}`, actor);
  const note = (edited) =>
    new Note({
      ...{ id, attribution: actor, content: text.join(' '), to: PUBLIC_COLLECTION, cc: target.id },
      published: started,
      ...(edited ? { updated: Temporal.Now.instant() } : {}),
    });
  const about = { id: own(context), actor };
  const to = { to: PUBLIC_COLLECTION };
  const activities = {
    follow: () => new Follow({ ...about, object: target.id }),
    like: () => new Like({ ...about, object: new URL(number) }),
    post: () => new Create({ ...about, ...to, object: note(false) }),
    edit: () => new Update({ ...about, ...to, object: note(true) }),
    delete: () => new Delete({ ...about, ...to, object: new Tombstone({ id }) }),
  };
  await context.sendActivity({ identifier: FRED }, target, activities[verb]());
}
