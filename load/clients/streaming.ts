import { setTimeout as sleep } from 'node:timers/promises';
import { type Agent, WebSocket } from 'undici';
import type { Crowd } from '../crowd.js';
import type { Observer } from '../judging/observer.js';
import type { SeenPosts } from '../judging/seen-posts.js';
import { type Findings, OrderWatch } from '../judging/verdicts.js';
import type { Visible } from '../judging/visible.js';
import { type Answer, NoAnswer, streamAgent } from './client.js';
import { opened } from './handshake.js';
import { HeldStream } from './held-stream.js';
import type { StatusJson } from './json.js';
import type { Target } from './target-guard.js';

/** Streams opened at a time before the run. */
const OPENED_AT_A_TIME = 32;
/** Time that servers need to subscribe after the handshake; a stream may miss posts of that time. */
const SUBSCRIBED_MS = 500;

function noStream({ message }: Error): never {
  throw new NoAnswer(`a stream could not be opened: ${message}; --streams 0 goes without`);
}

/** Streams over WebSocket, which every server of this kind supports. */
export class Streaming {
  readonly #nodes: readonly { readonly agent: Agent; readonly url: string }[];
  #next = 0;
  readonly #held: HeldStream[] = [];
  readonly #errors = new Map<string, number>();
  #heldSinceMs = Number.POSITIVE_INFINITY;
  #cutting: NodeJS.Timeout | undefined;

  /** @param cutMs interval at which each held stream is cut and resumed at the next node; undefined: never */
  constructor(
    targets: readonly Target[],
    private readonly timeoutMs: number,
    private readonly cutMs: number | undefined,
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

  /** Number of times that streams were resumed. */
  get resumed(): number {
    return this.#held.reduce((sum, { resumed }) => sum + resumed, 0);
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
    const connect = (token: string, since: string | undefined) => this.#connect(token, since);
    const listener = {
      update: (held: HeldStream, status: StatusJson) => this.#see(held, status),
      failed: (label: string) => void this.#errors.set(label, (this.#errors.get(label) ?? 0) + 1),
    };
    for (let first = 0; first < count; first += OPENED_AT_A_TIME) {
      if (signal.aborted) throw new NoAnswer('interrupted before the run');
      const some = crowd.users.slice(first, Math.min(count, first + OPENED_AT_A_TIME));
      await Promise.all(
        some.map(async ({ username, token }, index) => {
          const place = `stream of ${username}`;
          const watch = new OrderWatch(place, findings);
          const resumes = this.cutMs !== undefined;
          const held = new HeldStream(first + index, place, watch, token, connect, resumes, listener);
          await held.open().catch(noStream);
          this.#held.push(held);
        }),
      );
    }
    if (count > 0) await sleep(SUBSCRIBED_MS);
    this.#heldSinceMs = performance.now();
    this.#cutInTurn();
  }

  /** Stops cutting streams. */
  endCuts(): void {
    clearInterval(this.#cutting);
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
    this.endCuts();
    for (const held of this.#held) held.close();
    await Promise.all(this.#nodes.map(({ agent }) => agent.destroy()));
  }

  /** Cuts the streams one after the other, each once in `cutMs`. */
  #cutInTurn(): void {
    if (this.cutMs === undefined || this.#held.length === 0) return;
    let turn = 0;
    this.#cutting = setInterval(() => this.#held[turn++ % this.#held.length]?.cut(), this.cutMs / this.#held.length);
  }

  *#missing({ user, watch, brokenMs = Number.POSITIVE_INFINITY }: HeldStream) {
    const { crowd, witness } = this.watching;
    for (const author of crowd.sourcesOf(user)) {
      for (const post of witness.postsOf(author)) {
        const due = post.acknowledgedMs !== undefined && post.startedMs >= this.#heldSinceMs;
        if (due && (post.acknowledgedMs ?? 0) < brokenMs && !watch.saw(post)) yield post;
      }
    }
  }

  #see({ user, place, watch }: HeldStream, status: StatusJson): void {
    const nowMs = performance.now();
    const { crowd, sightings, visible } = this.watching;
    for (const sighting of sightings.in([status])) {
      // A follow during the run puts older posts into the home, which a stream that catches up sends then.
      const hasOrder = crowd.alwaysReceives(user, sighting.post.author);
      if (watch.see(sighting, hasOrder)) visible.seen('stream', place, sighting.post, nowMs);
    }
  }

  /** Connects a stream. The token is sent in both ways that servers know: some read it only from the address. */
  #connect(token: string, since?: string): Promise<WebSocket | Answer> {
    const node = this.#nodes[this.#next++ % this.#nodes.length];
    if (node === undefined) throw new Error('no server');
    const from = since === undefined ? '' : `&since=${encodeURIComponent(since)}`;
    const url = `${node.url}&access_token=${encodeURIComponent(token)}${from}`;
    return opened(node.agent, url, { authorization: `Bearer ${token}` }, this.timeoutMs);
  }
}
