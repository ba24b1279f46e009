import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { NoAnswer } from '../clients/client.js';
import { objectIn } from '../clients/json.js';
import type { PeerKind } from './kinds.js';
import { type KeyPair, type Scheme, signedHeaders } from './signing.js';

const ACTIVITY_TYPE = 'application/activity+json';
const CONTEXT = ['https://www.w3.org/ns/activitystreams', 'https://w3id.org/security/v1'];
const PUBLIC = 'https://www.w3.org/ns/activitystreams#Public';
/** Longest activity that is read. */
const BODY_BYTES_MAX = 1_048_576;
/** Time that a slow peer takes for an answer: less than servers wait, which is 10 s. */
const SLOW_MS = 2_000;
/** A busy peer refuses the first of so many deliveries. */
const BUSY_EACH = 4;
const NAME = 'load';

export type Activity = Readonly<Record<string, unknown>>;

/** A request with a signature, to be sent to the inbox of the server under load. */
export interface SignedRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A synthetic server on loopback with one actor. It serves the actor's documents and takes activities. */
export class PeerServer {
  #numbered = 0;
  #deliveries = 0;
  /** False before the run: then every kind answers at once. */
  #behaves = false;

  private constructor(
    readonly kind: PeerKind,
    private readonly scheme: Scheme,
    private readonly key: KeyPair,
    private readonly server: Server,
  ) {}

  /** @param take receives each activity that the peer accepts with 202 */
  static async open(
    kind: PeerKind,
    scheme: Scheme,
    key: KeyPair,
    take: (peer: PeerServer, activity: Activity) => void,
  ): Promise<PeerServer> {
    const server = createServer((request, response) => void peer.#answer(request, response, take));
    const peer = new PeerServer(kind, scheme, key, server);
    await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening));
    peer.port = (server.address() as AddressInfo).port;
    return peer;
  }

  private port = 0;
  get host(): string {
    return `127.0.0.1:${this.port}`;
  }
  get handle(): string {
    return `@${NAME}@${this.host}`;
  }
  get actor(): string {
    return `http://${this.host}/users/${NAME}`;
  }

  /** Begins to behave as its kind says. */
  async behave(): Promise<void> {
    this.#behaves = true;
    if (this.kind === 'dead') await this.close();
  }

  async close(): Promise<void> {
    if (!this.server.listening) return;
    this.server.closeAllConnections();
    await new Promise((closed) => this.server.close(closed));
  }

  /** Returns an activity of the actor with an id of its own. */
  activity(type: string, object: unknown, more: Activity = {}): Activity {
    const id = `http://${this.host}/activities/${++this.#numbered}`;
    return { '@context': CONTEXT, id, type, actor: this.actor, object, ...more };
  }

  /** Returns the Create of a public Note with this text. */
  create(text: string): Activity {
    const id = `http://${this.host}/notes/${++this.#numbered}`;
    const audience = { to: [PUBLIC], cc: [`${this.actor}/followers`] };
    const note = { id, type: 'Note', attributedTo: this.actor, content: `<p>${text}</p>` };
    const published = new Date().toISOString();
    return this.activity('Create', { ...note, ...audience, url: id, published }, { ...audience, published });
  }

  /** Signs an activity. @param inbox the address that the server has for its inbox */
  async signed(inbox: URL, activity: Activity): Promise<SignedRequest> {
    const body = JSON.stringify(activity);
    const signer = { keyId: `${this.actor}#main-key`, privateKey: this.key.privateKey };
    const headers = await signedHeaders(this.scheme, inbox, body, signer);
    return { headers: { ...headers, 'content-type': ACTIVITY_TYPE }, body };
  }

  async #answer(
    request: IncomingMessage,
    response: ServerResponse,
    take: (peer: PeerServer, activity: Activity) => void,
  ): Promise<void> {
    if (request.method !== 'POST') return this.#document(request.url ?? '', response);
    const pieces: Buffer[] = [];
    let bytes = 0;
    try {
      for await (const piece of request as AsyncIterable<Buffer>) {
        bytes += piece.length;
        if (bytes > BODY_BYTES_MAX) return void response.writeHead(413).end();
        pieces.push(piece);
      }
      const activity = objectIn(Buffer.concat(pieces).toString());
      if (request.headers.signature === undefined) return void response.writeHead(401).end();
      if (this.#behaves && this.kind === 'busy' && this.#deliveries++ % BUSY_EACH === 0) {
        return void response.writeHead(429, { 'retry-after': '1' }).end();
      }
      if (this.#behaves && this.kind === 'slow') await sleep(SLOW_MS);
      take(this, activity);
      response.writeHead(202).end();
    } catch (error) {
      // A server that ends its connection may send the activity again.
      if (error instanceof NoAnswer) response.writeHead(400).end();
      else response.destroy();
    }
  }

  #document(target: string, response: ServerResponse): void {
    const path = target.split('?')[0];
    const url = `http://${this.host}`;
    if (path === '/.well-known/webfinger') {
      const links = [{ rel: 'self', type: ACTIVITY_TYPE, href: this.actor }];
      response.writeHead(200, { 'content-type': 'application/jrd+json' });
      return void response.end(JSON.stringify({ subject: `acct:${NAME}@${this.host}`, links }));
    }
    const about = `/users/${NAME}`;
    if (path?.startsWith(about) !== true) return void response.writeHead(404).end();
    const person = {
      ...{ '@context': CONTEXT, id: this.actor, type: 'Person', preferredUsername: NAME, name: NAME },
      ...{ inbox: `${url}/inbox`, endpoints: { sharedInbox: `${url}/inbox` }, outbox: `${this.actor}/outbox` },
      ...{ followers: `${this.actor}/followers`, following: `${this.actor}/following`, url: this.actor },
      manuallyApprovesFollowers: false,
      publicKey: { id: `${this.actor}#main-key`, owner: this.actor, publicKeyPem: this.key.publicKeyPem },
    };
    const empty = { '@context': CONTEXT, id: url + path, type: 'OrderedCollection', totalItems: 0, orderedItems: [] };
    response.writeHead(200, { 'content-type': ACTIVITY_TYPE });
    response.end(JSON.stringify(path === about ? person : empty));
  }
}
