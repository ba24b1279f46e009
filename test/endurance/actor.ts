import { setTimeout } from 'node:timers/promises';
import type { Person } from '../scenarios/cluster/people.js';
import type { Ledger } from './ledger.js';
import { textOf } from './ledger.js';
import { type Asked, ask, insist } from './requests.js';

/** Pause between two requests of one person: it limits what the judge has to read. */
const PACE_MS = 150;

type Random = () => number;

/** A person who posts, edits, deletes, favourites, follows and revokes tokens, one request at a time. */
export class Actor {
  private numbers = 0;

  constructor(
    private readonly urls: readonly string[],
    private readonly self: Person,
    private readonly others: readonly Person[],
    private readonly ledger: Ledger,
    private readonly random: Random,
  ) {}

  async run(stopped: () => boolean): Promise<void> {
    const deeds = [
      ...Array<() => Promise<void>>(25).fill(() => this.post()),
      ...Array<() => Promise<void>>(5).fill(() => this.edit()),
      ...Array<() => Promise<void>>(3).fill(() => this.remove()),
      ...Array<() => Promise<void>>(10).fill(() => this.favourite()),
      ...Array<() => Promise<void>>(6).fill(() => this.follow()),
      () => this.revoke(),
    ];
    while (!stopped()) {
      const deed = this.draw(deeds) as () => Promise<void>;
      await deed().catch((error: Error) => this.ledger.faults.push(error.message));
      await setTimeout(PACE_MS * 2 * this.random());
    }
  }

  private async post(): Promise<void> {
    const number = this.numbers++;
    const body = { status: textOf(this.self.id, number, 0) };
    const key = `${this.self.id} ${number}`;
    const answer = await this.acknowledged({ method: 'POST', path: '/api/v1/statuses', body, key });
    const { id } = JSON.parse(answer) as { id: string };
    const at = new Date().toISOString();
    this.ledger.posts.push({ author: this.self.id, number, id, at, version: 0, deleted: false });
  }

  private async edit(): Promise<void> {
    const post = this.draw(this.ledger.postsOf(this.self).filter(({ deleted }) => !deleted));
    if (post === undefined) return;
    const status = textOf(post.author, post.number, post.version + 1);
    await this.acknowledged({ method: 'PUT', path: `/api/v1/statuses/${post.id}`, body: { status } });
    post.version += 1;
    const shown = await this.look({ method: 'GET', path: `/api/v1/statuses/${post.id}` });
    if (shown?.status === 200 && !shown.body.includes(status)) this.fault(`shows ${post.id} as before its edit`);
    if (shown?.status === 404) this.fault(`does not find ${post.id} after its edit`);
  }

  private async remove(): Promise<void> {
    const post = this.draw(this.ledger.postsOf(this.self).filter(({ deleted }) => !deleted));
    if (post === undefined) return;
    await this.acknowledged({ method: 'DELETE', path: `/api/v1/statuses/${post.id}` }, 404);
    post.deleted = true;
    const shown = await this.look({ method: 'GET', path: `/api/v1/statuses/${post.id}` });
    if (shown?.status === 200) this.fault(`shows ${post.id}, which is deleted`);
  }

  /** Favourites a status. The status may be deleted meanwhile: then 404 is right, and the favourite does not count. */
  private async favourite(): Promise<void> {
    const post = this.draw(this.ledger.posts.filter(({ deleted, author }) => !deleted && author !== this.self.id));
    if (post === undefined) return;
    const mark = `${this.self.id} ${post.id}`;
    const verb = this.ledger.favourites.has(mark) ? 'unfavourite' : 'favourite';
    const path = `/api/v1/statuses/${post.id}/${verb}`;
    const answer = await insist(this.urls, this.anywhere(), { method: 'POST', path, token: this.self.token });
    if (answer.status === 404) return;
    this.count(answer, path);
    if (verb === 'favourite') this.ledger.favourites.add(mark);
    else this.ledger.favourites.delete(mark);
  }

  private async follow(): Promise<void> {
    const whom = this.draw(this.others) as Person;
    const edge = `${this.self.id} ${whom.id}`;
    const verb = this.ledger.follows.has(edge) ? 'unfollow' : 'follow';
    await this.acknowledged({ method: 'POST', path: `/api/v1/accounts/${whom.id}/${verb}` });
    if (verb === 'follow') this.ledger.follows.add(edge);
    else this.ledger.follows.delete(edge);
  }

  /** Gets tokens by password and revokes three of four. */
  private async revoke(): Promise<void> {
    const registered = { client_name: 'endurance', redirect_uris: 'urn:ietf:wg:oauth:2.0:oob', scopes: 'read' };
    const app = JSON.parse(await this.acknowledged({ method: 'POST', path: '/api/v1/apps', body: registered }));
    const client = { client_id: app.client_id, client_secret: app.client_secret };
    const grant = { grant_type: 'password', username: this.self.email, password: this.self.password, scope: 'read' };
    const body = { ...client, ...grant };
    const { access_token: token } = JSON.parse(
      await this.acknowledged({ method: 'POST', path: '/oauth/token', body }),
    ) as { access_token: string };
    if (this.random() < 0.25) {
      this.ledger.validTokens.push(token);
      return;
    }
    await this.acknowledged({ method: 'POST', path: '/oauth/revoke', body: { ...client, token } });
    this.ledger.revokedTokens.push(token);
    const shown = await this.look({ method: 'GET', path: '/api/v1/accounts/verify_credentials', token });
    if (shown?.status === 200) this.fault('accepts a revoked token');
  }

  /** Repeats the request until it is acknowledged; `done` also counts when an earlier attempt may have happened. */
  private async acknowledged(asked: Asked, done?: number): Promise<string> {
    const answer = await insist(this.urls, this.anywhere(), { token: this.self.token, ...asked });
    if (!(answer.repeated && answer.status === done)) this.count(answer, asked.path);
    else this.ledger.acknowledged += 1;
    return answer.body;
  }

  private count(answer: { readonly status: number; readonly body: string; readonly internal: number }, path: string) {
    if (answer.internal > 0) this.fault(`answered ${path} with an internal error`);
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.body.slice(0, 200)}`);
    this.ledger.acknowledged += 1;
  }

  private look(asked: Asked) {
    return ask(this.urls[this.anywhere()] as string, { token: this.self.token, ...asked });
  }

  private fault(text: string): void {
    this.ledger.faults.push(`${new Date().toISOString()} a node ${text}`);
  }

  private anywhere(): number {
    return Math.floor(this.random() * this.urls.length);
  }

  private draw<T>(choices: readonly T[]): T | undefined {
    return choices[Math.floor(this.random() * choices.length)];
  }
}
