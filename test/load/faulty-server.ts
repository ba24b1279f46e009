import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type WebSocket, WebSocketServer } from 'ws';

/** Faults of this server; none by default. `each`: every how many posts (or requests). */
export interface Faults {
  /** Acknowledged but not stored. */
  readonly loseEach?: number;
  /** In the author's own statuses, but in no home. */
  readonly loseInHomesEach?: number;
  /** Stored a second time under another id. */
  readonly repeatEach?: number;
  readonly repeatInStreamsEach?: number;
  /** Placed below posts that were answered long before. */
  readonly misplaceEach?: number;
  /** Streamed after the author's next five posts. */
  readonly misplaceInStreamsEach?: number;
  /** Delay until homes show a post. */
  readonly homeDelayMs?: number;
  readonly streamDelayMs?: number;
  /** Streams can be resumed, and then send the newest post again. */
  readonly repeatsAfterResumes?: boolean;
  /** After a follow, the stream sends the newest posts of the followed account, newest first. */
  readonly catchesUpAfterFollows?: boolean;
  readonly breakStreamsAfterMs?: number;
  /** Homes: 503 with Retry-After. */
  readonly shedEach?: number;
  /** Homes: 500. */
  readonly failEach?: number;
  /** Duration of an answer to a home request. */
  readonly homeMs?: number;
  /** Redirect target of homes. */
  readonly redirectTo?: string;
  /** Prefix of accounts' names. */
  readonly names?: string;
  /** Sign-up requires a confirmation. */
  readonly closed?: boolean;
}

interface Account {
  readonly id: string;
  readonly username: string;
  readonly follows: Set<string>;
}

interface Post {
  readonly id: string;
  readonly author: string;
  readonly content: string;
  readonly created_at: string;
  readonly atMs: number;
  readonly inHomes: boolean;
}

/** Status, JSON, headers. */
type Answer = readonly [number, unknown, Record<string, string>?];

const each = (every: number | undefined, count: number) => every !== undefined && count % every === 0;

/** A small in-memory server with Mastodon's API, for checking that the load generator finds its faults. */
export class FaultyServer {
  readonly accounts = new Map<string, Account>();
  requests = 0;
  readonly #server: Server;
  readonly #streams = new Map<WebSocket, Account>();
  readonly #held: (() => void)[] = [];
  /** Newest first, like timelines. */
  #posts: Post[] = [];
  #nextId = 100_000;
  #posted = 0;
  #homesRead = 0;

  private constructor(private readonly faults: Faults) {
    this.#server = createServer((request, response) => void this.#serve(request, response));
    const sockets = new WebSocketServer({ server: this.#server, path: '/api/v1/streaming' });
    sockets.on('connection', (socket, request) => {
      const account = this.accounts.get(tokenOf(request));
      if (account === undefined) return socket.close();
      this.#streams.set(socket, account);
      socket.on('close', () => this.#streams.delete(socket));
      const { breakStreamsAfterMs, repeatsAfterResumes } = this.faults;
      const newest = this.#posts.find(({ author }) => account.follows.has(author));
      if (repeatsAfterResumes && request.url?.includes('since=') && newest) this.#stream(newest, 1, account);
      if (breakStreamsAfterMs !== undefined) setTimeout(() => socket.close(), breakStreamsAfterMs);
    });
  }

  /** Listens on a free loopback port, with accounts whose tokens are `token-0` and so on. */
  static async start(accounts: number, faults: Faults = {}): Promise<FaultyServer> {
    const started = new FaultyServer(faults);
    for (let index = 0; index < accounts; index++)
      started.#account(`token-${index}`, `${faults.names ?? 'user'}${index}`);
    await new Promise<void>((resolve) => started.#server.listen(0, '127.0.0.1', resolve));
    return started;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The contents of a users' file. */
  get lines(): string {
    return [...this.accounts].map(([token, { id }]) => JSON.stringify({ id, token })).join('\n');
  }

  stop(): void {
    for (const socket of this.#streams.keys()) socket.terminate();
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #account(token: string, username: string): void {
    this.accounts.set(token, { id: String(this.#nextId++), username, follows: new Set() });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requests += 1;
    let body = '';
    for await (const chunk of request) body += chunk;
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://here');
    const answer = (status: number, json: unknown, headers: Record<string, string> = {}) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(json));
    };
    const token = tokenOf(request);
    if (pathname === '/api/v1/apps') return answer(200, { client_id: 'id', client_secret: 'secret' });
    if (pathname === '/oauth/token') return answer(200, { access_token: 'app' });
    if (pathname === '/api/v1/accounts' && token === 'app') {
      if (this.faults.closed) return answer(403, { error: 'closed' });
      const { username } = JSON.parse(body) as { username: string };
      this.#account(`token of ${username}`.replaceAll(' ', '-'), username);
      return answer(200, { access_token: `token-of-${username}` });
    }
    const account = this.accounts.get(token);
    if (account === undefined) return answer(401, { error: 'who?' });
    if (pathname === '/api/v1/accounts/verify_credentials') {
      return answer(200, { id: account.id, username: account.username });
    }
    const [, verb] = /^\/api\/v1\/accounts\/\w+\/(follow|unfollow)$/.exec(pathname) ?? [];
    const subject = pathname.split('/')[4] ?? '';
    if (verb !== undefined) {
      if (verb === 'follow') this.#follow(account, subject);
      else account.follows.delete(subject);
      return answer(200, { id: subject, following: verb === 'follow' });
    }
    if (pathname === '/api/v1/statuses') return answer(200, this.#post(account, JSON.parse(body)));
    if (/^\/api\/v1\/statuses\/\w+/.test(pathname)) return answer(200, { id: subject });
    if (pathname === '/api/v1/notifications') return answer(200, []);
    if (pathname === '/api/v1/timelines/home') {
      const { homeMs } = this.faults;
      if (homeMs !== undefined) await sleep(homeMs);
      return answer(...this.#home(account, searchParams));
    }
    const own = pathname.startsWith('/api/v1/accounts/') ? subject : undefined;
    answer(
      200,
      page(own === undefined ? this.#posts : this.#posts.filter(({ author }) => author === own), searchParams),
    );
  }

  #follow(account: Account, author: string): void {
    if (this.faults.catchesUpAfterFollows && !account.follows.has(author)) {
      // Newer ones may not have been sent to other streams yet.
      const untilMs = performance.now() - 50;
      const missed = this.#posts.filter((post) => post.author === author && post.atMs < untilMs).slice(0, 5);
      for (const post of missed) this.#stream(post, 1, account);
    }
    account.follows.add(author);
  }

  #home(account: Account, query: URLSearchParams): Answer {
    const { faults } = this;
    this.#homesRead += 1;
    if (faults.redirectTo !== undefined) return [302, {}, { location: faults.redirectTo }];
    if (each(faults.shedEach, this.#homesRead)) return [503, {}, { 'retry-after': '0' }];
    if (each(faults.failEach, this.#homesRead)) return [500, { error: 'oh' }];
    const untilMs = performance.now() - (faults.homeDelayMs ?? 0);
    const mine = ({ author }: Post) => author === account.id || account.follows.has(author);
    return [
      200,
      page(
        this.#posts.filter((post) => post.inHomes && post.atMs <= untilMs && mine(post)),
        query,
      ),
    ];
  }

  #post(account: Account, { status }: { status: string }): Post {
    const { faults } = this;
    // The posts before the run have no faults.
    const count = status.includes('first post') ? 1 : ++this.#posted + 1;
    const stored = (): Post => ({
      id: String(this.#nextId++),
      author: account.id,
      content: `<p>${status}</p>`,
      created_at: new Date().toISOString(),
      atMs: performance.now(),
      inHomes: !each(faults.loseInHomesEach, count),
    });
    const post = stored();
    if (each(faults.loseEach, count)) return post;
    const below = each(faults.misplaceEach, count) ? 30 : 0;
    this.#posts.splice(below, 0, post);
    if (each(faults.repeatEach, count)) this.#posts.unshift(stored());
    const send = () => this.#stream(post, each(faults.repeatInStreamsEach, count) ? 2 : 1);
    if (each(faults.misplaceInStreamsEach, count)) this.#held.push(send);
    else {
      setTimeout(send, faults.streamDelayMs ?? 0);
      if (count % 5 === 0) for (const late of this.#held.splice(0)) setTimeout(late, 1);
    }
    return post;
  }

  #stream(post: Post, times: number, only?: Account): void {
    const position = this.faults.repeatsAfterResumes ? { event_id: post.id } : {};
    const message = JSON.stringify({
      stream: ['user'],
      event: 'update',
      payload: JSON.stringify(post),
      ...position,
    });
    for (const [socket, viewer] of this.#streams) {
      if (only === undefined ? !viewer.follows.has(post.author) : viewer !== only) continue;
      for (let sent = 0; sent < times; sent++) socket.send(message);
    }
  }
}

function tokenOf({ headers }: IncomingMessage): string {
  return (headers.authorization ?? '').replace('Bearer ', '');
}

/** Pages by position in the list: ids do not show the position of a misplaced post. */
function page(posts: readonly Post[], query: URLSearchParams): Post[] {
  const from = posts.findIndex(({ id }) => id === query.get('max_id')) + 1;
  return posts.slice(from, from + Number(query.get('limit') ?? 20));
}
