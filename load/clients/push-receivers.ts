import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Crowd } from '../crowd.js';
import type { ObservedPost, Observer } from '../judging/observer.js';
import type { Findings } from '../judging/verdicts.js';
import type { Visible } from '../judging/visible.js';
import type { User } from '../users.js';
import { type Client, NoAnswer } from './client.js';
import { inParallel } from './in-parallel.js';
import { objectIn } from './json.js';
import { PushKeys } from './push-keys.js';
import { patienceFor, Refused, retried } from './retry.js';

/** Requests at a time before and after the run. */
const AT_A_TIME = 8;
/** Longest message of a push service (RFC 8030 §7.2). */
const BODY_BYTES_MAX = 4_096;
const PATH = '/api/v1/push/subscription';

/** A user's subscription during the run. */
interface Receiver {
  readonly user: number;
  readonly place: string;
  readonly token: string;
  readonly keys: PushKeys;
  /** Numbers of the posts whose push came. */
  readonly seen: Set<number>;
}

/** Push services of some users, on loopback: each post of an author that such a user follows causes one push. */
export class PushReceivers {
  readonly #receivers: Receiver[] = [];
  #server: Server | undefined;
  #sinceMs = Number.POSITIVE_INFINITY;
  #unreadable = 0;

  constructor(
    private readonly client: Client,
    private readonly watching: {
      readonly crowd: Crowd;
      readonly witness: Observer;
      readonly visible: Visible;
      readonly findings: Findings;
    },
  ) {}

  get count(): number {
    return this.#receivers.length;
  }

  /** Subscribes the first users to the posts of those whom they follow. @throws NoAnswer */
  async subscribe(count: number, signal: AbortSignal): Promise<void> {
    if (count === 0) return;
    const server = createServer((request, response) => void this.#take(request, response));
    this.#server = server;
    await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    const patience = patienceFor(signal);
    await inParallel(this.watching.crowd.users.slice(0, count), AT_A_TIME, async (user, index) => {
      const receiver = receiverOf(user, index);
      this.#receivers[index] = receiver;
      const endpoint = `http://127.0.0.1:${port}/${index}`;
      const body = { subscription: { endpoint, keys: receiver.keys.public, standard: true }, ...WISHES };
      const { token } = user;
      await retried(this.client, { method: 'POST', path: PATH, token, body }, patience()).catch(noSubscription);
      for (const author of this.watching.crowd.followeesOf(index)) {
        const path = `/api/v1/accounts/${this.watching.crowd.users[author]?.id}/follow`;
        await retried(this.client, { method: 'POST', path, token, body: { notify: true } }, patience());
      }
    });
    this.#sinceMs = performance.now();
  }

  /** True when the push of every acknowledged post has come. */
  get complete(): boolean {
    return this.#receivers.every((receiver) => this.#missing(receiver).next().done === true);
  }

  /** Counts pushes that have not come by now as lost. */
  judge(): void {
    const unreadable = this.#unreadable > 0 ? `; ${this.#unreadable} messages could not be decrypted` : '';
    for (const receiver of this.#receivers) {
      for (const { marker, id } of this.#missing(receiver)) {
        const detail = `was acknowledged as ${id}, and its push never came${unreadable}`;
        this.watching.findings.add({ verdict: 'lost', place: receiver.place, post: marker, detail });
      }
    }
  }

  /** Ends the subscriptions, as far as the server answers, and the push services. */
  async close(): Promise<void> {
    let answers = true;
    await inParallel(this.#receivers, AT_A_TIME, async ({ token }) => {
      if (answers) await this.client.ask({ method: 'DELETE', path: PATH, token }).catch(() => (answers = false));
    });
    this.#server?.closeAllConnections();
    this.#server?.close();
  }

  *#missing({ user, seen }: Receiver): Generator<ObservedPost> {
    const { crowd, witness } = this.watching;
    for (const author of crowd.followeesOf(user)) {
      for (const post of witness.postsOf(author)) {
        const due = post.acknowledgedMs !== undefined && post.startedMs >= this.#sinceMs;
        if (due && !seen.has(post.number)) yield post;
      }
    }
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const receiver = this.#receivers[Number(request.url?.slice(1))];
    const pieces: Buffer[] = [];
    let bytes = 0;
    for await (const piece of request as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > BODY_BYTES_MAX) break;
      pieces.push(piece);
    }
    if (receiver === undefined || bytes > BODY_BYTES_MAX) {
      response.writeHead(receiver === undefined ? 404 : 413).end();
      return;
    }
    try {
      const text = receiver.keys.decrypt(Buffer.concat(pieces));
      const { title, body } = objectIn(text);
      // JavaScript would round the number.
      this.#see(receiver, `${title} ${body}`, /"notification_id":"?(\d+)/.exec(text)?.[1] ?? '');
      response.writeHead(201).end();
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      this.#unreadable += 1;
      response.writeHead(400).end();
    }
  }

  /** Messages of other notifications are ignored. */
  #see({ place, seen }: Receiver, text: string, notification: string): void {
    const nowMs = performance.now();
    const { witness, visible, findings } = this.watching;
    const post = witness.find(text);
    if (post === undefined) return;
    if (seen.has(post.number)) {
      const detail = `its push came again, of notification ${notification}`;
      findings.add({ verdict: 'repeated', place, post: post.marker, detail });
      return;
    }
    seen.add(post.number);
    visible.seen('push', place, post, nowMs);
  }
}

const WISHES = { data: { alerts: { status: true }, policy: 'all' } };

const receiverOf = ({ username, token }: User, user: number): Receiver => ({
  ...{ user, place: `pushes of ${username}`, token, keys: new PushKeys(), seen: new Set() },
});

function noSubscription(error: Error): never {
  const advice = 'the server must accept http endpoints on loopback, and the tokens need the scope push';
  throw error instanceof Refused ? new NoAnswer(`${error.message}; ${advice}`) : error;
}
