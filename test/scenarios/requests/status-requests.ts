import { call } from '../cluster/people.js';
import { keptThread } from '../worlds/set-up-world.js';
import type { Cast, Requests } from './fitting-request.js';

/** Fitting requests for statuses, polls and scheduled statuses. */
export class StatusRequests {
  private made = 0;
  private pinnedStatus: string | undefined;
  private thread: ReturnType<typeof keptThread> | undefined;

  constructor(private readonly stage: Pick<Cast, 'url' | 'viewer' | 'other' | 'statusId'>) {}

  readonly entries: Requests = {
    'GET /api/v1/statuses': async () => ({ query: `id[]=${this.stage.statusId}` }),
    'GET /api/v1/statuses/:id/context': async () => ({ id: (await this.keptThread()).middle }),
    'GET /api/v1/statuses/:id/history': async () => ({ id: (await this.keptThread()).first }),
    'POST /api/v1/statuses': async () => ({ body: { status: `post ${++this.made}` } }),
    'PUT /api/v1/statuses/:id': async () => ({ id: await this.ownStatus(), body: { status: 'edited' } }),
    'GET /api/v1/polls/:id': async () => ({ id: await this.poll() }),
    'POST /api/v1/polls/:id/votes': async () => ({ id: await this.poll(), body: { choices: [0] } }),
    'GET /api/v1/scheduled_statuses/:id': async () => ({ id: await this.scheduled() }),
    'PUT /api/v1/scheduled_statuses/:id': async () => ({ id: await this.scheduled() }),
    'DELETE /api/v1/scheduled_statuses/:id': async () => ({ id: await this.scheduled() }),
    'PUT /api/v1/statuses/:id/interaction_policy': async () => ({ id: await this.ownStatus() }),
    'GET /api/v1/statuses/:id/quotes': async () => ({ id: (await this.quoted()).id }),
    'POST /api/v1/statuses/:id/quotes/:quote/revoke': async () => this.quoted(),
    'GET /users/:name/statuses/:id/quote_authorizations/:quoting': async () => this.stamped(),
    'DELETE /api/v1/statuses/:id': async () => ({ id: await this.ownStatus() }),
    'POST /api/v1/statuses/:id/pin': async () => ({ id: await this.pinnable() }),
  };

  private keptThread(): ReturnType<typeof keptThread> {
    this.thread ??= keptThread(this.stage.url, this.stage.viewer);
    return this.thread;
  }

  /** Returns a new status of the viewer. */
  async ownStatus(): Promise<string> {
    const status = `mine ${++this.made}`;
    return ((await call(this.stage.url, this.stage.viewer, 'POST', '/api/v1/statuses', { status })) as { id: string })
      .id;
  }

  /** Returns one of the viewer's statuses that another status quotes. */
  private async quoted(): Promise<{ id: string; rest: { quote: string } }> {
    const body = { status: `quote this ${++this.made}`, quote_approval_policy: 'public' };
    const { id } = (await call(this.stage.url, this.stage.viewer, 'POST', '/api/v1/statuses', body)) as { id: string };
    const quoting = { status: 'indeed', quoted_status_id: id };
    const made = (await call(this.stage.url, this.stage.other, 'POST', '/api/v1/statuses', quoting)) as { id: string };
    return { id, rest: { quote: made.id } };
  }

  /** Returns the quote of one of the viewer's statuses, whose stamp is requested. */
  private async stamped() {
    const { id, rest } = await this.quoted();
    return { id: this.stage.viewer.name, rest: { id, quoting: rest.quote } };
  }

  /** Returns a scheduled status, each for another day: a day has a maximum number of them. */
  private async scheduled(): Promise<string> {
    const scheduled_at = new Date(Date.now() + (1 + (++this.made % 200)) * 86_400_000).toISOString();
    const body = { status: `later ${this.made}`, scheduled_at };
    return ((await call(this.stage.url, this.stage.viewer, 'POST', '/api/v1/statuses', body)) as { id: string }).id;
  }

  /** Returns a poll that the viewer has not answered. */
  private async poll(): Promise<string> {
    const body = { status: `question ${++this.made}`, poll: { options: ['yes', 'no'], expires_in: 3_600 } };
    return ((await call(this.stage.url, this.stage.other, 'POST', '/api/v1/statuses', body)) as { id: string }).id;
  }

  /** Returns the viewer's only status for pinning, unpinned: there is a maximum number of pinned ones. */
  private async pinnable(): Promise<string> {
    this.pinnedStatus ??= await this.ownStatus();
    await call(this.stage.url, this.stage.viewer, 'POST', `/api/v1/statuses/${this.pinnedStatus}/unpin`);
    return this.pinnedStatus;
  }
}
