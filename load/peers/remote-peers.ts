import { type Answer, type Client, NoAnswer } from '../clients/client.js';
import { inParallel } from '../clients/in-parallel.js';
import { objectIn } from '../clients/json.js';
import { type Patience, patienceFor, pause, retried } from '../clients/retry.js';
import type { Crowd } from '../crowd.js';
import { ObjectOrder } from '../judging/object-order.js';
import type { ObservedPost, Observer } from '../judging/observer.js';
import type { Findings } from '../judging/verdicts.js';
import type { Visible } from '../judging/visible.js';
import { kindsOf, type PeerCounts } from './kinds.js';
import { type Activity, PeerServer } from './peer-server.js';
import { newKeyPair } from './signing.js';

/** Peers that are introduced at a time. */
const AT_A_TIME = 8;
/** Users who follow each peer. */
const FOLLOWERS = 3;
/** Interval of checks whether a follow was accepted. */
const ACCEPTED_EACH_MS = 50;
/** One request in this many repeats the previous activity, which must have no second effect. */
const REPEATED_EACH = 10;

interface Observing {
  readonly crowd: Crowd;
  readonly witness: Observer;
  readonly visible: Visible;
  readonly findings: Findings;
  /** Receives each post of a peer that the server has acknowledged. */
  readonly posted: (post: ObservedPost) => void;
}

/** A peer during the run. */
interface Remote {
  readonly server: PeerServer;
  readonly place: string;
  /** Number of its actor among the authors. */
  readonly author: number;
  /** Authors whom it follows. */
  readonly followees: readonly number[];
  /** Id of the accepted Create, by number of the post. */
  readonly seen: Map<number, string>;
  readonly order: ObjectOrder;
  last: Activity | undefined;
}

/** Synthetic servers on loopback that sign: they follow users, receive their posts, and post to users who follow them. */
export class RemotePeers {
  readonly #remotes: Remote[] = [];
  readonly #byServer = new Map<PeerServer, Remote>();
  /** Objects of Accepts, by id of the Follow. */
  readonly #accepted = new Set<string>();
  #inbox = new URL('http://127.0.0.1/inbox');
  #sinceMs = Number.POSITIVE_INFINITY;
  #turn = 0;

  /** @param client for the run; @param preparing for requests before it */
  constructor(
    private readonly client: Client,
    private readonly preparing: Client,
    private readonly observing: Observing,
  ) {}

  get count(): number {
    return this.#remotes.length;
  }

  /** Opens the peers, and makes them and users follow each other. @throws NoAnswer */
  async introduce(counts: PeerCounts, signal: AbortSignal): Promise<void> {
    const kinds = kindsOf(counts);
    if (kinds.length === 0) return;
    const { crowd } = this.observing;
    const key = await newKeyPair();
    const patience = patienceFor(signal);
    const addresses = await this.#addresses(patience);
    await inParallel(kinds, AT_A_TIME, async (kind, index) => {
      const scheme = index % 2 === 0 ? 'cavage' : 'rfc9421';
      const server = await PeerServer.open(kind, scheme, key, (peer, activity) => this.#take(peer, activity));
      const followers = numbers(FOLLOWERS, index, crowd.users.length);
      const remote: Remote = {
        ...{ server, place: `peer ${index} (${kind})`, author: crowd.addRemote(followers) },
        ...{
          followees: numbers(crowd.followeesOf(0).length || 1, index, crowd.authors),
          seen: new Map(),
          order: new ObjectOrder(`peer ${index} (${kind})`, this.observing.findings),
          last: undefined,
        },
      };
      this.#remotes.push(remote);
      this.#byServer.set(server, remote);
      for (const author of remote.followees) await this.#follow(server, addresses[author] ?? '', patience());
      for (const follower of followers) await this.#followed(follower, server, patience());
    });
    await Promise.all(this.#remotes.map(({ server }) => server.behave()));
    this.#sinceMs = performance.now();
  }

  /** Sends a Note of the next peer, or its previous one again. @throws NoAnswer */
  async post(): Promise<Answer> {
    const { witness, posted } = this.observing;
    const remote = this.#next();
    if (remote.last !== undefined && this.#turn % REPEATED_EACH === 0) return this.#send(remote.server, remote.last);
    const post = witness.begin(remote.author, performance.now());
    const activity = remote.server.create(`A post of a load test, number ${post?.marker ?? witness.run}.`);
    const answer = await this.#send(remote.server, activity);
    if (answer.status !== 202) return answer;
    remote.last = activity;
    if (post !== undefined) {
      post.acknowledgedMs = performance.now();
      post.id = String(activity.id);
      posted(post);
    }
    return answer;
  }

  /** Sends the Delete of an actor that the server has never seen, as servers do for each account that ends. */
  async deletion(): Promise<Answer> {
    const { server } = this.#next();
    const actor = `${server.actor}${this.#turn}`;
    return this.#send(server, server.activity('Delete', actor, { actor }));
  }

  /** True when each acknowledged post has reached each peer that follows its author and answers. */
  get complete(): boolean {
    return this.#remotes.every((remote) => this.#missing(remote).next().done === true);
  }

  /** Counts posts that have not arrived by now as lost. */
  judge(): void {
    for (const remote of this.#remotes) {
      for (const { marker, id } of this.#missing(remote)) {
        const detail = `was acknowledged as ${id}, and was never delivered`;
        this.observing.findings.add({ verdict: 'lost', place: remote.place, post: marker, detail });
      }
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#remotes.map(({ server }) => server.close()));
  }

  #next(): Remote {
    const alive = this.#remotes.filter(({ server }) => server.kind !== 'dead');
    const remote = alive[this.#turn++ % alive.length];
    if (remote === undefined) throw new Error('no peers');
    return remote;
  }

  /** Returns the addresses of the authors' actors, and notes the inbox beside them. */
  async #addresses(patience: () => Patience): Promise<string[]> {
    const { crowd } = this.observing;
    const authors = crowd.users.slice(0, crowd.authors);
    const addresses = await inParallel(authors, AT_A_TIME, async ({ id, token }) => {
      const { text } = await retried(
        this.preparing,
        { method: 'GET', path: `/api/v1/accounts/${id}`, token },
        patience(),
      );
      const { uri } = objectIn(text);
      if (typeof uri !== 'string' || !URL.canParse(uri)) throw new NoAnswer('an account without an address: no peers');
      return uri;
    });
    this.#inbox = new URL('/inbox', addresses[0]);
    return addresses;
  }

  /** Makes the peer's actor follow a user, and waits for the Accept. */
  async #follow(server: PeerServer, uri: string, patience: Patience): Promise<void> {
    const activity = server.activity('Follow', uri);
    const { status } = await this.#send(server, activity, this.preparing);
    if (status !== 202) throw new NoAnswer(`a signed Follow was answered with ${status}; ${ADVICE}`);
    await this.#until('no Accept came', patience, async () => this.#accepted.has(String(activity.id)));
  }

  /** Makes a user follow the peer's actor, and waits until it is accepted. */
  async #followed(user: number, server: PeerServer, patience: Patience): Promise<void> {
    const token = this.observing.crowd.users[user]?.token ?? '';
    const asked = async (method: 'GET' | 'POST', path: string) =>
      (await retried(this.preparing, { method, path, token }, patience)).text;
    const query = `q=${encodeURIComponent(server.handle)}&type=accounts&resolve=true&limit=1`;
    const { accounts } = objectIn(await asked('GET', `/api/v2/search?${query}`)) as { accounts?: { id?: unknown }[] };
    const id = accounts?.[0]?.id;
    if (typeof id !== 'string') throw new NoAnswer(`a peer was not found; ${ADVICE}`);
    await asked('POST', `/api/v1/accounts/${id}/follow`);
    await this.#until('a follow was not accepted', patience, async () =>
      /"following":\s*true/.test(await asked('GET', `/api/v1/accounts/relationships?id[]=${id}`)),
    );
  }

  async #until(failure: string, { untilMs, signal }: Patience, isTrue: () => Promise<boolean>): Promise<void> {
    while (!(await isTrue())) {
      if (signal.aborted || performance.now() > untilMs) throw new NoAnswer(`${failure}; ${ADVICE}`);
      await pause(ACCEPTED_EACH_MS, signal);
    }
  }

  async #send(server: PeerServer, activity: Activity, client = this.client): Promise<Answer> {
    return client.ask({
      method: 'POST',
      path: this.#inbox.pathname,
      signed: await server.signed(this.#inbox, activity),
    });
  }

  #take(server: PeerServer, activity: Activity): void {
    const { type, object } = activity;
    this.#byServer.get(server)?.order.see({ id: String(activity.id), type: String(type), object });
    if (type === 'Accept') this.#accepted.add(typeof object === 'string' ? object : String((object as Activity)?.id));
    else if (type === 'Create') this.#see(this.#byServer.get(server), String(activity.id), object as Activity);
    else if (type === 'Follow') {
      // The server repeats a Follow whose Accept is lost, as it does with other servers.
      void this.#send(server, server.activity('Accept', activity), this.preparing).catch(() => undefined);
    }
  }

  /** The same activity may come again after an answer that was lost; another one with the same post may not. */
  #see(remote: Remote | undefined, id: string, object: Activity): void {
    const nowMs = performance.now();
    const { witness, findings, visible } = this.observing;
    const post = witness.find(String(object?.content));
    if (remote === undefined || post === undefined) return;
    const { seen, place, server } = remote;
    const before = seen.get(post.number);
    if (before === undefined) {
      seen.set(post.number, id);
      if (server.kind === 'fast') visible.seen('peer', place, post, nowMs);
    } else if (before !== id) {
      findings.add({ verdict: 'repeated', place, post: post.marker, detail: `came as ${before} and as ${id}` });
    }
  }

  *#missing({ server, followees, seen }: Remote): Generator<ObservedPost> {
    if (server.kind === 'dead') return;
    for (const author of followees) {
      for (const post of this.observing.witness.postsOf(author)) {
        const due = post.acknowledgedMs !== undefined && post.startedMs >= this.#sinceMs;
        if (due && !seen.has(post.number)) yield post;
      }
    }
  }
}

const ADVICE = 'the server must accept http addresses on loopback from other servers';

/** Returns consecutive numbers from a first one on, around at `below`, each once. */
const numbers = (count: number, first: number, below: number): number[] =>
  Array.from({ length: Math.min(count, below) }, (_, step) => (first + step) % below);
