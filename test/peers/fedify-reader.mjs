// Reads a person and a status of a server with Fedify, and prints what it understood as JSON.
// usage: node fedify-reader.mjs PEERS-FOLDER ADDRESS-OF-PERSON ADDRESS-OF-STATUS
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, personAddress, statusAddress] = process.argv.slice(2);
const { resolve } = createRequire(join(folder, 'package.json'));
const load = (name) => import(pathToFileURL(resolve(name)));
const { lookupObject } = await load('@fedify/vocab');
const { getDocumentLoader } = await load('@fedify/vocab-runtime');

// Tests serve on loopback. The JSON-LD contexts that documents name are part of Fedify.
const documentLoader = getDocumentLoader({ allowPrivateAddress: true });
const options = { documentLoader, contextLoader: documentLoader, allowPrivateAddress: true };

async function itemsOf(page) {
  const items = [];
  for await (const item of page.getItems(options)) items.push([item.constructor.name, item.id.href]);
  return items;
}

const person = await lookupObject(personAddress, options);
const status = await lookupObject(statusAddress, options);
const outbox = await person.getOutbox(options);
const followers = await person.getFollowers(options);
const tags = [];
for await (const tag of status.getTags(options)) tags.push([tag.constructor.name, String(tag.name), tag.href?.href]);
const { publicKey } = await person.getPublicKey(options);

console.log(
  JSON.stringify({
    person: {
      type: person.constructor.name,
      id: person.id.href,
      name: String(person.name),
      username: person.preferredUsername,
      inbox: person.inboxId.href,
      sharedInbox: person.endpoints.sharedInbox.href,
      key: publicKey.algorithm.name,
    },
    status: {
      type: status.constructor.name,
      id: status.id.href,
      author: status.attributionId.href,
      content: String(status.content),
      to: status.toIds.map(String),
      tags,
    },
    outbox: await itemsOf(await outbox.getFirst(options)),
    featured: await itemsOf(await person.getFeatured(options)),
    followers: followers.totalItems,
  }),
);
