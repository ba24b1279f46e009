import { followersDigest, synchronizationHeader } from '../../../../actors/federation/synchronization/header.js';
import type { Document, PeerActor } from '../../../kit/federation/peer.js';
import { type Arrival, askedAt, type Entry } from './entry.js';
import type { Host } from './hostile-world.js';
import { collection, inThread, onProfile } from './statuses.js';

// Ways by which actors, names, collections, stamps and lists of followers of other servers come in.

const READ = 'actors/federation/remote/people.ts #read';
const PAGE = 'actors/federation/remote/collection.ts pageAt';
const STAMP = 'actors/federation/remote/stamps.ts #fetched';
const JRD = 'actors/federation/remote/web-finger.ts client.jrd';

/** Posts a request that somebody has signed with the key of an address. */
async function signedWith({ world }: Host, who: PeerActor, keyId: string): Promise<void> {
  const { headers, body } = who.signed(world.inbox, who.activity('Like', world.adaUri));
  const signature = headers.signature?.replace(who.keyId, keyId) ?? '';
  await world.sends({ headers: { ...headers, signature }, body });
}

/** Returns an entry at which the server fetches an actor. */
function actor(name: string, bring: (host: Host, who: PeerActor) => Promise<void>): Entry {
  return {
    ...{ name, kind: 'actor', by: [READ] },
    open(host, text): Arrival {
      const called = `a${host.world.next()}`;
      const who = host.person(called, { name: text });
      return {
        ...{ uri: who.uri, honest: who.document, name: called },
        async bring() {
          await bring(host, who);
          await host.awaits(who.uri, () => askedAt(host.peer, who.uri) > 0);
        },
        async shown() {
          const account = await host.world.stored(who.uri, host.peer);
          return account?.uri === who.uri ? account : undefined;
        },
      };
    },
  };
}

const actorEntries: readonly Entry[] = [
  actor('an actor that is searched', async ({ world }, { uri }) => void (await world.found(uri))),
  actor('the author of a fetched status', async ({ world }, who) => void (await world.found(who.note('<p>x</p>').id))),
  actor('the signer of a request', (host, who) => signedWith(host, who, who.keyId)),
  actor('a featured account', async (host, { uri }) => {
    await onProfile(host, { featuredAccounts: collection(host, [uri]) }, uri);
  }),
  actor('the target of a Move', async (host, { uri }) => {
    const mover = host.person(`m${host.world.next()}`);
    await host.world.posts(mover, mover.activity('Move', mover.uri, { target: uri }));
  }),
];

const keyEntry: Entry = {
  ...{ name: 'a key with an address of its own', kind: 'key', by: ['actors/federation/remote/people.ts #ownerOf'] },
  open(host): Arrival {
    const uri = host.peer.uri('keys');
    const who = host.person(`k${host.world.next()}`);
    const { publicKeyPem } = who.document.publicKey;
    who.document = { ...who.document, publicKey: { id: uri, owner: who.uri, publicKeyPem } };
    return {
      ...{ uri, honest: { id: uri, type: 'CryptographicKey', owner: who.uri, publicKeyPem } },
      bring: () => signedWith(host, who, uri),
      shown: () => host.world.stored(who.uri, host.peer),
    };
  },
};

/** Returns an entry at which the server asks for the actor of a name. */
function named(name: string, bring: (host: Host, acct: string) => Promise<unknown>): Entry {
  return {
    ...{ name, kind: 'name', by: [JRD] },
    open(host, text): Arrival {
      const { peer, world, jrds } = host;
      const called = `n${world.next()}`;
      const acct = `${called}@${peer.host}`;
      const who = host.person(called, { name: text });
      const links = [{ rel: 'self', type: 'application/activity+json', href: who.uri }];
      const asked = () =>
        peer.received.filter(({ target }) => decodeURIComponent(target).includes(`acct:${acct}`)).length;
      return {
        ...{ uri: who.uri, name: called, asked },
        honest: { subject: `acct:${acct}`, links },
        serve(answer) {
          jrds.set(called, answer as never);
        },
        async bring() {
          await bring(host, acct);
          await host.awaits(acct, () => asked() > 0);
        },
        async shown() {
          jrds.set(called, { status: 404 });
          const account = await world.tried('GET', `/api/v1/accounts/lookup?acct=${encodeURIComponent(acct)}`);
          return account.id === undefined ? undefined : account;
        },
      };
    },
  };
}

const nameEntries: readonly Entry[] = [
  named('a name that is searched', ({ world }, acct) => world.found(`@${acct}`)),
  named('a name that a post mentions', ({ world }, acct) =>
    world.tried('POST', '/api/v1/statuses', { status: `hello @${acct}`, visibility: 'direct' }),
  ),
  named('the author of a linked page', async ({ world, peer }, acct) => {
    const head = `<title>News</title><meta name="fediverse:creator" content="@${acct}">`;
    const body = `<html><head>${head}</head></html>`;
    const page = `/pages/${world.next()}`;
    peer.answer(page, { status: 200, headers: { 'content-type': 'text/html' }, body });
    await world.tried('POST', '/api/v1/statuses', { status: `${peer.url}${page}` });
  }),
];

/** Returns an entry at which the server reads a list. It has an effect if the server asks for what the list names. */
function list(
  name: string,
  itemOf: (host: Host, text: string) => Document,
  bring: (host: Host, uri: string) => Promise<unknown>,
): Entry {
  return {
    ...{ name, kind: 'collection', by: [PAGE] },
    open(host, text): Arrival {
      const uri = host.peer.uri('lists');
      const item = itemOf(host, text);
      const at = typeof item.object === 'string' ? item.object : (item.id as string);
      const items = [name.includes('outbox') ? item : at];
      return {
        ...{ uri, honest: { id: uri, type: 'OrderedCollection', totalItems: 1, orderedItems: items } },
        bring: async () => void (await bring(host, uri)),
        shown: async () => (askedAt(host.peer, at) > 0 ? item : undefined),
      };
    },
  };
}

const note = ({ eve }: Host, text: string) => eve.note(`<p>${text}</p>`);
const listEntries: readonly Entry[] = [
  list('a list of replies', note, (host, uri) => inThread(host, uri, uri)),
  list(
    'an outbox',
    (host, text) => host.eve.activity('Create', note(host, text).id, { published: new Date().toISOString() }),
    (host, outbox) => onProfile(host, { outbox }, outbox),
  ),
  list('a list of pinned statuses', note, (host, featured) => onProfile(host, { featured }, featured)),
  list(
    'a list of featured accounts',
    (host) => host.person(`f${host.world.next()}`).document,
    (host, featuredAccounts) => onProfile(host, { featuredAccounts }, featuredAccounts),
  ),
  list(
    'a list of collections of people',
    (host) => host.peer.serves({ id: host.peer.uri('people'), type: 'FeaturedCollection', attributedTo: host.eve.uri }),
    (host, featuredCollections) => onProfile(host, { featuredCollections }, featuredCollections),
  ),
];

/** Returns the collections of people that an account shows. */
async function collectionsOf({ world }: Host, id: string): Promise<Document[]> {
  return (await world.tried('GET', `/api/v1/accounts/${id}/collections`)).collections ?? [];
}

/** Returns a person who shows one collection of people, and its document. */
function owner(host: Host, text: string, more: Document = {}) {
  const uri = host.peer.uri('people');
  const who = host.person(`o${host.world.next()}`, { featuredCollections: collection(host, [uri]) });
  const named = { type: 'FeaturedCollection', attributedTo: who.uri, name: text, discoverable: true };
  return { uri, who, honest: { id: uri, ...named, orderedItems: [], ...more } };
}

/** Opens the profile of the owner of a collection, until the server has asked for an address. */
async function lookedAt(host: Host, who: PeerActor, uri: string): Promise<void> {
  const { world, peer } = host;
  await world.look(who);
  await host.awaits(
    uri,
    () => askedAt(peer, uri) > 0,
    () => world.look(who),
  );
}

const peopleEntries: readonly Entry[] = [
  {
    ...{ name: 'a collection of people', kind: 'people' },
    by: ['actors/federation/remote/featured-collections.ts find'],
    open(host, text): Arrival {
      const { uri, who, honest } = owner(host, text);
      return {
        ...{ uri, honest },
        bring: () => lookedAt(host, who, uri),
        shown: async () => (await collectionsOf(host, await host.world.look(who))).find((one) => one.uri === uri),
      };
    },
  },
  {
    ...{ name: 'the collection of people in an Add', kind: 'embedded' },
    by: ['actors/federation/incoming/featured-collections.ts changedCollection'],
    async open(host, text): Promise<Arrival> {
      const { eve, peer, world } = host;
      const uri = peer.uri('people');
      peer.answer(new URL(uri).pathname, { status: 404 });
      const honest = { id: uri, type: 'FeaturedCollection', attributedTo: eve.uri, name: text, content: text };
      return {
        ...{ uri, honest: { ...honest, discoverable: true, orderedItems: [] } },
        asked: () => undefined,
        bring: (document) =>
          world.posts(eve, eve.activity('Add', document, { target: eve.document.featuredCollections })),
        async shown() {
          const all = await collectionsOf(host, await world.look(eve));
          return all.find((one) => one.name.includes(text));
        },
      };
    },
  },
];

const stampEntries: readonly Entry[] = [
  {
    ...{ name: 'the stamp of a quote', kind: 'stamp', by: [STAMP] },
    async open(host, text): Promise<Arrival> {
      const { world, peer, eve, mate, known } = host;
      const uri = peer.uri('stamps');
      const quoting = eve.note(`<p>${text}</p>`, { quote: known.id, quoteAuthorization: uri });
      const honest = { id: uri, type: 'QuoteAuthorization', attributedTo: mate.uri };
      return {
        uri,
        honest: { ...honest, interactingObject: quoting.id, interactionTarget: known.id },
        async bring() {
          await world.posts(eve, eve.activity('Create', quoting));
          await host.awaits(uri, () => askedAt(peer, uri) > 0);
        },
        async shown() {
          const { quote } = (await world.stored(quoting.id, peer)) ?? {};
          return quote?.state === 'accepted' ? quote : undefined;
        },
      };
    },
  },
  {
    ...{ name: 'the stamp of a place in a collection', kind: 'stamp', by: [STAMP] },
    open(host, text): Arrival {
      const uri = host.peer.uri('stamps');
      const featuredObject = host.mate.uri;
      const place = { id: host.peer.uri('places'), type: 'FeaturedItem', featuredObject, featureAuthorization: uri };
      const { who, honest } = owner(host, text, { orderedItems: [place] });
      host.peer.serves(honest);
      const pair = { interactingObject: honest.id, interactionTarget: featuredObject };
      return {
        ...{ uri, honest: { id: uri, type: 'FeatureAuthorization', attributedTo: featuredObject, ...pair } },
        bring: () => lookedAt(host, who, uri),
        async shown() {
          const [shown] = await collectionsOf(host, await host.world.look(who));
          return shown?.item_count > 0 ? shown : undefined;
        },
      };
    },
  },
];

const followersEntry: Entry = {
  ...{ name: 'a part of followers', kind: 'followers' },
  by: ['actors/federation/synchronization/comparison.ts #fetched'],
  async open(host): Promise<Arrival> {
    const { world, peer } = host;
    const who = host.person(`s${world.next()}`);
    await world.found(who.uri);
    const uri = peer.uri('parts');
    const orderedItems = [world.adaUri];
    const told = { collectionId: who.document.followers, url: uri, digest: followersDigest(orderedItems) };
    const ask = async () => {
      const { headers, body } = who.signed(world.inbox, who.activity('Like', `${world.adaUri}/statuses/1`));
      const sent = { ...headers, 'collection-synchronization': synchronizationHeader(told) };
      await world.sends({ headers: sent, body });
    };
    return {
      ...{ uri, honest: { id: uri, type: 'OrderedCollection', attributedTo: who.uri, orderedItems } },
      async bring() {
        await ask();
        await host.awaits(uri, () => askedAt(peer, uri) > 0, ask);
      },
      // She does not follow: her server takes the follow back that the list claims.
      async shown() {
        return peer.delivered('Undo').find(({ activity }) => activity.object?.object === who.uri)?.activity;
      },
    };
  },
};

const PNG = Buffer.from('\x89PNG\r\n\x1a\n0123456789', 'latin1');

/** Returns an entry at which the server fetches a file when somebody looks at it. */
function file(name: string, addressOf: (host: Host, url: string, text: string) => Promise<string | undefined>): Entry {
  return {
    ...{ name, kind: 'file', by: ['compose/federation/media.ts client.fetch'] },
    open(host, text): Arrival {
      const uri = `${host.peer.url}/files/${host.world.next()}.png`;
      let proxied: string | undefined;
      const fetched = async () => {
        const answer = await fetch(proxied ?? '');
        await answer.arrayBuffer();
        return answer.status;
      };
      return {
        ...{ uri, honest: {}, answer: { status: 200, headers: { 'content-type': 'image/png' }, body: PNG } },
        async bring() {
          proxied = await addressOf(host, uri, text);
          if (proxied !== undefined) await fetched();
        },
        shown: async () => (proxied !== undefined && (await fetched()) === 200 ? {} : undefined),
      };
    },
  };
}

const fileEntries: readonly Entry[] = [
  file('an attachment', async ({ world, eve }, url, text) => {
    const { id } = eve.note(text, { attachment: [{ type: 'Document', mediaType: 'image/png', url }] });
    return (await world.status(id))?.media_attachments[0]?.url;
  }),
  file('a custom emoji', async ({ world, eve }, url, text) => {
    const tag = [{ type: 'Emoji', name: ':cat:', icon: { type: 'Image', url } }];
    return (await world.status(eve.note(`${text} :cat:`, { tag }).id))?.emojis[0]?.url;
  }),
  file('an avatar', async (host, url) => {
    const who = host.person(`v${host.world.next()}`, { icon: { type: 'Image', url } });
    return (await host.world.found(who.uri)).accounts[0]?.avatar;
  }),
];

export const otherEntries: readonly Entry[] = [
  ...actorEntries,
  keyEntry,
  ...nameEntries,
  ...listEntries,
  ...peopleEntries,
  ...stampEntries,
  followersEntry,
  ...fileEntries,
];
