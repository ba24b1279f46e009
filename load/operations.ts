import { type Answer, type Client, NoAnswer } from './clients/client.js';
import { statusIn } from './clients/json.js';
import type { Streaming } from './clients/streaming.js';
import type { Crowd } from './crowd.js';
import type { ObservedPost, Observer } from './judging/observer.js';
import type { Outcome } from './judging/recorder.js';
import type { SeenPosts } from './judging/seen-posts.js';
import type { RemotePeers } from './peers/remote-peers.js';
import type { OperationName } from './plan.js';
import { below, type Random } from './random.js';

/** Number of newest statuses from which favourites and single reads choose, as users mostly look at new ones. */
const STATUSES_MAX = 2_000;
/** The default page size of clients. */
const PAGE = 20;
/** One page in this many is parsed and judged; parsing each would make the generator the bottleneck. */
const JUDGED_EACH = 10;

/** Statuses that change at the same time. Each rests meanwhile, so that its activities are sent one by one. */
const CHANGING_MAX = 20;
/** Edits of a status before its deletion. */
const EDITS = 2;

/** A status that is edited, and then deleted. Nobody looks for it in a timeline. */
interface Changing {
  readonly id: string;
  readonly token: string;
  edits: number;
}

export interface Stage {
  readonly client: Client;
  readonly crowd: Crowd;
  readonly witness: Observer;
  readonly sightings: SeenPosts;
  readonly streaming: Streaming;
  readonly peers: RemotePeers;
  readonly random: Random;
  /** Receives each acknowledged post. */
  readonly posted: (post: ObservedPost) => void;
}

/** Sends the requests of each operation and checks the answers. */
export class Operations {
  readonly #statuses: { readonly id: string; favourites: number }[] = [];
  #oldest = 0;
  readonly #changing: Changing[] = [];
  #posting = 0;
  #follows = 0;
  #pages = 0;

  constructor(private readonly stage: Stage) {}

  /** Runs an operation; never rejects. @returns its outcome, and the pause that the server requests */
  async run(operation: OperationName): Promise<{ readonly outcome: Outcome; readonly retryAfterMs: number }> {
    try {
      const answer = await this.#begin(operation);
      return { outcome: outcomeOf(answer), retryAfterMs: answer.retryAfterMs ?? 0 };
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      return { outcome: { kind: 'error', label: error.message }, retryAfterMs: 0 };
    }
  }

  /** Adds a status that later requests may read and favourite. */
  know(id: string): void {
    const status = { id, favourites: 0 };
    if (this.#statuses.length < STATUSES_MAX) this.#statuses.push(status);
    else this.#statuses[this.#oldest++ % STATUSES_MAX] = status;
  }

  #begin(operation: OperationName): Promise<Answer> {
    switch (operation) {
      case 'post':
        return this.#post();
      case 'edit':
        return this.#edit();
      case 'home':
        return this.#page(`/api/v1/timelines/home?limit=${PAGE}`, 'home');
      case 'public':
        return this.#page(`/api/v1/timelines/public?local=true&limit=${PAGE}`, 'public timeline');
      case 'status':
        return this.#status();
      case 'notifications':
        return this.#page(`/api/v1/notifications?limit=${PAGE}`, undefined);
      case 'favourite':
        return this.#favourite();
      case 'follow':
        return this.#follow();
      case 'stream':
        return this.stage.streaming.visit(this.#someone().token);
      case 'remote':
        return this.stage.peers.post();
      case 'deletion':
        return this.stage.peers.deletion();
    }
  }

  async #post(): Promise<Answer> {
    const { client, crowd, witness, random } = this.stage;
    const author = below(random, crowd.authors);
    const post = witness.begin(author, performance.now());
    const marker = post?.marker ?? `${witness.run} and not looked for`;
    const answer = await client.ask({
      method: 'POST',
      path: '/api/v1/statuses',
      token: this.#token(author),
      body: { status: `A post of a load test, number ${marker}.`, visibility: 'public' },
      ...(post === undefined ? {} : { idempotencyKey: marker }),
    });
    if (answer.status !== 200) return answer;
    const acknowledgedMs = performance.now();
    const { id, content } = statusIn(answer.text);
    if (!content.includes(marker)) throw new NoAnswer('another status');
    this.know(id);
    if (post !== undefined) {
      post.acknowledgedMs = acknowledgedMs;
      post.id = id;
      this.stage.posted(post);
    }
    return answer;
  }

  /** Posts a status, or edits the one that has rested longest, or deletes it after its last edit. */
  async #edit(): Promise<Answer> {
    const { client, crowd, witness, random } = this.stage;
    const body = (edits: number) => ({ status: `A status of load test ${witness.run} that changes, ${edits}.` });
    if (this.#changing.length + this.#posting < CHANGING_MAX) {
      const token = this.#token(below(random, crowd.authors));
      this.#posting += 1;
      try {
        const answer = await client.ask({ method: 'POST', path: '/api/v1/statuses', token, body: body(0) });
        if (answer.status === 200) this.#changing.push({ id: statusIn(answer.text).id, token, edits: 0 });
        return answer;
      } finally {
        this.#posting -= 1;
      }
    }
    const changing = this.#changing.shift();
    if (changing === undefined) throw new NoAnswer('all statuses are being changed');
    const { id, token } = changing;
    const path = `/api/v1/statuses/${id}`;
    if (changing.edits >= EDITS) return about(id, client.ask({ method: 'DELETE', path, token }));
    changing.edits += 1;
    const answer = await about(id, client.ask({ method: 'PUT', path, token, body: body(changing.edits) }));
    if (answer.status === 200) this.#changing.push(changing);
    return answer;
  }

  async #page(path: string, judgedAs: string | undefined): Promise<Answer> {
    const user = this.#someone();
    const answer = await this.stage.client.ask({ method: 'GET', path, token: user.token });
    if (answer.status === 200) {
      if (!answer.text.startsWith('[') || !answer.text.trimEnd().endsWith(']')) throw new NoAnswer('no list');
      const judged = judgedAs !== undefined && this.#pages++ % JUDGED_EACH === 0;
      const place = judgedAs === 'home' ? `home of ${user.username}` : judgedAs;
      if (judged && place !== undefined) this.stage.sightings.judgePage(place, answer.text);
    }
    return answer;
  }

  async #status(): Promise<Answer> {
    const status = this.#statuses[below(this.stage.random, this.#statuses.length)];
    if (status === undefined) throw new NoAnswer('no status known');
    const { token } = this.#someone();
    return about(status.id, this.stage.client.ask({ method: 'GET', path: `/api/v1/statuses/${status.id}`, token }));
  }

  /**
   * Each user favourites a status before the first user removes the favourite, so that every request changes something.
   */
  async #favourite(): Promise<Answer> {
    const { client, crowd, random } = this.stage;
    const status = this.#statuses[below(random, this.#statuses.length)];
    if (status === undefined) throw new NoAnswer('no status known');
    const step = status.favourites++;
    const on = Math.floor(step / crowd.users.length) % 2 === 0;
    const path = `/api/v1/statuses/${status.id}/${on ? 'favourite' : 'unfavourite'}`;
    return about(status.id, client.ask({ method: 'POST', path, token: this.#token(step % crowd.users.length) }));
  }

  async #follow(): Promise<Answer> {
    const { client, crowd } = this.stage;
    const follow = crowd.looseFollow(this.#follows++);
    if (follow === undefined) throw new NoAnswer('nobody to follow');
    const target = crowd.users[follow.author]?.id ?? '';
    const path = `/api/v1/accounts/${target}/${follow.on ? 'follow' : 'unfollow'}`;
    return about(target, client.ask({ method: 'POST', path, token: this.#token(follow.follower) }));
  }

  #someone() {
    const { crowd, random } = this.stage;
    const user = crowd.users[below(random, crowd.users.length)];
    if (user === undefined) throw new Error('no users');
    return user;
  }

  #token(user: number): string {
    return this.stage.crowd.users[user]?.token ?? '';
  }
}

/** Checks that a good answer is an object that names the requested item. */
async function about(id: string, asked: Promise<Answer>): Promise<Answer> {
  const answer = await asked;
  if (answer.status !== 200) return answer;
  if (!answer.text.startsWith('{')) throw new NoAnswer('no object');
  if (!answer.text.includes(id)) throw new NoAnswer('about something else');
  return answer;
}

function outcomeOf({ status, retryAfterMs }: Answer): Outcome {
  // A WebSocket's answer is 101, that to an activity 202.
  if (status === 200 || status === 101 || status === 202) return { kind: 'good' };
  if (status === 503 && retryAfterMs !== undefined) return { kind: 'shed' };
  return { kind: 'error', label: String(status) };
}
