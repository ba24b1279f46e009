import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, NoAnswer } from './client.js';
import type { Crowd } from './crowd.js';
import { below, type Random } from './random.js';
import type { Sightings, StatusJson } from './sightings.js';
import type { Visible } from './visible.js';
import type { Witnessed } from './witness.js';

/** Posts looked for at a time: these requests come on top of the run's, so there are few. */
const WATCHED_MAX = 2;
/** Between two looks: as exact as what is found, without being a load. */
const LOOK_MS = 5;
/** As far as one look reaches; a post that others have pushed further down is not waited for. */
const PAGE = 40;

export interface Watching {
  readonly client: Client;
  readonly crowd: Crowd;
  readonly sightings: Sightings;
  readonly visible: Visible;
  readonly random: Random;
}

/** Looks into a follower's home until an acknowledged post is there; takes the next post when it has time again. */
export class HomeWatch {
  readonly #underWay = new Set<Promise<void>>();

  constructor(
    private readonly watching: Watching,
    private readonly lateMs: number,
  ) {}

  /** A post that was just acknowledged. */
  posted(post: Witnessed): void {
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

  async #look(post: Witnessed, follower: number): Promise<void> {
    const { client, crowd, visible } = this.watching;
    const user = crowd.users[follower];
    if (user === undefined) return;
    const place = `home of ${user.username}`;
    while (performance.now() - post.startedMs <= this.lateMs) {
      const path = `/api/v1/timelines/home?limit=${PAGE}`;
      const answer = await client.ask({ method: 'GET', path, token: user.token }).catch((error: unknown) => {
        if (error instanceof NoAnswer) return undefined;
        throw error;
      });
      const seen = answer?.status === 200 ? this.watching.sightings.in(JSON.parse(answer.text) as StatusJson[]) : [];
      if (seen.some((one) => one.post === post)) return visible.seen('home', place, post, performance.now());
      // It may be below the page; the look after the run finds out.
      if (seen.length >= PAGE && seen.every((one) => one.post.startedMs > post.startedMs)) return;
      await sleep(LOOK_MS);
    }
    visible.late(place, post, `not seen within ${this.lateMs} ms`);
  }
}
