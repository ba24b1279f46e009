import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { until } from '../time/until.js';
import { PushKeys, type Vapid, verifyVapid } from './push-encryption.js';

/** The way in which the service answers: a status, or no answer at all. */
export type PushAnswer = { readonly status: number; readonly retryAfter?: string } | 'hang';

/** One message that the service took: verified and decrypted. */
export interface ReceivedPush {
  readonly endpoint: string;
  readonly topic: string;
  readonly urgency: string;
  readonly ttlSeconds: number;
  readonly encoding: string;
  readonly vapid: Vapid;
  readonly text: string;
}

/** Returns the id of the notification in a push. JavaScript would round the number. */
export const notificationIn = ({ text }: Pick<ReceivedPush, 'text'>): string =>
  /"notification_id":(\d+)/.exec(text)?.[1] ?? '';

/** A subscription of a client at this service, as clients send it to their server. */
export interface ReceiverSubscription {
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
  readonly standard: boolean;
}

interface Endpoint {
  readonly keys: PushKeys;
  answer: PushAnswer;
  /** The last message of each topic that was not fetched, as a service keeps them for a client that is away. */
  readonly kept: Map<string, ReceivedPush>;
}

/** Longest body that push services take. */
const BODY_BYTES_MAX = 4_096;
const TAKEN: PushAnswer = { status: 201 };
/** Push services keep idle connections for minutes. */
const KEPT_MS = 240_000;

/**
 * A push service on loopback, for which FEDERATION_ALLOW_CIDRS must contain `loopback`. It refuses what a real service
 * refuses, keeps one message for each topic of an endpoint, and decrypts with the subscribers' keys.
 */
export class PushReceiver {
  /** Requests in the order of arrival, answered with success or not. */
  readonly asked: { readonly endpoint: string; readonly atMs: number }[] = [];
  /** Messages that were taken, in the order of arrival. */
  readonly received: ReceivedPush[] = [];
  /** Reasons for which requests were refused although no test asked for it: a correct sender causes none. */
  readonly complaints: string[] = [];
  /** Connections that were opened. */
  connections = 0;
  private readonly endpoints = new Map<string, Endpoint>();
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly scheme: 'http' | 'https',
  ) {}

  /** @param port that of a receiver that was closed, to open it again; @param tls its certificate for 127.0.0.1 */
  static async open(port = 0, tls?: { readonly key: Buffer; readonly cert: Buffer }): Promise<PushReceiver> {
    const serve = (request: IncomingMessage, response: ServerResponse) => void receiver.serve(request, response);
    const server = tls === undefined ? createServer(serve) : createSecureServer(tls, serve);
    server.keepAliveTimeout = KEPT_MS;
    const receiver = new PushReceiver(server, tls === undefined ? 'http' : 'https');
    server.on('connection', (socket) => {
      receiver.connections++;
      receiver.sockets.add(socket);
      socket.on('close', () => receiver.sockets.delete(socket));
    });
    await new Promise<void>((listening) => void server.listen(port, '127.0.0.1', listening));
    return receiver;
  }

  get url(): string {
    return `${this.scheme}://127.0.0.1:${this.port}`;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Creates a subscription. @param standard true for aes128gcm, false for the older draft */
  subscription(standard = true): ReceiverSubscription {
    const keys = new PushKeys();
    const endpoint = `${this.url}/push/${this.endpoints.size + 1}`;
    this.endpoints.set(endpoint, { keys, answer: TAKEN, kept: new Map() });
    return { endpoint, keys: keys.public, standard };
  }

  /** Sets the answer to further messages, to one endpoint or to all that exist. */
  answer(answer: PushAnswer, endpoint?: string): void {
    const chosen = endpoint === undefined ? [...this.endpoints.values()] : [this.endpointOf(endpoint)];
    for (const one of chosen) one.answer = answer;
  }

  /** Returns and removes the messages that wait for a client: the last one of each topic. */
  fetch(endpoint: string): ReceivedPush[] {
    const { kept } = this.endpointOf(endpoint);
    const messages = [...kept.values()];
    kept.clear();
    return messages;
  }

  /** Returns the messages that an endpoint took. */
  of(endpoint: string): ReceivedPush[] {
    return this.received.filter((one) => one.endpoint === endpoint);
  }

  /** Waits until an endpoint has taken a number of messages. @throws after the timeout */
  async arrived(endpoint: string, count = 1, timeoutMs = 30_000): Promise<ReceivedPush[]> {
    return until(
      `${count} push messages at ${endpoint}; ${this.complaints.join('; ')}`,
      () => this.of(endpoint).length >= count && this.of(endpoint),
      timeoutMs,
    );
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((closed) => this.server.close(closed));
  }

  private endpointOf(endpoint: string): Endpoint {
    const found = this.endpoints.get(endpoint);
    if (found === undefined) throw new Error(`no subscription ${endpoint}`);
    return found;
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const endpoint = `${this.url}${request.url}`;
    this.asked.push({ endpoint, atMs: performance.now() });
    const pieces: Buffer[] = [];
    try {
      for await (const piece of request) pieces.push(piece as Buffer);
    } catch {
      // The sender has ended the connection.
      return;
    }
    const place = this.endpoints.get(endpoint);
    const answer = place?.answer ?? { status: 404 };
    if (answer === 'hang') return;
    const { status, retryAfter } = answer;
    if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter);
    if (place === undefined || status >= 300) {
      response.writeHead(status).end('{"reason":"as the test said"}');
      return;
    }
    try {
      const message = this.take(endpoint, place, request, Buffer.concat(pieces));
      this.received.push(message);
      place.kept.set(message.topic || String(this.received.length), message);
      response.writeHead(status, { location: `${this.url}/message/${this.received.length}` }).end();
    } catch (error) {
      this.complaints.push(`${endpoint}: ${(error as Error).message}`);
      response.writeHead(400).end();
    }
  }

  /** Verifies and decrypts a message. @throws Error with the reason for which a service would refuse it */
  private take(endpoint: string, { keys }: Endpoint, request: IncomingMessage, body: Buffer): ReceivedPush {
    const { method, headers } = request;
    const { ttl = '', urgency = 'normal', topic = '' } = headers as Record<string, string>;
    if (method !== 'POST') throw new Error(`method ${method}`);
    if (!/^\d+$/.test(ttl)) throw new Error(`TTL ${ttl}`);
    if (!/^(very-low|low|normal|high)$/.test(urgency)) throw new Error(`urgency ${urgency}`);
    if (!/^[\w-]{0,32}$/.test(topic)) throw new Error(`topic ${topic}`);
    if (body.length > BODY_BYTES_MAX) throw new Error(`${body.length} bytes`);
    const vapid = verifyVapid(headers, this.url);
    const text = keys.decrypt(body, headers);
    const encoding = headers['content-encoding'] ?? '';
    return { endpoint, topic, urgency, ttlSeconds: Number(ttl), encoding, vapid, text };
  }
}
