import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type Document, type Peer, type PeerActor, PUBLIC } from '../../../kit/federation/peer.js';
import { type SecureServer, TrustedLoopback } from '../../../kit/federation/trusted-loopback.js';
import { type Answer, makeStaff, seen } from '../../../kit/federation/two-places.js';
import { makePeople, type Person } from '../../cluster/people.js';
import { kindOf } from '../foreign/every-sending.js';

/** An answer of the API. */
export interface Told {
  readonly status: number;
  readonly body: Answer;
}

/** The activities that other servers are to get about some documents. */
interface Expected {
  readonly what: string;
  readonly uris: readonly string[];
  readonly isOrdered: boolean;
  readonly kinds: readonly string[];
}

/** Kinds in a fixed order, for those whose deliveries do not wait for each other. */
const sorted = (kinds: readonly string[], isOrdered: boolean) => (isOrdered ? kinds : kinds.toSorted());

/**
 * A server of ours with ada and an administrator, and a scripted one with bob, whom ada follows, and with cat, who follows
 * ada. Records which routes a test calls, and what the scripted server got.
 */
export class RemoteAuthor {
  /** Routes that were called, such as `POST /api/v1/statuses/:id/pin`. */
  readonly called = new Set<string>();
  readonly #expected: Expected[] = [];
  /** Id of bob here. */
  #bobId = '';

  private constructor(
    private readonly loopback: TrustedLoopback,
    readonly server: SecureServer,
    readonly peer: Peer,
    readonly ada: Person,
    readonly boss: Person,
    readonly bob: PeerActor,
  ) {}

  static async open(): Promise<RemoteAuthor> {
    const loopback = await TrustedLoopback.open();
    const [server, peer] = await Promise.all([loopback.server(), loopback.peer()]);
    const [ada] = (await makePeople(server.dataDir, ['ada'])) as [Person];
    const boss = await makeStaff(server.dataDir);
    const world = new RemoteAuthor(loopback, server, peer, ada, boss, peer.actor('bob'));
    const cat = peer.actor('cat');
    await world.receives(cat.activity('Follow', world.uri), cat);
    await world.#follow();
    await peer.gets('Accept');
    return world;
  }

  async close(): Promise<void> {
    await Promise.all([this.server.dispose(), this.peer.close()]);
    await this.loopback.close();
  }

  get uri(): string {
    return `${this.server.url}/users/ada`;
  }
  /** The name by which ada mentions bob. */
  get name(): string {
    return `@bob@${this.peer.host}`;
  }

  /**
   * Calls a route, and records that it was.
   * @param route method and path with names of parameters; a query may follow the path
   */
  async api(
    route: string,
    parameters: Readonly<Record<string, string>> = {},
    body?: object,
    by = this.ada,
  ): Promise<Told> {
    this.called.add(route.split('?')[0] as string);
    const [method = '', pattern = ''] = route.split(' ');
    const path = pattern.replaceAll(/:(\w+)/g, (_, name) => parameters[name] as string);
    const headers = { authorization: `Bearer ${by.token}`, 'content-type': 'application/json' };
    const more = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(`${this.server.url}${path}`, {
      ...{ method, headers: { ...headers, 'idempotency-key': randomUUID() } },
      ...more,
    });
    const text = await response.text();
    return { status: response.status, body: text.startsWith('<') ? text : JSON.parse(text) };
  }

  /** As `api`, and must succeed. Returns the body. */
  async does(...call: Parameters<RemoteAuthor['api']>): Promise<Answer> {
    const { status, body } = await this.api(...call);
    assert.equal(status, 200, `${call[0]}: ${JSON.stringify(body)}`);
    return body;
  }

  /** As `api`, and must be refused. */
  async refuses(status: number, ...call: Parameters<RemoteAuthor['api']>): Promise<Answer> {
    const told = await this.api(...call);
    assert.equal(told.status, status, `${call[0]}: ${JSON.stringify(told.body)}`);
    return told.body;
  }

  /** Searches an address, and returns the status here. */
  async find(uri: string): Promise<Answer> {
    const found = await this.does(`GET /api/v2/search?q=${encodeURIComponent(uri)}&resolve=true`);
    return found.statuses[0] ?? assert.fail(`${uri} is not found`);
  }

  /** Bob posts for everybody, and ada finds it by its address. Returns the document, and the id of the status here. */
  async shared(more: Document = {}): Promise<{ readonly note: Document; readonly id: string }> {
    const note = this.bob.note('<p>words</p>', more);
    return { note, id: (await this.find(note.id)).id };
  }

  /** Bob posts for followers, or for ada alone, and ada gets it. */
  async sentTo(to: 'followers' | 'ada'): Promise<{ readonly note: Document; readonly id: string }> {
    const uri = to === 'ada' ? this.uri : this.bob.document.followers;
    const tag = to === 'ada' ? [{ type: 'Mention', href: this.uri }] : [];
    const note = this.bob.note(`<p>for ${to}</p>`, { to: [uri], cc: [], tag });
    await this.receives(this.bob.activity('Create', note, { to: note.to, cc: [] }));
    return { note, id: (await this.#shown('timelines/home', ({ uri: own }) => own === note.id)).id };
  }

  /** Bob reblogs an own status. Returns the id here of the reblog. */
  async reblogged(note: Document): Promise<string> {
    await this.receives(this.bob.activity('Announce', note.id, { to: [PUBLIC], published: new Date().toISOString() }));
    // Home does not show it: it has the status itself.
    return (await this.#shown(`accounts/${this.#bobId}/statuses`, ({ reblog }) => reblog?.uri === note.id)).id;
  }

  async receives(activity: Document, from = this.bob): Promise<void> {
    assert.equal(await from.post(`${this.server.url}/inbox`, activity), 202);
  }

  /** Returns the activities about documents that the scripted server got, in order. A repetition counts once. */
  got(uris: readonly string[]): Document[] {
    const about = this.peer.delivered().filter(({ body }) => uris.some((uri) => body.includes(`"${uri}"`)));
    return [...new Map(about.map(({ activity }) => [activity.id, activity])).values()];
  }

  /**
   * Waits until exactly these kinds of activities about the documents have arrived, and returns the last.
   * @param isOrdered they must arrive in this order
   */
  async sent(what: string, uris: readonly string[], kinds: readonly string[], isOrdered = true): Promise<Document> {
    const arrived = () => this.got(uris);
    await seen(`${kinds} of ${what}`, async () => arrived().length >= kinds.length).catch((error: Error) => {
      throw new Error(`${error.message}; only ${arrived().map(kindOf)}`);
    });
    this.#expected.push({ what, uris, isOrdered, kinds });
    assert.deepEqual(sorted(arrived().map(kindOf), isOrdered), sorted(kinds, isOrdered), what);
    return arrived().at(-1) ?? {};
  }

  /** Asserts that nothing has arrived beyond what the test has waited for. */
  async nothingMore(): Promise<void> {
    const { note, id } = await this.shared();
    await this.does('POST /api/v1/statuses/:id/favourite', { id });
    await this.sent('the last favourite', [note.id], ['Like']);
    // The last expectation about some documents has all kinds.
    const last = new Map(this.#expected.map((one) => [one.uris.join(' '), one]));
    for (const { what, uris, kinds, isOrdered } of last.values())
      assert.deepEqual(sorted(this.got(uris).map(kindOf), isOrdered), sorted(kinds, isOrdered), what);
  }

  async #follow(): Promise<void> {
    const { accounts } = await this.does(`GET /api/v2/search?q=${encodeURIComponent(this.name)}&resolve=true`);
    const { id } = accounts[0];
    this.#bobId = id;
    await this.does('POST /api/v1/accounts/:id/follow', { id });
    const [follow] = await this.peer.gets('Follow');
    await this.receives(this.bob.activity('Accept', follow?.activity));
    const relations = () => this.does(`GET /api/v1/accounts/relationships?id[]=${id}`);
    await seen('the follow', async () => (await relations())[0].following);
  }

  /** Waits until a list shows a status, and returns it. */
  #shown(list: string, condition: (status: Answer) => boolean): Promise<Answer> {
    return seen(`the status in ${list}`, async () => {
      const all: Answer[] = await this.does(`GET /api/v1/${list}?limit=40`);
      return all.find(condition);
    });
  }
}
