// A server of Fedify with one person, fred, who accepts every follow. It prints what it receives, one JSON text a line.
// usage: node fedify-server.mjs PEERS-FOLDER SIGNATURE-SCHEME; a line `follow ADDRESS` on standard input sends a Follow.
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const [folder, firstKnock] = process.argv.slice(2);
const { resolve } = createRequire(join(folder, 'package.json'));
const load = (name) => import(pathToFileURL(resolve(name)));
const { createFederation, generateCryptoKeyPair, MemoryKvStore } = await load('@fedify/fedify');
const { Accept, Endpoints, Follow, lookupObject, Person, Reject, Undo } = await load('@fedify/vocab');

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
  .on(Undo, async (context, undo) => say({ type: 'Undo', of: (await undo.getObject(context)).constructor.name }))
  .onError((_context, error) => say({ type: 'error', message: String(error) }));

const server = createServer(async (request, response) => {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  const { method, headers, url } = request;
  const body = method === 'GET' ? undefined : Buffer.concat(pieces);
  const asked = new Request(new URL(url, `http://${headers.host}`), { method, headers, body });
  const answer = await federation.fetch(asked, { contextData: undefined });
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  response.end(Buffer.from(await answer.arrayBuffer()));
});
server.listen(0, '127.0.0.1', () => say({ type: 'listens', port: server.address().port }));

for await (const line of createInterface({ input: process.stdin })) {
  const [, address] = line.split(' ');
  const context = federation.createContext(new URL(`http://127.0.0.1:${server.address().port}`), undefined);
  const options = {
    documentLoader: context.documentLoader,
    contextLoader: context.contextLoader,
    allowPrivateAddress: true,
  };
  const target = await lookupObject(address, options);
  const follow = new Follow({ id: own(context), actor: context.getActorUri(FRED), object: target.id });
  await context.sendActivity({ identifier: FRED }, target, follow);
}
