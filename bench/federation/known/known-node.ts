import { pino } from 'pino';
import { isMissing } from '../../../actors/federation/remote/port.js';
import { readSettings } from '../../../cli/settings.js';
import { startNode } from '../../../compose/node.js';
import { inParallel } from '../../../load/clients/in-parallel.js';
import { PUBLIC } from '../../../test/kit/federation/peer.js';
import { until } from '../../../test/kit/time/until.js';
import type { DeliveryOutcome, FetchOutcome } from '../../../transport/federation/port.js';

// A node that stores many people of other servers, each with some statuses, then ends. It finds and stores them as any
// node does; only the requests to the other servers are answered here. known.ts starts it.

export interface KnownWish {
  readonly dataDir: string;
  readonly baseUrl: string;
  /** Address of the server of all these people; absent: each has a server of its own. */
  readonly origin?: string;
  /** Key of all these people. */
  readonly publicKeyPem: string;
  /** Numbers of the people; `to` is exclusive. */
  readonly from: number;
  readonly to: number;
  readonly statuses: number;
  /** Port of the servers of these people, each on an address of loopback, instead of servers with names. */
  readonly port?: number;
  /** Id of a local account that all of them follow. */
  readonly followed?: string;
}

const AT_ONCE = 256;
const ACCEPTED_MS_MAX = 600_000;
/** Statuses are as old as this at most. */
const AGE_MS_MAX = 30 * 86_400_000;
const wish = JSON.parse(process.argv[2] ?? '{}') as KnownWish;
/** Addresses begin with 127.2, which no other server uses. */
const FIRST_LOOPBACK = 0x7f020000;
const addressOf = (number: number) =>
  [24, 16, 8, 0].map((bits) => ((FIRST_LOOPBACK + number) >> bits) & 0xff).join('.');
const originOf = (number: number) =>
  wish.port === undefined
    ? (wish.origin ?? `https://h${number}.known.example`)
    : `http://${addressOf(number)}:${wish.port}`;
const more = wish.port === undefined ? {} : { FEDERATION_ALLOW_CIDRS: 'loopback' };
const settings = readSettings({ DATA_DIR: wish.dataDir, BASE_URL: wish.baseUrl, LOG_LEVEL: 'warn', ...more }, {});
const node = await startNode(settings, pino({ level: 'warn' }, pino.destination(2)));
const { federation, askAccount } = node.services;
const { client, people, notes } = federation;

/** Number of activities that the people have got: an Accept of each follow. */
let delivered = 0;
Object.assign(client, {
  deliver: async (): Promise<DeliveryOutcome> => {
    delivered += 1;
    return { kind: 'delivered', status: 202 };
  },
  object: async (url: string): Promise<FetchOutcome> => ({ kind: 'object', url, value: personOf(url) }),
  jrd: async (url: string): Promise<FetchOutcome> => {
    const acct = new URL(url).searchParams.get('resource') ?? '';
    const href = `${new URL(url).origin}/users/${/^acct:([^@]+)@/.exec(acct)?.[1]}`;
    const links = [{ rel: 'self', type: 'application/activity+json', href }];
    return { kind: 'object', url, value: { subject: acct, links } };
  },
});

const numbers = Array.from({ length: wish.to - wish.from }, (_, index) => wish.from + index);
await inParallel(numbers, AT_ONCE, async (number) => {
  const uri = `${originOf(number)}/users/k${number}`;
  const author = await people.find(uri);
  if (isMissing(author)) throw new Error(`${uri} is ${author.missing}`);
  if (wish.followed !== undefined) {
    const asked = { target: wish.followed, targetLocked: false, reblogs: true, notify: false };
    await askAccount(author.id, 'follow', { ...asked, activityId: `${uri}/follow` });
  }
  for (let status = 0; status < wish.statuses; status++) {
    const stored = await notes.received(noteOf(uri, number, status), author);
    if (stored === 'irrelevant' || isMissing(stored)) throw new Error(`a status of ${uri} was not stored`);
  }
});
if (wish.followed !== undefined)
  await until('all Accepts', () => delivered >= numbers.length || undefined, ACCEPTED_MS_MAX);
await node.drain();
process.exit(0);

function personOf(uri: string): Record<string, unknown> {
  const name = uri.slice(uri.lastIndexOf('/') + 1);
  const { origin } = new URL(uri);
  return {
    ...{ id: uri, type: 'Person', preferredUsername: name, name: `Person ${name}`, url: `${origin}/@${name}` },
    ...{ inbox: `${uri}/inbox`, outbox: `${uri}/outbox`, featured: `${uri}/collections/featured` },
    ...{ followers: `${uri}/followers`, following: `${uri}/following`, endpoints: { sharedInbox: `${origin}/inbox` } },
    ...{ manuallyApprovesFollowers: false, published: '2024-05-06T00:00:00Z' },
    summary: '<p>Writes about bicycles, bread and old computers. Opinions are my own.</p>',
    icon: { type: 'Image', mediaType: 'image/png', url: `${origin}/avatars/${name}.png` },
    publicKey: { id: `${uri}#main-key`, owner: uri, publicKeyPem: wish.publicKeyPem },
  };
}

function noteOf(author: string, number: number, status: number): Record<string, unknown> {
  const id = `${author}/statuses/${status}`;
  const ageMs = ((number * 7_919 + status * 104_729) * 1_000) % AGE_MS_MAX;
  const content = `<p>Status ${status} of ${number}: the quick brown fox jumps over the lazy dog, and it does so once more for good measure.</p>`;
  return {
    ...{ id, type: 'Note', attributedTo: author, to: [PUBLIC], cc: [`${author}/followers`], url: id },
    ...{ content, contentMap: { en: content }, published: new Date(Date.now() - ageMs).toISOString() },
  };
}
