import { call } from '../cluster/people.js';
import type { Cast, Requests } from './fitting-request.js';

/** Number of lists that wait to be used: an account has at most 50, and the tests themselves create some. */
const LISTS_KEPT_MAX = 20;

/** Fitting requests for lists. */
export class ListRequests {
  private made = 0;
  private readonly lists: string[] = [];

  constructor(private readonly stage: Pick<Cast, 'url' | 'viewer' | 'other'>) {}

  readonly entries: Requests = {
    'GET /api/v1/lists': async () => {
      await this.list();
      return {};
    },
    'POST /api/v1/lists': async () => ({ body: { title: 'one' } }),
    'GET /api/v1/lists/:id': async () => ({ id: await this.list() }),
    'PUT /api/v1/lists/:id': async () => ({ id: await this.list(), body: { title: 'another' } }),
    'DELETE /api/v1/lists/:id': async () => ({ id: await this.list() }),
    'GET /api/v1/lists/:id/accounts': async () => ({ id: await this.listOfOne() }),
    'POST /api/v1/lists/:id/accounts': async () => ({
      id: await this.list(),
      body: { account_ids: [this.stage.viewer.id] },
    }),
    'DELETE /api/v1/lists/:id/accounts': async () => ({
      id: await this.list(),
      body: { account_ids: [this.stage.viewer.id] },
    }),
    'GET /api/v1/accounts/:id/lists': async () => {
      await this.listOfOne();
      return { id: this.stage.other.id };
    },
    'GET /api/v1/timelines/list/:id': async () => ({ id: await this.listOfOne() }),
  };

  /** Returns an empty list; deletes the oldest to make room, because there is a maximum number. */
  private async list(): Promise<string> {
    const { url } = this.stage;
    const oldest = this.lists.length < LISTS_KEPT_MAX ? undefined : this.lists.shift();
    const headers = { authorization: `Bearer ${this.stage.viewer.token}` };
    // It may be gone already, because deletion is tested, too.
    if (oldest !== undefined) await fetch(`${url}/api/v1/lists/${oldest}`, { method: 'DELETE', headers });
    const title = `list ${++this.made}`;
    const { id } = (await call(url, this.stage.viewer, 'POST', '/api/v1/lists', { title })) as { id: string };
    this.lists.push(id);
    return id;
  }

  /** Returns a list with an account that has posted. */
  private async listOfOne(): Promise<string> {
    const id = await this.list();
    const { url } = this.stage;
    await call(url, this.stage.viewer, 'POST', `/api/v1/accounts/${this.stage.other.id}/follow`);
    await call(url, this.stage.viewer, 'POST', `/api/v1/lists/${id}/accounts`, { account_ids: [this.stage.other.id] });
    return id;
  }
}
