import { setTimeout as sleep } from 'node:timers/promises';
import { type Agent, WebSocket } from 'undici';
import type { Crowd } from '../crowd.js';
import type { Observer } from '../judging/observer.js';
import type { SeenPosts } from '../judging/seen-posts.js';
import { type Findings, OrderWatch } from '../judging/verdicts.js';
import type { Visible } from '../judging/visible.js';
import { type Answer, NoAnswer, streamAgent } from './client.js';
import { opened } from './handshake.js';
import { objectIn, type StatusJson, statusIn } from './json.js';
import type { Target } from './target-guard.js';

/** Streams opened at a time before the run. */
const OPENED_AT_A_TIME = 32;
/** Time that servers need to subscribe after the handshake; a stream may miss posts of that time. */
const SUBSCRIBED_MS = 500;

/** A user's stream that stays open during the run. */
interface Held {
  readonly user: number;
  readonly place: string;
  readonly watch: OrderWatch;
  readonly socket: WebSocket;
  brokenMs: number | undefined;
}

function noStream({ message }: Error): never {
  throw new NoAnswer(`a stream could not be opened: ${message}; --streams 0 goes without`);
}

/** Streams over WebSocket, which every server of this kind supports. */
export class Streaming {
  readonly #nodes: readonly { readonly agent: Agent; readonly url: string }[];
  #next = 0;
  readonly #held: Held[] = [];
  readonly #errors = new Map<string, number>();
  #heldSinceMs = Number.POSITIVE_INFINITY;
  #closing = false;

  constructor(
    targets: readonly Target[],
    private readonly timeoutMs: number,
    private readonly watching: {
      readonly crowd: Crowd;
      readonly witness: Observer;
      readonly sightings: SeenPosts;
      readonly visible: Visible;
      readonly findings: Findings;
    },
  ) {
    this.#nodes = targets.map((target) => ({
      agent: streamAgent(target),
      url: `${target.origin.replace(/^http/, 'ws')}/api/v1/streaming?stream=user`,
    }));
  }

  /** Number of streams that broke during the run. */
  get broken(): number {
    return this.#held.filter(({ brokenMs }) => brokenMs !== undefined).length;
  }

  get held(): number {
    return this.#held.length;
  }

  /** Errors of held streams with their counts: broken streams, malformed messages. */
  get errors(): ReadonlyMap<string, number> {
    return this.#errors;
  }

  /** Opens a stream and closes it again. @throws NoAnswer */
  async visit(token: string): Promise<Answer> {
    const stream = await this.#connect(token);
    if (!(stream instanceof WebSocket)) return stream;
    stream.close();
    return { status: 101, retryAfterMs: undefined, text: '' };
  }

  /** Opens the first users' streams for the whole run. @throws NoAnswer */
  async hold(count: number, signal: AbortSignal): Promise<void> {
    const { crowd, findings } = this.watching;
    for (let first = 0; first < count; first += OPENED_AT_A_TIME) {
      if (signal.aborted) throw new NoAnswer('interrupted before the run');
      const some = crowd.users.slice(first, Math.min(count, first + OPENED_AT_A_TIME));
      await Promise.all(
        some.map(async (user, index) => {
          const place = `stream of ${user.username}`;
          const socket = await this.#connect(user.token).catch(noStream);
          if (!(socket instanceof WebSocket)) noStream(new NoAnswer(String(socket.status)));
          const watch = new OrderWatch(place, findings);
          const held: Held = { user: first + index, place, watch, socket, brokenMs: undefined };
          this.#held.push(held);
          socket.addEventListener('message', ({ data }) => this.#take(held, data));
          socket.addEventListener('close', () => {
            if (this.#closing) return;
            held.brokenMs = performance.now();
            this.#count('broke off');
          });
        }),
      );
    }
    if (count > 0) await sleep(SUBSCRIBED_MS);
    this.#heldSinceMs = performance.now();
  }

  /** True when every held stream has received every acknowledged post of the authors that its user follows. */
  get complete(): boolean {
    return this.#held.every((held) => this.#missing(held).next().done === true);
  }

  /** Counts posts that have not arrived by now as late. */
  judge(): void {
    for (const held of this.#held) {
      for (const post of this.#missing(held)) this.watching.visible.late(held.place, post, 'never came');
    }
  }

  async close(): Promise<void> {
    this.#closing = true;
    for (const { socket } of this.#held) socket.close();
    await Promise.all(this.#nodes.map(({ agent }) => agent.destroy()));
  }

  *#missing({ user, watch, brokenMs = Number.POSITIVE_INFINITY }: Held) {
    const { crowd, witness } = this.watching;
    for (const author of crowd.followeesOf(user)) {
      for (const post of witness.postsOf(author)) {
        const due = post.acknowledgedMs !== undefined && post.startedMs >= this.#heldSinceMs;
        if (due && (post.acknowledgedMs ?? 0) < brokenMs && !watch.saw(post)) yield post;
      }
    }
  }

  #take(held: Held, data: unknown): void {
    const nowMs = performance.now();
    const status = this.#updateIn(data);
    if (status === undefined) return;
    for (const sighting of this.watching.sightings.in([status])) {
      const first = held.watch.see(sighting);
      if (first) this.watching.visible.seen('stream', held.place, sighting.post, nowMs);
    }
  }

  /** Parses a message; counts a malformed one as an error. */
  #updateIn(data: unknown): StatusJson | undefined {
    try {
      const { event, payload } = objectIn(String(data));
      return event === 'update' ? statusIn(String(payload)) : undefined;
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      this.#count(error.message);
      return undefined;
    }
  }

  #count(label: string): void {
    this.#errors.set(label, (this.#errors.get(label) ?? 0) + 1);
  }

  /** Connects a stream. The token is sent in both ways that servers know: some read it only from the address. */
  #connect(token: string): Promise<WebSocket | Answer> {
    const node = this.#nodes[this.#next++ % this.#nodes.length];
    if (node === undefined) throw new Error('no server');
    const url = `${node.url}&access_token=${encodeURIComponent(token)}`;
    return opened(node.agent, url, { authorization: `Bearer ${token}` }, this.timeoutMs);
  }
}
