import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer, type Server as HttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Certificate } from '../network/certificate.js';
import { until } from '../time/until.js';
import { type CavageOptions, signCavage } from './cavage.js';

const ACTIVITY_TYPE = 'application/activity+json';
const CONTEXT = ['https://www.w3.org/ns/activitystreams', 'https://w3id.org/security/v1'];
export const PUBLIC = 'https://www.w3.org/ns/activitystreams#Public';

/** A JSON object as a peer writes it. */
// biome-ignore lint/suspicious/noExplicitAny: tests read into documents of every shape.
export type Document = Record<string, any>;

/** A request that the peer received, with its whole body. */
export interface Received {
  readonly method: string;
  readonly target: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly atMs: number;
}

/**
 * An answer to requests for one path. `hang`: none, and the connection stays open. `drip`: one byte a second of a head
 * without end. `endless`: a document without end, as fast as it is read.
 */
export type PeerAnswer =
  | 'hang'
  | 'drip'
  | 'endless'
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string | Document | Buffer;
    };
type Answering = PeerAnswer | ((request: Received) => PeerAnswer);

/** One activity that the peer received in an inbox. */
export interface Delivered extends Received {
  readonly activity: Document;
}

/** Ways to open a peer. */
interface Opening {
  /** That of a peer that was closed, to open it again. */
  readonly port?: number;
  /** Makes the peer speak TLS. */
  readonly certificate?: Certificate;
  /** Default: 127.0.0.1. `::`: every address of this machine, so that each spelling reaches it. */
  readonly listensOn?: '127.0.0.1' | '::';
}

/**
 * A scripted foreign server on loopback, over TLS or plain HTTP, for which FEDERATION_ALLOW_CIDRS must contain
 * `loopback`. It serves actors, objects and WebFinger, takes deliveries with 202 and records every request.
 */
export class Peer {
  /** Requests in the order of arrival. */
  readonly received: Received[] = [];
  /** Connections so far, also those without a request. */
  connections = 0;
  readonly #actors = new Map<string, PeerActor>();
  readonly #answers = new Map<string, Answering>();
  #numbered = 0;

  private constructor(
    readonly server: Server | HttpsServer,
    private readonly scheme: 'http' | 'https',
  ) {}

  static async open({ port = 0, certificate, listensOn = '127.0.0.1' }: Opening = {}): Promise<Peer> {
    const serve = (request: IncomingMessage, response: ServerResponse) => void peer.#serve(request, response);
    const server = certificate === undefined ? createServer(serve) : createSecureServer(certificate, serve);
    // A kept connection that the server ends while a request is on its way fails that request.
    server.keepAliveTimeout = 0;
    const peer = new Peer(server, certificate === undefined ? 'http' : 'https');
    server.on('connection', () => {
      peer.connections += 1;
    });
    await new Promise<void>((listening) => void server.listen(port, listensOn, listening));
    return peer;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }
  get host(): string {
    return `127.0.0.1:${this.port}`;
  }
  get url(): string {
    return `${this.scheme}://${this.host}`;
  }

  /**
   * Creates an actor, and serves its document and WebFinger for its name.
   * @param key that of another actor, which saves the time to make one; default: a key of its own
   */
  actor(name: string, more: Document = {}, key?: PeerKey): PeerActor {
    const actor = new PeerActor(this, name, more, key);
    this.#actors.set(name, actor);
    this.#answers.set(`/users/${name}`, () => ({ status: 200, body: actor.document }));
    this.#answers.set(`/users/${name}/inbox`, { status: 202 });
    this.#answers.set('/inbox', { status: 202 });
    return actor;
  }

  /** Returns an address of this peer that no other has. */
  uri(kind: string): string {
    return `${this.url}/${kind}/${++this.#numbered}`;
  }

  /** Serves an object at the path of its id. */
  serves<D extends Document>(object: D): D {
    this.answer(new URL(object.id).pathname, { status: 200, body: object });
    return object;
  }

  /** Sets the answer to requests for a path, for all methods. */
  answer(path: string, answer: Answering): void {
    this.#answers.set(path, answer);
  }

  /** Returns the requests for a path. */
  asked(path: string, method = 'GET'): Received[] {
    return this.received.filter((one) => one.method === method && one.target.split('?')[0] === path);
  }

  /** Returns the activities that reached an inbox, one of `type` or all. */
  delivered(type?: string): Delivered[] {
    return this.received
      .filter(({ method, target }) => method === 'POST' && target.endsWith('/inbox'))
      .map((one) => ({ ...one, activity: JSON.parse(one.body) as Document }))
      .filter(({ activity }) => type === undefined || activity.type === type);
  }

  /** Waits until a number of activities of a type have arrived. @throws after the timeout */
  async gets(type: string, count = 1, timeoutMs = 30_000): Promise<Delivered[]> {
    return until(
      `${count} ${type} at ${this.host}`,
      () => this.delivered(type).length >= count && this.delivered(type),
      timeoutMs,
    );
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((closed) => this.server.close(closed));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    try {
      for await (const piece of request) pieces.push(piece as Buffer);
    } catch {
      // The client has ended the connection.
      return;
    }
    const { method = '', url: target = '', headers } = request;
    const body = Buffer.concat(pieces).toString();
    const one = { method, target, headers: headers as Record<string, string>, body, atMs: performance.now() };
    this.received.push(one);
    const path = target.split('?')[0] as string;
    const given =
      this.#answers.get(path) ?? (path === '/.well-known/webfinger' ? this.#webFinger(target) : { status: 404 });
    const answer = typeof given === 'function' ? given(one) : given;
    if (answer === 'hang') return;
    if (answer === 'drip') return drip(response);
    if (answer === 'endless') return endless(response);
    const isText = typeof answer.body === 'string' || answer.body === undefined || Buffer.isBuffer(answer.body);
    const type = isText ? {} : { 'content-type': ACTIVITY_TYPE };
    response.writeHead(answer.status, { ...type, ...answer.headers });
    response.end(
      isText
        ? (answer.body as string | Buffer | undefined)
        : JSON.stringify({ '@context': CONTEXT, ...(answer.body as Document) }),
    );
  }

  #webFinger(target: string): PeerAnswer {
    const resource = new URL(target, this.url).searchParams.get('resource') ?? '';
    const [, name = ''] = /^acct:@?([^@]+)@/.exec(resource) ?? /\/users\/([^/]+)$/.exec(resource) ?? [];
    const actor = this.#actors.get(name);
    if (actor === undefined) return { status: 404 };
    const links = [{ rel: 'self', type: ACTIVITY_TYPE, href: actor.uri }];
    const headers = { 'content-type': 'application/jrd+json' };
    return { status: 200, headers, body: JSON.stringify({ subject: `acct:${name}@${this.host}`, links }) };
  }
}

const DRIP_MS = 1_000;

/** Sends a byte of the head each second until the client leaves. */
function drip({ socket }: ServerResponse): void {
  const head = 'HTTP/1.1 202 Accepted\r\nx-slow: ';
  let sent = 0;
  const timer = setInterval(() => void socket?.write(head[sent++] ?? 'x'), DRIP_MS);
  socket?.once('close', () => clearInterval(timer));
}

/** Sends pieces of a document for as long as the client reads. */
function endless(response: ServerResponse): void {
  const piece = `"${'x'.repeat(16_000)}",`;
  const more = () => {
    while (!response.destroyed && response.write(piece));
  };
  response.writeHead(200, { 'content-type': ACTIVITY_TYPE });
  response.on('drain', more).write('{"x":[');
  more();
}

/** A signed request as it goes over the line. */
export interface SignedPost {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A person of a peer, with the private key that only this test has. */
export class PeerActor {
  readonly uri: string;
  document: Document;
  #privateKey: KeyObject;

  constructor(
    readonly peer: Peer,
    readonly name: string,
    more: Document,
    key: PeerKey = newKey(),
  ) {
    this.uri = `${peer.url}/users/${name}`;
    const { privateKey, publicKeyPem } = key;
    this.#privateKey = privateKey;
    this.document = {
      id: this.uri,
      type: 'Person',
      preferredUsername: name,
      name,
      url: `${peer.url}/@${name}`,
      inbox: `${this.uri}/inbox`,
      outbox: `${this.uri}/outbox`,
      followers: `${this.uri}/followers`,
      following: `${this.uri}/following`,
      featured: `${this.uri}/collections/featured`,
      endpoints: { sharedInbox: `${peer.url}/inbox` },
      manuallyApprovesFollowers: false,
      published: '2024-05-06T00:00:00Z',
      publicKey: { id: this.keyId, owner: this.uri, publicKeyPem },
      ...more,
    };
  }

  get keyId(): string {
    return `${this.uri}#main-key`;
  }

  /** The key as signers of the product take it. */
  get key(): { readonly id: string; readonly privateKey: KeyObject } {
    return { id: this.keyId, privateKey: this.#privateKey };
  }

  /** Replaces the key, under the same id. */
  rotate(): void {
    const { privateKey, publicKeyPem } = newKey();
    this.#privateKey = privateKey;
    this.document = { ...this.document, publicKey: { ...this.document.publicKey, publicKeyPem } };
  }

  /** Returns an activity of this actor with an id of its own. */
  activity(type: string, object: unknown, more: Document = {}): Document {
    return { '@context': CONTEXT, id: this.peer.uri('acts'), type, actor: this.uri, object, ...more };
  }

  /** Returns a public Note of this actor, which the peer serves from now on. */
  note(content: string, more: Document = {}): Document {
    const id = this.peer.uri('notes');
    const cc = [`${this.uri}/followers`];
    const published = new Date().toISOString();
    const note = { id, type: 'Note', attributedTo: this.uri, to: [PUBLIC], cc, published, content, url: id, ...more };
    return this.peer.serves(note);
  }

  /** Signs a POST to an inbox. `inbox`: its whole address. */
  signed(inbox: string, activity: Document | string, options: CavageOptions = {}): SignedPost {
    const body = typeof activity === 'string' ? activity : JSON.stringify(activity);
    const { host, pathname, search } = new URL(inbox);
    const request = { method: 'POST', target: pathname + search, headers: { host } };
    const headers = { 'content-type': ACTIVITY_TYPE, ...signCavage(request, body, this.key, options) };
    return { headers, body };
  }

  /** Posts a signed activity over HTTP; returns the status of the answer. */
  async post(inbox: string, activity: Document | string, options: CavageOptions = {}): Promise<number> {
    const response = await fetch(inbox, { method: 'POST', ...this.signed(inbox, activity, options) });
    await response.arrayBuffer();
    return response.status;
  }
}

/** A key pair of an actor. */
export interface PeerKey {
  readonly privateKey: KeyObject;
  readonly publicKeyPem: string;
}

/** Makes a key of the size that every server takes. */
export function newKey(): PeerKey {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  return { privateKey, publicKeyPem: publicKey.export({ type: 'spki', format: 'pem' }).toString() };
}
