import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:net';
import { readBlocks } from '../../../../actors/domain/servers/block-list.js';
import { operatorClient } from '../../../../cli/operator-socket.js';
import {
  type Document,
  newKey,
  type Peer,
  type PeerActor,
  type PeerAnswer,
  type PeerKey,
  type SignedPost,
} from '../../../kit/federation/peer.js';
import { type SecureServer, TrustedLoopback } from '../../../kit/federation/trusted-loopback.js';
import { seen } from '../../../kit/federation/two-places.js';
import { call, makePeople, type Person } from '../../cluster/people.js';

/** A WebFinger answer, by its name. */
type Jrds = Map<string, PeerAnswer>;

/** A hostile server with the people of one entry. */
export interface Host {
  readonly world: HostileWorld;
  readonly peer: Peer;
  /** Ada follows her, so that her activities count. */
  readonly eve: PeerActor;
  /** Somebody else of the same server, with a status that is known here. */
  readonly mate: PeerActor;
  readonly known: Document;
  /** WebFinger answers that differ from those of an honest server. */
  readonly jrds: Jrds;
  /** Creates a further person, with the key of the others. */
  person(name: string, more?: Document): PeerActor;
  /**
   * Waits until the server has asked for an address, unless nothing is taken from this host. `again`: repeats what makes
   * it ask, since it does only some things of a kind at a time.
   */
  awaits(uri: string, isAsked: () => boolean, again?: () => Promise<unknown>): Promise<void>;
}

/** One server of ours, a victim's server, and as many hostile ones as a test needs. */
export class HostileWorld {
  readonly #key: PeerKey = newKey();
  readonly #hosts: Peer[] = [];
  /** The victim and her server. */
  readonly good: Peer;
  readonly ann: PeerActor;
  /** A relay whose statuses the server takes. */
  readonly relay: PeerActor;
  /** A server to which hostile ones redirect. */
  readonly other: Peer;
  #numbered = 0;
  /** Connections to addresses inside, which must stay 0. */
  connections = 0;

  private constructor(
    private readonly loopback: TrustedLoopback,
    readonly server: SecureServer,
    readonly ada: Person,
    [good, other]: readonly [Peer, Peer],
    private readonly canary: Server,
  ) {
    this.good = good;
    this.other = other;
    this.ann = good.actor('ann', {}, this.#key);
    this.relay = good.actor('relay', { type: 'Application' }, this.#key);
  }

  /** Subscribes to a relay, which accepts. */
  async #subscribe(): Promise<void> {
    const { relay, good } = this;
    await operatorClient(this.server.dataDir)('relay.add', { address: relay.uri, style: 'mastodon' });
    const [follow] = await good.gets('Follow');
    assert.equal(await relay.post(this.inbox, relay.activity('Accept', follow?.activity)), 202);
    assert.ok((await this.found(this.ann.uri)).accounts[0]);
  }

  static async open(): Promise<HostileWorld> {
    const loopback = await TrustedLoopback.open();
    const [good, other] = await Promise.all([loopback.peer(), loopback.peer()]);
    const server = await loopback.server({ FEDERATION_ALLOW_CIDRS: '127.0.0.1/32', LOG_LEVEL: 'warn' });
    const [ada] = (await makePeople(server.dataDir, ['ada'])) as [Person];
    const canary = createServer((socket) => {
      world.connections += 1;
      socket.destroy();
    });
    await new Promise<void>((listening) => void canary.listen(0, '::', listening));
    const world = new HostileWorld(loopback, server, ada, [good, other], canary);
    await world.#subscribe();
    return world;
  }

  async close(): Promise<void> {
    await this.server.dispose();
    await Promise.all([...this.#hosts, this.good, this.other].map((peer) => peer.close()));
    await new Promise((closed) => this.canary.close(closed));
    await this.loopback.close();
  }

  get adaUri(): string {
    return `${this.server.url}/users/ada`;
  }
  get inbox(): string {
    return `${this.server.url}/inbox`;
  }
  /** An address of this machine that the server must not connect to. */
  get inside(): string {
    return `https://127.0.0.9:${(this.canary.address() as { port: number }).port}/x`;
  }

  /** Creates somebody of the victim's server whom nobody here knows. */
  stranger(name: string, text: string): PeerActor {
    return this.good.actor(name, { name: text }, this.#key);
  }

  /** Returns a number that no other call returns. */
  next(): number {
    return ++this.#numbered;
  }

  /** Opens a hostile server whose person ada follows, unless nobody of it is to be known. */
  async host(isKnown = true): Promise<Host> {
    const peer = await this.loopback.peer();
    this.#hosts.push(peer);
    const jrds: Jrds = new Map();
    const person = (name: string, more: Document = {}) => peer.actor(name, more, this.#key);
    const [eve, mate] = [person('eve', { featuredCollections: `${peer.url}/users/eve/lists` }), person('mate')];
    peer.answer('/.well-known/webfinger', ({ target }) => {
      const resource = new URL(target, peer.url).searchParams.get('resource') ?? '';
      const [, name = ''] = /^acct:([^@]+)@/.exec(resource) ?? [];
      return (
        jrds.get(name) ?? {
          status: 200,
          ...jrdOf({ subject: `acct:${name}@${peer.host}`, href: `${peer.url}/users/${name}` }),
        }
      );
    });
    const known = mate.note('<p>known</p>');
    if (isKnown) {
      await this.follow(eve);
      assert.ok(await this.status(known.id));
    }
    const awaits: Host['awaits'] = async (uri, isAsked, again) => {
      if (isKnown) await seen(`a request for ${uri}`, async () => isAsked() || (await again?.().then(() => false)));
    };
    return { world: this, peer, eve, mate, known, jrds, person, awaits };
  }

  /** Has ada follow somebody, who accepts. */
  async follow(who: PeerActor): Promise<void> {
    const { accounts } = await this.found(who.uri);
    const id = accounts[0]?.id as string;
    await call(this.server.url, this.ada, 'POST', `/api/v1/accounts/${id}/follow`);
    const follow = await seen('a Follow', async () =>
      who.peer.delivered('Follow').find(({ activity }) => activity.object === who.uri),
    );
    assert.equal(await who.post(this.inbox, who.activity('Accept', follow.activity)), 202);
  }

  /** Suspends a server, as an operator does. */
  async suspend(peer: Peer): Promise<void> {
    await operatorClient(this.server.dataDir)('federation.block', { blocks: readBlocks(`${peer.host},suspend`) });
  }

  /** Calls the API as ada; it may refuse, but not fail. Returns the answer, {} if it is a refusal. */
  async tried(method: string, path: string, body?: object): Promise<Document> {
    const headers = { authorization: `Bearer ${this.ada.token}`, 'content-type': 'application/json' };
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const response = await fetch(new URL(path, this.server.url), init);
    assert.ok(response.status < 500 || response.status === 503, `${path}: ${response.status}`);
    const text = await response.text();
    return response.ok && response.headers.get('content-type')?.includes('json') === true ? JSON.parse(text) : {};
  }

  /** Searches for an address as ada does. */
  async found(what: string): Promise<{ accounts: Document[]; statuses: Document[] }> {
    const { accounts = [], statuses = [] } = await this.tried(
      'GET',
      `/api/v2/search?q=${encodeURIComponent(what)}&resolve=true`,
    );
    return { accounts, statuses };
  }

  /** Returns the status of an address. It is fetched if it is not known. */
  async status(uri: string): Promise<Document | undefined> {
    return (await this.found(uri)).statuses[0];
  }

  /** Returns the status or account of an address if it is known: its server gives it no more. */
  async stored(uri: string, peer: Peer): Promise<Document | undefined> {
    if (uri.startsWith(`${peer.url}/`)) peer.answer(new URL(uri).pathname, { status: 404 });
    const { accounts, statuses } = await this.found(uri);
    return statuses[0] ?? accounts[0];
  }

  /** Looks at somebody's profile, which makes the server read their collections. */
  async look(who: PeerActor): Promise<string> {
    const { accounts } = await this.found(who.uri);
    const id = accounts[0]?.id as string | undefined;
    if (id !== undefined) await this.tried('GET', `/api/v1/accounts/${id}/statuses`);
    return id ?? '';
  }

  /** Posts an activity, which is taken or refused. */
  posts(who: PeerActor, activity: Document | string): Promise<void> {
    return this.sends(who.signed(this.inbox, activity));
  }

  /** Sends a signed request, again while the server is too busy for it, as other servers do. */
  async sends({ headers, body }: SignedPost): Promise<void> {
    const status = await seen('an answer', async () => {
      const response = await fetch(this.inbox, { method: 'POST', headers, body });
      await response.arrayBuffer();
      return response.status !== 503 && response.status;
    });
    assert.ok(status === 202 || (status >= 400 && status < 500), `${status}`);
  }
}

/** Returns a WebFinger answer. */
export function jrdOf({ subject, href }: { readonly subject?: string; readonly href: string }) {
  const links = [{ rel: 'self', type: 'application/activity+json', href }];
  return { headers: { 'content-type': 'application/jrd+json' }, body: JSON.stringify({ subject, links }) };
}
