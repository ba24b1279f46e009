import { type Client, NoAnswer } from '../clients/client.js';
import { type StatusJson, statusesIn } from '../clients/json.js';
import { pause } from '../clients/retry.js';
import type { Crowd } from '../crowd.js';
import { below, type Random } from '../random.js';
import type { ObservedPost } from './observer.js';
import type { SeenPosts } from './seen-posts.js';
import type { Visible } from './visible.js';

/** Posts watched at a time: few, because these requests come on top of the run's. */
const WATCHED_MAX = 2;
/** Interval of reads: short enough for exact results, long enough not to be a load. */
const LOOK_MS = 5;
/** Interval after a failed read: more requests do not help a server that limits or fails. */
const UNREAD_MS = 100;
const PAGE = 40;
/** Pages that one read follows a post that others push down; deeper posts are left to the check after the run. */
const PAGES_MAX = 5;

type Found = 'there' | 'not there' | 'deeper' | 'unread';

export interface Watching {
  readonly client: Client;
  readonly crowd: Crowd;
  readonly sightings: SeenPosts;
  readonly visible: Visible;
  readonly random: Random;
  /** Ends the watching; posts being watched then get no verdict. */
  readonly signal: AbortSignal;
}

/** Reads a follower's home until an acknowledged post appears; then watches the next post. */
export class HomeWatch {
  readonly #underWay = new Set<Promise<void>>();

  constructor(
    private readonly watching: Watching,
    private readonly lateMs: number,
  ) {}

  /** Starts to watch a post that was just acknowledged, if there is capacity. */
  posted(post: ObservedPost): void {
    const followers = this.watching.crowd.followersOf(post.author);
    if (this.#underWay.size >= WATCHED_MAX || followers.length === 0) return;
    const follower = followers[below(this.watching.random, followers.length)] ?? 0;
    const looking = this.#look(post, follower);
    this.#underWay.add(looking);
    void looking.finally(() => this.#underWay.delete(looking));
  }

  async settled(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  async #look(post: ObservedPost, follower: number): Promise<void> {
    const { crowd, visible, signal } = this.watching;
    const user = crowd.users[follower];
    if (user === undefined) return;
    const place = `home of ${user.username}`;
    let found: Found = 'unread';
    while (performance.now() - post.startedMs <= this.lateMs) {
      found = await this.#find(post, user.token);
      if (signal.aborted || found === 'deeper') return;
      if (found === 'there') return visible.seen('home', place, post, performance.now());
      await pause(found === 'unread' ? UNREAD_MS : LOOK_MS, signal);
    }
    // A home that cannot be read shows nothing late: the run itself counts that error.
    if (found === 'unread') return;
    visible.late(place, post, `not seen within ${this.lateMs} ms`);
  }

  /** Searches below the posts that may be above this one. `deeper`: the pages of one read contained only such posts. */
  async #find(post: ObservedPost, token: string): Promise<Found> {
    let before: string | undefined;
    for (let page = 0; page < PAGES_MAX; page++) {
      const statuses = await this.#page(token, before);
      if (statuses === undefined) return 'unread';
      const last = statuses.at(-1);
      if (last === undefined || last.id === before) return 'not there';
      const seen = this.watching.sightings.in(statuses);
      if (seen.some((one) => one.post === post)) return 'there';
      const oldest = seen.at(-1)?.post;
      // Posts that were answered before this one was sent are below it; concurrent ones may be.
      const mayBeBelow = oldest !== undefined && (oldest.acknowledgedMs ?? post.startedMs) >= post.startedMs;
      if (!mayBeBelow) return 'not there';
      before = last.id;
    }
    return 'deeper';
  }

  async #page(token: string, before: string | undefined): Promise<readonly StatusJson[] | undefined> {
    const older = before === undefined ? '' : `&max_id=${encodeURIComponent(before)}`;
    const ask = { method: 'GET', path: `/api/v1/timelines/home?limit=${PAGE}${older}`, token } as const;
    try {
      const { status, text } = await this.watching.client.ask(ask);
      return status === 200 ? statusesIn(text) : undefined;
    } catch (error) {
      if (error instanceof NoAnswer) return undefined;
      throw error;
    }
  }
}
