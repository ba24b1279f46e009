import { type DomainPolicy, NO_LIMITS } from '../../../../actors/domain/servers/domain-policy.js';
import type { StampDocument } from '../../../../actors/federation/documents/stamp.js';
import { Inbox, type InboxNeeds, takeLater } from '../../../../actors/federation/inbox/inbox.js';
import type { IncomingServices } from '../../../../actors/federation/inbox/port.js';
import { KnownActivities } from '../../../../actors/federation/inbox/replays.js';
import { Turns } from '../../../../actors/federation/inbox/turns.js';
import { keysOf } from '../../../../actors/federation/reading/authority.js';
import { mayStamp } from '../../../../actors/federation/reading/stamp.js';
import type { KnownStatus } from '../../../../actors/federation/remote/port.js';
import type { StampProof } from '../../../../actors/federation/remote/stamps.js';
import type { StoreAccountRecord, StoreStatusRecord } from '../../../../proto/gen/types.js';
import { MemoryTables } from '../../../../store/memory/memory-tables.js';
import { put } from '../../../../store/port.js';
import { statuses } from '../../../../store/tables.js';
import type { SignedRequest } from '../../../../transport/federation/signed-request.js';
import { parseSignature, SignatureVerifier } from '../../../../transport/federation/verification.js';
import { digestOf } from '../../../kit/federation/cavage.js';
import { type Document, Peer, type PeerActor } from '../../../kit/federation/peer.js';

const BASE_URL = 'https://here.example';
/** Id of the local account. */
const LOCAL_ID = '000000000000000001';

/** A command that a handler sent. */
export type Sent = readonly [actor: string, command: string, input: unknown];

/** A local account or status in the form of its record, with what matters here. */
export const accountRecord = (id: string, more: Partial<StoreAccountRecord> = {}): StoreAccountRecord =>
  ({
    id,
    username: 'local',
    followers: 0,
    pinnedIds: [],
    confirmed: true,
    approved: true,
    ...more,
  }) as StoreAccountRecord;

/** An inbox over accounts and statuses of a test, which records the commands that it sends to actors. */
export class ForeignWorld {
  readonly tables = new MemoryTables();
  readonly sent: Sent[] = [];
  readonly waited: Document[] = [];
  /** Orders of the activities that wait. */
  readonly orders: string[] = [];
  readonly fetched: string[] = [];
  readonly policies = new Map<string, DomainPolicy>();
  /** Addresses of relays that have accepted the subscription. */
  readonly relays = new Set<string>();
  admitsRelayed = true;
  readonly accounts = new Map<string, StoreAccountRecord>();
  readonly local = new Map<string, StoreAccountRecord>([['local', accountRecord(LOCAL_ID)]]);
  readonly known = new Map<string, KnownStatus>();
  /** Actors that can be fetched but are not known yet. */
  readonly strangers = new Map<string, PeerActor>();
  relation = { following: false, blockedBy: false };
  answer: unknown = {};
  /** The result of each received status. */
  reception: KnownStatus | 'irrelevant' = 'irrelevant';
  /** Answers for stamps. */
  stamps: (stamped: StampDocument) => StampProof = () => 'accepted';
  readonly inbox: Inbox;

  private constructor(
    readonly peer: Peer,
    readonly nowMs: () => number,
  ) {
    const verifier = new SignatureVerifier(undefined);
    this.inbox = new Inbox({
      services: this.services(),
      signatures: { parse: parseSignature, verify: (...request) => verifier.verify(...request) },
      turns: new Turns({ monotonicMs: () => 0 }),
      waiting: {
        add: async ({ body, object }) => {
          this.orders.push(object);
          this.waited.push(JSON.parse(Buffer.from(body).toString()));
        },
      },
    } satisfies InboxNeeds);
  }

  static async open(nowMs = () => Date.now()): Promise<ForeignWorld> {
    return new ForeignWorld(await Peer.open(), nowMs);
  }

  get url(): string {
    return BASE_URL;
  }
  get localUri(): string {
    return `${BASE_URL}/users/local`;
  }

  /** Makes an actor of the peer known here. */
  knows(actor: PeerActor, more: Partial<StoreAccountRecord> = {}): StoreAccountRecord {
    const {
      followers: followersUri,
      featured: featuredUri,
      featuredCollections: featuredCollectionsUri,
    } = actor.document;
    const remote = { uri: actor.uri, followersUri, featuredUri, featuredCollectionsUri };
    const origin = { uri: actor.uri, url: '' };
    const id = String(this.accounts.size + 100).padStart(18, '0');
    const record = accountRecord(id, { username: actor.name, domain: this.peer.host, origin, ...more });
    this.accounts.set(actor.uri, { ...record, remote: remote as never });
    this.strangers.set(actor.uri, actor);
    return this.accounts.get(actor.uri) as StoreAccountRecord;
  }

  /** Stores a status, known by its address. */
  async stores(uri: string, more: Partial<StoreStatusRecord> = {}): Promise<KnownStatus> {
    const id = String(this.known.size + 500).padStart(18, '0');
    const record = { id, conversationId: '7', accountId: LOCAL_ID, visibility: 'public', mentions: [], ...more };
    await this.tables.write([put(statuses, { status: id }, record as never)]);
    const status = { id, conversationId: record.conversationId, accountId: record.accountId };
    this.known.set(uri, status);
    return status;
  }

  /** Sends a signed activity; returns 'taken' or the code of the refusal. */
  async gets(actor: PeerActor, activity: Document | string, change: Partial<SignedRequest> = {}): Promise<string> {
    const { headers, body } = actor.signed(`${BASE_URL}/inbox`, activity, { atMs: this.nowMs() });
    return this.receives(headers, body, change);
  }

  async receives(
    headers: Readonly<Record<string, string>>,
    body: string,
    change: Partial<SignedRequest> = {},
  ): Promise<string> {
    const all = new Map(Object.entries({ host: 'here.example', digest: digestOf(body), ...headers }));
    const request = { method: 'POST', target: '/inbox', host: 'here.example', headers: all, body: Buffer.from(body) };
    const answer = await this.inbox.receive({ ...request, ...change });
    return answer === 'taken' ? answer : answer.problem;
  }

  /** Carries out an activity that has waited for a fetch. */
  later(actor: PeerActor, activity: Document) {
    const waited = { signer: actor.uri, body: Buffer.from(JSON.stringify(activity)) };
    return takeLater(waited as never, this.services());
  }

  /** Records what is done to collections of people. */
  private collections(): IncomingServices['collections'] {
    const taken = async ({ id }: StoreAccountRecord, command: string, input: unknown) => {
      this.sent.push([id, command, input]);
      return 'done' as const;
    };
    return {
      find: (uri, owner) => taken(owner, 'found', uri),
      told: ({ id: uri }, owner) => taken(owner, 'told collection', uri),
      joined: ({ id: uri }, collection, owner) => taken(owner, 'joined', [uri, collection]),
      parted: (uri, collection, owner) => taken(owner, 'parted', [uri, collection]),
      forget: async (uri, owner) => void (await taken(owner, 'forgotten', uri)),
    };
  }

  private services(): IncomingServices {
    const ask = async (actor: string, command: string, input: unknown) => {
      this.sent.push([actor, command, input]);
      return this.answer as never;
    };
    const fetch = (uri: string) => {
      this.fetched.push(uri);
      return this.strangers.get(uri);
    };
    return {
      baseUrl: BASE_URL,
      relays: { accepted: [], accepts: (uri) => this.relays.has(uri), admits: () => this.admitsRelayed },
      policies: { of: (domain) => this.policies.get(domain ?? '') ?? NO_LIMITS },
      people: {
        known: async (uri) => this.accounts.get(uri),
        find: async (uri) => (fetch(uri) && this.accounts.get(uri)) ?? { missing: 'gone' },
        told: async (document, known) => {
          this.sent.push([known.id, 'told', document.id]);
          return known;
        },
        named: async () => ({ missing: 'gone' }),
        publicPem: async (keyId) => {
          const actor = fetch(keyId.replace(/#.*/, ''));
          const key = actor && keysOf(actor.document).find(({ id }) => id === keyId);
          if (actor === undefined || key === undefined) return { missing: 'gone' };
          return { pem: key.pem, owner: this.accounts.get(actor.uri) ?? this.knows(actor) };
        },
      },
      notes: {
        known: async (uri) => this.known.get(uri),
        find: async (uri) => {
          fetch(uri);
          return this.known.get(uri) ?? { missing: 'later' };
        },
        received: async (note, { id }) => {
          this.sent.push([id, 'received', note.id]);
          return this.reception;
        },
        revised: async (note, { id }) => {
          this.sent.push([id, 'revised', note.id]);
          return 'irrelevant';
        },
        proveQuote: async () => 'settled',
        deleted: async (uri, { id }) => void this.sent.push([id, 'deleted', uri]),
      },
      collections: this.collections(),
      askAccount: ask,
      askConversation: ask,
      askReport: ask,
      askInstance: ask,
      stamps: {
        mayBe: mayStamp,
        prove: async (stamped) => {
          this.fetched.push(stamped.id);
          return this.stamps(stamped);
        },
      },
      relationsOf: async () => this.relation,
      localAccount: async (name) => this.local.get(name),
      activities: new KnownActivities(this.tables),
      tables: this.tables,
      clock: { nowMs: this.nowMs },
      newReportId: async () => '9',
    };
  }
}
