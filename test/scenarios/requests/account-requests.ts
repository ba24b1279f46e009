import { call } from '../cluster/people.js';
import type { Cast, Requests } from './fitting-request.js';

/** The only activity that needs no signature: an account that nobody here knows was deleted. */
const strangersEnd = {
  type: 'application/activity+json',
  bytes: Buffer.from('{"type":"Delete","actor":"https://gone.example/x","object":"https://gone.example/x"}'),
};

/** Fitting requests for accounts, follows, tags, search and the instance, and for other servers. */
export class AccountRequests {
  private made = 0;

  constructor(private readonly stage: Pick<Cast, 'url' | 'viewer' | 'other' | 'third' | 'foe'>) {}

  readonly entries: Requests = {
    'POST /inbox': async () => ({ form: strangersEnd }),
    'POST /actor/inbox': async () => ({ form: strangersEnd }),
    'POST /users/:name/inbox': async () => ({ id: this.stage.other.name, form: strangersEnd }),
    'GET /api/v1/accounts': async () => ({ query: `id[]=${this.stage.other.id}` }),
    'GET /api/v1/accounts/relationships': async () => ({ query: `id[]=${this.stage.other.id}` }),
    'GET /api/v1/follow_requests': async () => {
      await this.followRequest();
      return {};
    },
    'GET /api/v1/instance/terms_of_service/:date': async () => ({ id: '2026-01-01' }),
    'GET /.well-known/webfinger': async () => {
      const { uri } = (await call(
        this.stage.url,
        this.stage.viewer,
        'GET',
        `/api/v1/accounts/${this.stage.other.id}`,
      )) as {
        readonly uri: string;
      };
      return { query: `resource=${encodeURIComponent(uri)}` };
    },
    'GET /api/v1/accounts/lookup': async () => ({ query: 'acct=ada' }),
    'POST /api/v1/accounts': async () => ({
      body: {
        username: `new_${++this.made}`,
        email: `new_${this.made}@example.org`,
        password: 'correct horse battery',
        agreement: true,
      },
    }),
    'POST /api/v1/accounts/:id/block': async () => ({ id: this.stage.foe.id }),
    'POST /api/v1/accounts/:id/mute': async () => ({ id: this.stage.foe.id, body: { duration: 60 } }),
    'POST /api/v1/accounts/:id/unmute': async () => ({ id: this.stage.foe.id }),
    'POST /api/v1/accounts/:id/unblock': async () => ({ id: this.stage.foe.id }),
    'GET /api/v1/timelines/tag/:hashtag': async () => ({ id: 'birds' }),
    'GET /api/v2/search': async () => ({ query: 'q=birds' }),
    'GET /api/v1/search': async () => ({ query: 'q=birds' }),
    'GET /api/v1/accounts/search': async () => ({ query: 'q=ben' }),
    'GET /api/v1/timelines/link': async () => ({ query: 'url=https://news.example/birds' }),
    'GET /api/v1/followed_tags': async () => {
      await call(this.stage.url, this.stage.viewer, 'POST', '/api/v1/tags/birds/follow');
      return {};
    },
    'DELETE /api/v1/suggestions/:account_id': async () => ({ id: this.stage.foe.id }),
    'GET /api/v1/tags/:name': async () => ({ id: 'birds' }),
    'POST /api/v1/tags/:name/follow': async () => ({ id: 'birds' }),
    'POST /api/v1/tags/:name/unfollow': async () => ({ id: 'birds' }),
    'GET /api/v1_alpha/async_refreshes/:id': async () => ({ id: '1-1' }),
    'GET /api/v1/annual_reports/:year': async () => ({ id: '2026' }),
    'GET /api/v1/annual_reports/:year/state': async () => ({ id: '2026' }),
    'POST /api/v1/annual_reports/:year/generate': async () => ({ id: '2026' }),
    'POST /api/v1/annual_reports/:year/read': async () => ({ id: '2026' }),
    'GET /api/v1/statuses/tag/:tag': async () => ({ id: 'owls' }),
    'POST /api/v1/follow_requests/:id/authorize': async () => ({ id: await this.followRequest() }),
    'POST /api/v1/follow_requests/:id/reject': async () => ({ id: await this.followRequest() }),
  };

  /** Returns an account that waits to follow the viewer. */
  async followRequest(): Promise<string> {
    const { url } = this.stage;
    await call(url, this.stage.viewer, 'PATCH', '/api/v1/accounts/update_credentials', { locked: true });
    await call(url, this.stage.third, 'POST', `/api/v1/accounts/${this.stage.viewer.id}/unfollow`);
    await call(url, this.stage.third, 'POST', `/api/v1/accounts/${this.stage.viewer.id}/follow`);
    return this.stage.third.id;
  }
}
