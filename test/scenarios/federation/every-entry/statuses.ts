import { type Document, PUBLIC } from '../../../kit/federation/peer.js';
import { type Arrival, askedAt, type Entry } from './entry.js';
import type { Host } from './hostile-world.js';

// Ways by which statuses of other servers come in.

const FETCHED = 'actors/federation/remote/notes.ts #fetched';

/** Makes the server fetch a status. */
type Bring = (host: Host, uri: string) => Promise<void>;

/** Returns an entry at which the server fetches a status. */
function fetched(name: string, bring: Bring, by: readonly string[] = []): Entry {
  return {
    ...{ name, kind: 'status', by: [FETCHED, ...by] },
    open(host, text): Arrival {
      const honest = host.eve.note(`<p>${text}</p>`);
      const uri = honest.id as string;
      return {
        ...{ uri, honest },
        bring: () => bring(host, uri),
        shown: (document) => shownStatus(host, [uri, document.id], text),
      };
    },
  };
}

/** Returns the status at one of these addresses that has the text. */
async function shownStatus({ world, peer }: Host, uris: readonly unknown[], text: string) {
  for (const uri of uris) {
    if (typeof uri !== 'string' || !/^https:\/\/[^@%]*$/.test(uri)) continue;
    const status = await world.stored(uri, peer);
    if (status?.content?.includes(text) === true) return status;
  }
  return undefined;
}

/** Sends an activity of eve's, and waits until the server has asked for what it names. */
async function sent({ world, peer, eve, awaits }: Host, activity: Document, uri: string): Promise<void> {
  await world.posts(eve, activity);
  await awaits(uri, () => askedAt(peer, uri) > 0);
}

/** Serves a collection at an address of its own. */
export function collection({ peer }: Host, items: readonly unknown[]): string {
  const id = peer.uri('lists');
  peer.serves({ id, type: 'OrderedCollection', totalItems: items.length, orderedItems: items });
  return id;
}

/** Opens the profile of a new person with these collections, and waits until the server has asked for an address. */
export async function onProfile(host: Host, more: Document, uri: string): Promise<string> {
  const who = host.person(`p${host.world.next()}`, more);
  const id = await host.world.look(who);
  await host.awaits(
    uri,
    () => askedAt(host.peer, uri) > 0,
    () => host.world.look(who),
  );
  return id;
}

/** Opens a thread whose status lists its replies at an address, and waits until the server has asked for one. */
export async function inThread(host: Host, replies: string, uri: string): Promise<void> {
  const root = host.eve.note('<p>root</p>', { replies });
  const id = (await host.world.status(root.id))?.id as string;
  const look = () => host.world.tried('GET', `/api/v1/statuses/${id}/context`);
  await look();
  await host.awaits(uri, () => askedAt(host.peer, uri) > 0, look);
}

/** Returns an entry whose activity embeds a status. */
function embedded(name: string, by: readonly string[], open: (host: Host, text: string) => Promise<Arrival>): Entry {
  return { name, kind: 'embedded', by, open };
}

const quotedByAda = async ({ world }: Host): Promise<string> =>
  ((await world.tried('POST', '/api/v1/statuses', { status: 'to be quoted' })) as Document).uri;

const AUTHORITY = 'actors/federation/reading/authority.ts allowed';

export const statusEntries: readonly Entry[] = [
  fetched('a status that is searched', async ({ world }, uri) => void (await world.found(uri))),
  fetched('a status that an Announce names', (host, uri) => sent(host, host.eve.activity('Announce', uri), uri), [
    'actors/federation/inbox/inbox.ts takeLater',
  ]),
  fetched('a status that another one answers', (host, uri) =>
    sent(host, host.eve.activity('Create', host.eve.note('<p>reply</p>', { inReplyTo: uri })), uri),
  ),
  fetched('a status that another one quotes', (host, uri) => {
    const quoteAuthorization = host.peer.uri('stamps');
    return sent(
      host,
      host.eve.activity('Create', host.eve.note('<p>quoting</p>', { quote: uri, quoteAuthorization })),
      uri,
    );
  }),
  fetched('a status in a list of replies', (host, uri) => inThread(host, collection(host, [uri]), uri)),
  fetched('a status in an outbox', async (host, uri) => {
    const created = host.eve.activity('Create', { id: uri, type: 'Note' }, { published: new Date().toISOString() });
    await onProfile(host, { outbox: collection(host, [created]) }, uri);
  }),
  fetched(
    'a pinned status',
    async (host, uri) => void (await onProfile(host, { featured: collection(host, [uri]) }, uri)),
  ),
  fetched('a status whose QuoteRequest names it', async (host, uri) => {
    const object = await quotedByAda(host);
    await sent(host, host.eve.activity('QuoteRequest', object, { instrument: uri }), uri);
  }),
  fetched('a status that a relay announces', async (host, uri) => {
    const { relay } = host.world;
    await host.world.posts(relay, relay.activity('Announce', uri));
    await host.awaits(uri, () => askedAt(host.peer, uri) > 0);
  }),
  fetched('a status that a relay forwards', async (host, uri) => {
    const { eve, world } = host;
    const forged = { id: uri, type: 'Note', attributedTo: eve.uri, content: 'forged by the relay', to: [PUBLIC] };
    await world.posts(world.relay, eve.activity('Create', forged));
    await host.awaits(uri, () => askedAt(host.peer, uri) > 0);
  }),
  embedded('the status in a Create', [AUTHORITY], async (host, text) => {
    const honest = host.eve.note(`<p>${text}</p>`);
    host.peer.answer(new URL(honest.id).pathname, { status: 404 });
    return {
      ...{ uri: honest.id, honest },
      asked: () => undefined,
      bring: (document) => host.world.posts(host.eve, host.eve.activity('Create', document)),
      shown: (document) => shownStatus(host, [honest.id, document.id], text),
    };
  }),
  embedded('the status in an Update', [AUTHORITY], async (host, text) => {
    const before = host.eve.note('<p>before</p>', { published: new Date(Date.now() - 60_000).toISOString() });
    await host.world.status(before.id);
    const honest: Document = { ...before, content: `<p>${text}</p>`, updated: new Date().toISOString() };
    return {
      ...{ uri: honest.id, honest },
      asked: () => undefined,
      bring: (document) => host.world.posts(host.eve, host.eve.activity('Update', document)),
      shown: (document) => shownStatus(host, [honest.id, document.id], text),
    };
  }),
  embedded(
    'the status in a QuoteRequest',
    ['actors/federation/incoming/permissions/quote-request.ts quotingStatus'],
    async (host, text) => {
      const quote = await quotedByAda(host);
      const honest = host.eve.note(`<p>${text}</p>`, { quote, to: [PUBLIC] });
      host.peer.answer(new URL(honest.id).pathname, { status: 404 });
      return {
        ...{ uri: honest.id, honest },
        asked: () => undefined,
        bring: (document) =>
          host.world.posts(host.eve, host.eve.activity('QuoteRequest', quote, { instrument: document })),
        shown: (document) => shownStatus(host, [honest.id, document.id], text),
      };
    },
  ),
];
