import { until } from '../../kit/time/until.js';
import { call, makePeople } from '../cluster/people.js';
import type { Cast, Requests } from './fitting-request.js';

const NOTIFIED_MS_MAX = 60_000;

/** Fitting requests for notifications, conversations and reading positions. */
export class NotificationRequests {
  private made = 0;

  constructor(
    private readonly stage: Pick<Cast, 'url' | 'viewer' | 'other' | 'server'> & {
      /** Returns a new status of the viewer. */
      readonly ownStatus: () => Promise<string>;
    },
  ) {}

  readonly entries: Requests = {
    'GET /api/v1/markers': async () => ({ query: 'timeline[]=home&timeline[]=notifications' }),
    'GET /api/v1/notifications': async () => ({ query: 'supported_types[]=mention' }),
    'GET /api/v2/notifications': async () => ({ query: 'expand_accounts=partial_avatars&supported_types[]=mention' }),
    'GET /api/v1/notifications/:id': async () => ({ id: await this.notification() }),
    'GET /api/v1/conversations': async () => {
      await this.conversation();
      return {};
    },
    'GET /api/v1/notifications/requests': async () => {
      await this.waiting();
      return {};
    },
    'POST /api/v1/conversations/:id/read': async () => ({ id: await this.conversation() }),
    'POST /api/v1/conversations/:id/unread': async () => ({ id: await this.conversation() }),
    'DELETE /api/v1/conversations/:id': async () => ({ id: await this.conversation() }),
    'GET /api/v1/notifications/requests/:id': async () => ({ id: await this.waiting() }),
    'POST /api/v1/notifications/requests/:id/accept': async () => ({ id: await this.waiting() }),
    'POST /api/v1/notifications/requests/:id/dismiss': async () => ({ id: await this.waiting() }),
    'PATCH /api/v1/notifications/policy': async () => ({ body: { filter_new_accounts: false } }),
    'PATCH /api/v2/notifications/policy': async () => ({ body: { for_limited_accounts: 'drop' } }),
    'GET /api/v2/notifications/:key': async () => ({ id: `ungrouped-${await this.notification()}` }),
    'GET /api/v2/notifications/:key/accounts': async () => ({ id: await this.groupKey() }),
    'POST /api/v2/notifications/:key/dismiss': async () => ({ id: await this.groupKey() }),
    'POST /api/v1/notifications/dismiss': async () => ({ body: { id: await this.notification() } }),
    'POST /api/v1/markers': async () => ({
      body: { home: { last_read_id: '1' }, notifications: { last_read_id: '1' } },
    }),
    'POST /api/v1/notifications/:id/dismiss': async () => ({ id: await this.notification() }),
  };

  private async notification(): Promise<string> {
    const status = await this.stage.ownStatus();
    await call(this.stage.url, this.stage.other, 'POST', `/api/v1/statuses/${status}/favourite`);
    return until(
      'a notification of a favourite',
      async () => {
        const told = await call(this.stage.url, this.stage.viewer, 'GET', '/api/v1/notifications?types[]=favourite');
        return (told as { id: string; status: { id: string } }[]).find((one) => one.status.id === status)?.id;
      },
      NOTIFIED_MS_MAX,
    );
  }

  private async groupKey(): Promise<string> {
    const path = `/api/v1/notifications/${await this.notification()}`;
    return ((await call(this.stage.url, this.stage.viewer, 'GET', path)) as { group_key: string }).group_key;
  }

  /** Returns a conversation of the viewer with themselves. */
  private async conversation(): Promise<string> {
    const { url } = this.stage;
    const first = async () =>
      ((await call(url, this.stage.viewer, 'GET', '/api/v1/conversations')) as { id: string }[])[0]?.id;
    const present = await first();
    if (present !== undefined) return present;
    await call(url, this.stage.viewer, 'POST', '/api/v1/statuses', { status: 'note to self', visibility: 'direct' });
    return until('a conversation', first, NOTIFIED_MS_MAX);
  }

  /** Returns a waiting request for notifications, or creates one by a private mention from a new account. */
  private async waiting(): Promise<string> {
    const { url } = this.stage;
    const first = async () => {
      const waiting = await call(url, this.stage.viewer, 'GET', '/api/v1/notifications/requests');
      return (waiting as { id: string }[])[0]?.id;
    };
    const present = await first();
    if (present !== undefined) return present;
    const [stranger] = await makePeople(this.stage.server.dataDir, [`stranger_${++this.made}`]);
    if (stranger === undefined) throw new Error('nobody was made');
    await call(url, stranger, 'POST', '/api/v1/statuses', { status: '@ada psst', visibility: 'direct' });
    return until('a request for notifications', first, NOTIFIED_MS_MAX);
  }
}
