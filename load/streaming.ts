import { setTimeout as sleep } from 'node:timers/promises';
import { type Agent, type MessageEvent, WebSocket } from 'undici';
import { type Answer, NoAnswer, streamAgent } from './client.js';
import type { Crowd } from './crowd.js';
import type { Sightings, StatusJson } from './sightings.js';
import type { Target } from './target-guard.js';
import { type Findings, OrderWatch } from './verdicts.js';
import type { Visible } from './visible.js';
import type { Witness } from './witness.js';

/** Streams opened at a time before the run. */
const OPENED_AT_A_TIME = 32;
/** After the handshake servers subscribe; what is posted meanwhile may pass a stream by. */
const SUBSCRIBED_MS = 500;

/** A user's stream that stays open during the run. */
interface Held {
  readonly user: number;
  readonly place: string;
  readonly watch: OrderWatch;
  readonly socket: WebSocket;
  brokenMs: number | undefined;
}

/** Streams over WebSocket, as every server of this kind has them. */
export class Streaming {
  readonly #nodes: readonly { readonly agent: Agent; readonly url: string }[];
  #next = 0;
  readonly #held: Held[] = [];
  #heldSinceMs = Number.POSITIVE_INFINITY;
  #closing = false;

  constructor(
    targets: readonly Target[],
    private readonly timeoutMs: number,
    private readonly watching: {
      readonly crowd: Crowd;
      readonly witness: Witness;
      readonly sightings: Sightings;
      readonly visible: Visible;
      readonly findings: Findings;
    },
  ) {
    this.#nodes = targets.map((target) => ({
      agent: streamAgent(target),
      url: `${target.origin.replace(/^http/, 'ws')}/api/v1/streaming?stream=user`,
    }));
  }

  /** Streams that broke off during the run. */
  get broken(): number {
    return this.#held.filter(({ brokenMs }) => brokenMs !== undefined).length;
  }

  get held(): number {
    return this.#held.length;
  }

  /** Opens a stream and closes it again. @throws NoAnswer */
  async visit(token: string): Promise<Answer> {
    (await this.#connect(token)).close();
    return { status: 101, retryAfterMs: undefined, text: '' };
  }

  /** Opens the first users' streams, for the whole run. @throws NoAnswer */
  async hold(count: number): Promise<void> {
    const { crowd, findings } = this.watching;
    for (let first = 0; first < count; first += OPENED_AT_A_TIME) {
      const some = crowd.users.slice(first, Math.min(count, first + OPENED_AT_A_TIME));
      await Promise.all(
        some.map(async (user, index) => {
          const place = `stream of ${user.username}`;
          const socket = await this.#connect(user.token);
          const watch = new OrderWatch(place, findings);
          const held: Held = { user: first + index, place, watch, socket, brokenMs: undefined };
          this.#held.push(held);
          socket.addEventListener('message', (event) => this.#take(held, event));
          socket.addEventListener('close', () => {
            if (!this.#closing) held.brokenMs = performance.now();
          });
        }),
      );
    }
    if (count > 0) await sleep(SUBSCRIBED_MS);
    this.#heldSinceMs = performance.now();
  }

  /** True when every acknowledged post has come to every held stream of its author's followers. */
  get complete(): boolean {
    return this.#held.every((held) => this.#missing(held).next().done === true);
  }

  /** What has not come by now is late. */
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

  #take(held: Held, { data }: MessageEvent): void {
    const nowMs = performance.now();
    const { event, payload } = JSON.parse(String(data)) as { event?: string; payload?: string };
    if (event !== 'update' || payload === undefined) return;
    for (const sighting of this.watching.sightings.in([JSON.parse(payload) as StatusJson])) {
      const first = held.watch.see(sighting);
      if (first) this.watching.visible.seen('stream', held.place, sighting.post, nowMs);
    }
  }

  #connect(token: string): Promise<WebSocket> {
    const headers = { authorization: `Bearer ${token}` };
    const node = this.#nodes[this.#next++ % this.#nodes.length];
    if (node === undefined) throw new Error('no server');
    const socket = new WebSocket(node.url, { headers, dispatcher: node.agent });
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new NoAnswer('timeout'));
        socket.close();
      }, this.timeoutMs);
      socket.addEventListener('open', () => {
        clearTimeout(timer);
        resolve(socket);
      });
      socket.addEventListener('error', () => {
        clearTimeout(timer);
        reject(new NoAnswer('no stream'));
      });
    });
  }
}
