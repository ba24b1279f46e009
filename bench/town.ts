import assert from 'node:assert/strict';
import { operatorClient } from '../cli/operator-socket.js';
import type { ServerProcess } from '../test/kit/services/server-process.js';
import { createAccounts, type Made } from './accounts.js';
import { type Call, drive, type Target } from './http-load.js';
import { startServer } from './measured-server.js';

/** The fields of a status by which answers are judged. */
export interface Status {
  readonly id: string;
  readonly uri: string;
  readonly content: string;
  readonly visibility: string;
  readonly favourited: boolean;
  readonly favourites_count: number;
  readonly reblogs_count: number;
  readonly account: { readonly id: string };
  readonly reblog: Status | null;
}

/**
 * Timeout of settling: effects of some thousand writes on a busy machine, and the idle seconds before an actor is
 * passivated.
 */
const SETTLE_MS_MAX = 120_000;
/** Interval of status requests, each of which costs the measured server a third of a millisecond. */
const SETTLE_PROBE_MS = 250;
const SET_UP_IN_FLIGHT = 32;
const HOME_PAGE = 40;
const HOME_PAGES_MAX = 2_000;

/** Authors with the same followers on running servers, and all their posts, for judging homes. */
export class Town {
  /** Ids of posts, by author. */
  private readonly posted = new Map<string, string[]>();

  private constructor(
    readonly target: Target,
    readonly authors: readonly Made[],
    readonly followers: readonly Made[],
    private readonly end: () => Promise<void>,
    readonly moderators: readonly Made[] = [],
  ) {}

  /** Opens one server with everything durable, embedded unless these settings say otherwise; nobody follows yet. */
  static async open(
    authors: number,
    followers: number,
    { moderators = 0, settings = {} }: { moderators?: number; settings?: Readonly<Record<string, string>> } = {},
  ): Promise<Town> {
    const server = await startServer(settings);
    try {
      const people = await createAccounts(server, authors + followers);
      const staff = moderators === 0 ? [] : await createAccounts(server, moderators, 'moderator', 'admin');
      return Town.onServer(server, people, authors, staff);
    } catch (error) {
      await server.dispose();
      throw error;
    }
  }

  /** Measures a running server. The first people are the authors. A restarted server has another process: a new town. */
  static onServer(
    server: ServerProcess,
    people: readonly Made[],
    authors: number,
    moderators: readonly Made[] = [],
  ): Town {
    const target = {
      urls: [server.url],
      pids: [server.pid],
      settled: (timeoutMs?: number) => settled([server.dataDir], timeoutMs),
    };
    return new Town(target, people.slice(0, authors), people.slice(authors), () => server.dispose(), moderators);
  }

  static on(target: Target, people: readonly Made[], authors: number, end: () => Promise<void>): Town {
    return new Town(target, people.slice(0, authors), people.slice(authors), end);
  }

  dispose(): Promise<void> {
    return this.end();
  }

  get follows(): number {
    return this.authors.length * this.followers.length;
  }

  /** Returns the nth of all follows, each once. */
  follow(index: number): Call {
    const author = at(this.authors, Math.floor(index / this.followers.length));
    return write(at(this.followers, index), `/api/v1/accounts/${author.id}/follow`, {}, (answer) => answer.following);
  }

  async followAll(): Promise<void> {
    await this.each('follow', this.follows, (index) => this.follow(index));
  }

  /** Posts publicly; remembers the id. */
  post(author: Made, text: string): Call {
    return write(author, '/api/v1/statuses', { status: text }, (answer: Status) => {
      if (answer.account.id !== author.id || answer.content !== `<p>${text}</p>`) return false;
      this.keep(author, answer.id);
      return answer.visibility === 'public';
    });
  }

  keep(author: Made, id: string): void {
    const ids = this.posted.get(author.id);
    if (ids === undefined) this.posted.set(author.id, [id]);
    else ids.push(id);
  }

  /** Returns the author of a post. */
  authorOf(id: string): Made | undefined {
    const [author] = [...this.posted].find(([, ids]) => ids.includes(id)) ?? [];
    return this.authors.find((one) => one.id === author);
  }

  /** All ids of all authors, newest first. */
  get newest(): string[] {
    return [...this.posted.values()].flat().sort().reverse();
  }

  /** Makes unmeasured calls, 32 in flight. */
  async each(name: string, count: number, call: (index: number) => Call): Promise<void> {
    await drive(this.target, { name, inFlight: SET_UP_IN_FLIGHT, call }, 0, count);
  }

  /** Makes one call. @throws when its answer is wrong */
  async call<T>(call: Call): Promise<T> {
    let got: unknown;
    const right = (answer: unknown) => {
      got = answer;
      return call.right(answer);
    };
    await drive(this.target, { name: 'call', inFlight: 1, call: () => ({ ...call, right }) }, 0, 1);
    return got as T;
  }

  /** Checks the homes of viewers who follow all authors, as `assertHome` does. @throws AssertionError */
  async assertHomes(viewers: readonly Made[]): Promise<void> {
    for (const viewer of viewers) await this.assertHome(viewer, this.authors);
  }

  /**
   * Checks that the viewer's home, read to its end, contains every post of the authors, each once, newest first, and
   * nothing else.
   * @throws AssertionError
   */
  async assertHome(viewer: Made, heard: readonly Made[]): Promise<void> {
    const expected = heard.flatMap(({ id }) => this.posted.get(id) ?? []);
    const found = (await this.home(viewer)).map(({ id }) => id);
    assert.deepEqual(found, expected.sort().reverse(), `the home of ${viewer.username}`);
  }

  /** Reads the viewer's home to its end; returns its statuses, newest first. */
  async home(viewer: Made): Promise<Status[]> {
    const found: Status[] = [];
    for (let page = 0; page < HOME_PAGES_MAX; page++) {
      const last = found.at(-1)?.id;
      const from = last === undefined ? '' : `&max_id=${last}`;
      const path = `/api/v1/timelines/home?limit=${HOME_PAGE}${from}`;
      const statuses = await this.call<Status[]>(get(path, viewer, Array.isArray));
      if (statuses.length === 0) break;
      found.push(...statuses);
    }
    return found;
  }
}

/** Resolves when the nodes with these data folders have no unfinished effects, and their stores know it. */
export async function settled(dataDirs: readonly string[], timeoutMs = SETTLE_MS_MAX): Promise<void> {
  const deadlineMs = performance.now() + timeoutMs;
  for (const dataDir of dataDirs) {
    const ask = operatorClient(dataDir);
    while (((await ask('status', {})) as { unsettled: number }).unsettled > 0) {
      if (performance.now() > deadlineMs) throw new Error(`effects are still unfinished after ${timeoutMs} ms`);
      await new Promise((resolve) => setTimeout(resolve, SETTLE_PROBE_MS));
    }
  }
}

export function at<T>(list: readonly T[], index: number): T {
  return list[index % list.length] as T;
}

export const get = (path: string, { token }: Made, right: Call['right']): Call => ({
  method: 'GET',
  path,
  token,
  right,
});

export const write = ({ token }: Made, path: string, body: object, right: Call['right']): Call => ({
  method: 'POST',
  path,
  token,
  body,
  right,
});
