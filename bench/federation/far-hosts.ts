import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { inParallel } from '../../load/clients/in-parallel.js';
import { type KeyPair, newKeyPair, signedHeaders } from '../../load/peers/signing.js';
import { until } from '../../test/kit/time/until.js';

/** Addresses of 127.0.0.0/8 in one block, of which each is a host of its own. */
const BLOCK = 250;
/** Follows in flight: more only wait for the inbox. */
const FOLLOWS_AT_ONCE = 16;
const ACCEPTED_MS_MAX = 300_000;
const ARRIVED_MS_MAX = 60_000;
const SLOW_MS = 2_000;
/** As long as the Create of a short post. */
const BARE_BYTES = 1_500;
const LISTENING_MS_MAX = 10_000;
const TYPE = 'application/activity+json';

/** Hosts that answer at once; after SLOW_MS; or not at all once they are buried. */
export type FarKind = 'fast' | 'slow' | 'dead';

/** One process that serves many hosts: each address of loopback is a host, on one port for each kind. */
export class FarHosts {
  /** Numbers of arrived activities, by kind of host and type. */
  readonly #arrived: Record<FarKind, Map<string, number>> = { fast: new Map(), slow: new Map(), dead: new Map() };
  readonly #lastMs: Record<FarKind, number> = { fast: 0, slow: 0, dead: 0 };
  /** Time that revived hosts take for an answer. */
  #revivedMs = 0;
  #deadPort = 0;

  private constructor(
    private readonly key: KeyPair,
    private readonly servers: Record<FarKind, Server>,
  ) {}

  static async open(): Promise<FarHosts> {
    const made: { hosts?: FarHosts } = {};
    const serve = (kind: FarKind) =>
      createServer((request, response) => void made.hosts?.answer(request, response, kind)).listen(0, '0.0.0.0');
    const servers = { fast: serve('fast'), slow: serve('slow'), dead: serve('dead') };
    await until(
      'listening servers',
      () => Object.values(servers).every(({ listening }) => listening) || undefined,
      LISTENING_MS_MAX,
    );
    made.hosts = new FarHosts(await newKeyPair(), servers);
    return made.hosts;
  }

  /** Makes people of so many hosts follow a local person; resolves when all are accepted. A tenth of the hosts is slow, one dead, if `mixed`. */
  async follow(base: string, person: string, people: number, hosts: number, mixed: boolean): Promise<void> {
    const inbox = new URL('/inbox', base);
    const accepted = () => this.count('Accept') + this.count('Accept', 'slow') + this.count('Accept', 'dead');
    const before = accepted();
    await inParallel(
      Array.from({ length: people }, (_, index) => index),
      FOLLOWS_AT_ONCE,
      async (index) => {
        const number = index % hosts;
        const kind = mixed && number % 10 === 8 ? 'slow' : mixed && number % 10 === 9 ? 'dead' : 'fast';
        const { port } = this.servers[kind].address() as AddressInfo;
        const host = `127.1.${Math.floor(number / BLOCK)}.${(number % BLOCK) + 1}:${port}`;
        const actor = `http://${host}/users/u${Math.floor(index / hosts)}`;
        const object = `${base}/users/${person}`;
        const body = JSON.stringify({ id: `${actor}/follows/${person}`, type: 'Follow', actor, object });
        const signer = { keyId: `${actor}#main-key`, privateKey: this.key.privateKey };
        for (;;) {
          const headers = { ...(await signedHeaders('cavage', inbox, body, signer)), 'content-type': TYPE };
          const response = await fetch(inbox, { method: 'POST', headers, body });
          await response.arrayBuffer();
          if (response.status === 202) return;
          if (response.status !== 503) throw new Error(`a Follow was answered with ${response.status}`);
          await sleep(100);
        }
      },
    );
    await until('all Accepts', () => accepted() - before >= people || undefined, ACCEPTED_MS_MAX);
  }

  count = (type: string, kind: FarKind = 'fast'): number => this.#arrived[kind].get(type) ?? 0;
  /** Returns the time of the latest arrival at hosts of a kind. */
  lastMs = (kind: FarKind = 'fast'): number => this.#lastMs[kind];

  /** Makes a post. Returns the milliseconds until it has arrived at so many hosts that answer at once. */
  async reached(hosts: number, post: () => Promise<void>): Promise<number> {
    const [before, startedMs] = [this.count('Create'), performance.now()];
    await post();
    await until('the post at its hosts', () => this.count('Create') >= before + hosts || undefined, ARRIVED_MS_MAX);
    return this.lastMs() - startedMs;
  }

  /** Closes the port of dead hosts. */
  async bury(): Promise<void> {
    this.#deadPort = (this.servers.dead.address() as AddressInfo).port;
    await closed(this.servers.dead);
  }

  /** Opens the port of dead hosts again. They take so long for an answer. */
  async revive(answerMs: number): Promise<void> {
    const { dead } = this.servers;
    this.#revivedMs = answerMs;
    await new Promise<void>((done) => void dead.listen(this.#deadPort, '0.0.0.0', done));
  }

  /** Sends signed requests to a host without a queue. Returns the rate per second: the most that any sender reaches. */
  async bareRate(host: string, atOnce: number, requests: number): Promise<number> {
    const url = new URL(`http://${host}/inbox`);
    const pool = new Pool(url.origin, { connections: atOnce });
    const body = JSON.stringify({ type: 'Bare', object: 'x'.repeat(BARE_BYTES) });
    const signer = { keyId: `${url.origin}/bare#main-key`, privateKey: this.key.privateKey };
    const startedMs = performance.now();
    await inParallel(
      Array.from({ length: requests }, (_, index) => index),
      atOnce,
      async () => {
        const headers = { ...(await signedHeaders('cavage', url, body, signer)), 'content-type': TYPE };
        const answer = await pool.request({ method: 'POST', path: url.pathname, headers, body });
        await answer.body.dump();
      },
    );
    const perSecond = requests / ((performance.now() - startedMs) / 1_000);
    await pool.close();
    return perSecond;
  }

  async close(): Promise<void> {
    for (const server of Object.values(this.servers)) if (server.listening) await closed(server);
  }

  private async answer(request: IncomingMessage, response: ServerResponse, kind: FarKind): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const url = new URL(request.url ?? '', `http://${request.headers.host}`);
    if (request.method === 'POST') {
      const { type } = JSON.parse(Buffer.concat(pieces).toString()) as { type: string };
      if (kind === 'slow' && type !== 'Accept') await sleep(SLOW_MS);
      if (kind === 'dead' && this.#revivedMs > 0) await sleep(this.#revivedMs);
      this.#arrived[kind].set(type, this.count(type, kind) + 1);
      this.#lastMs[kind] = performance.now();
      return void response.writeHead(202).end();
    }
    const json = (type: string, body: object) => {
      response.writeHead(200, { 'content-type': type });
      response.end(JSON.stringify(body));
    };
    if (url.pathname.startsWith('/.well-known/')) {
      const [, name = ''] =
        /^(?:acct:@?([^@]+)@.*|.*\/users\/([^/]+))$/.exec(url.searchParams.get('resource') ?? '') ?? [];
      const href = `${url.origin}/users/${name}`;
      return json('application/jrd+json', {
        subject: `acct:${name}@${url.host}`,
        links: [{ rel: 'self', type: TYPE, href }],
      });
    }
    const [, name] = /^\/users\/([^/]+)$/.exec(url.pathname) ?? [];
    if (name === undefined) return void response.writeHead(404).end();
    const id = `${url.origin}/users/${name}`;
    json(TYPE, {
      ...{ id, type: 'Person', preferredUsername: name, inbox: `${url.origin}/inbox` },
      ...{ endpoints: { sharedInbox: `${url.origin}/inbox` }, outbox: `${id}/outbox`, followers: `${id}/followers` },
      publicKey: { id: `${id}#main-key`, owner: id, publicKeyPem: this.key.publicKeyPem },
    });
  }
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
}
