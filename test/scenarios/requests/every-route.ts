import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { operatorClient } from '../../../cli/operator-socket.js';
import type { AnyRoute } from '../../../gateway/http/route.js';
import { prefixed, program, withoutSettings } from '../../kit/services/server-process.js';
import { until } from '../../kit/time/until.js';
import { confirmationLink, unsubscribeLink } from '../clients/mail.js';
import { call, makePeople, type Person } from '../cluster/people.js';
import { mailDirsOf, type Place } from '../worlds/node-address.js';
import { addOwl, furnish, keptThread } from '../worlds/set-up-world.js';
import { collectionRequests } from './collection-requests.js';
import type { Fitting } from './fitting-request.js';
import { mediaRequests } from './media-requests.js';
import { ModerationRequests } from './moderation-requests.js';
import { ownAccountRequests } from './own-account-requests.js';
import { pageRequests } from './page-requests.js';

interface App {
  readonly client_id: string;
  readonly client_secret: string;
}

const run = promisify(execFile);
const NOTIFIED_MS_MAX = 60_000;
/** Number of lists that wait to be used: an account has at most 50, and the tests themselves create some. */
const LISTS_KEPT_MAX = 20;
export const nameOf = ({ method, path }: Pick<AnyRoute, 'method' | 'path'>): string => `${method} ${path}`;

/** Returns the route's path with its parameters inserted unescaped. */
export const pathOf = ({ path }: Pick<AnyRoute, 'path'>, id: string, rest: Fitting['rest']): string =>
  path.replace(/:\w+/, () => id).replace(/:(\w+)/g, (_, name: string) => rest?.[name] ?? '1');

/** Routes whose right answer is that nothing exists: it has moved, or this server has no such thing. */
export const NOTHING_THERE: ReadonlyMap<string, number> = new Map([
  ['GET /api/v1/trends', 410],
  ['GET /api/v1/statuses/:id/card', 404],
  ['POST /api/v1/statuses/:id/translate', 404],
  ['GET /api/v1/annual_reports/:year', 404],
  ['POST /api/v1/annual_reports/:year/read', 404],
  ['GET /media_proxy/statuses/:id/:hash', 404],
  ['GET /media_proxy/accounts/:id/:hash', 404],
  ['GET /users/:name/followers_synchronization', 401],
  ['GET /dev/mails', 404],
  // A right code belongs to a secret of the moment: gateway/routes/oauth/second-factor.test.ts.
  ['POST /auth/sign_in/code', 403],
  ['POST /settings/otp', 422],
  ['POST /settings/otp/disable', 422],
]);

/** The only activity that needs no signature: an account that nobody here knows was deleted. */
const strangersEnd = {
  type: 'application/activity+json',
  bytes: Buffer.from('{"type":"Delete","actor":"https://gone.example/x","object":"https://gone.example/x"}'),
};

/** People and data for requests to every route. */
export class EveryRoute {
  private made = 0;
  private cookies = '';
  private readonly lists: string[] = [];
  private pinnedStatus: string | undefined;
  private uploadRequests: ReturnType<typeof mediaRequests> | undefined;
  private collectingRequests: ReturnType<typeof collectionRequests> | undefined;
  /** A person whose tokens nothing else uses. */
  private loner: Promise<Person> | undefined;
  private chiefSession: ReturnType<EveryRoute['session']> | undefined;
  private pageRequests: ReturnType<typeof pageRequests> | undefined;
  private ownRequests: ReturnType<typeof ownAccountRequests> | undefined;
  private confirmation: Promise<string> | undefined;

  private constructor(
    private readonly server: Place,
    readonly viewer: Person,
    readonly other: Person,
    private readonly third: Person,
    private readonly foe: Person,
    private readonly statusId: string,
    readonly application: App,
    private readonly chiefToken: string,
  ) {}

  static async prepare(server: Place): Promise<EveryRoute> {
    const names = ['ada', 'ben', 'cleo', 'dan', 'eve'];
    const people = await makePeople(server.dataDir, names);
    const [viewer, other, third, foe, shunned] = people as [Person, Person, Person, Person, Person];
    const { id } = (await call(server.url, other, 'POST', '/api/v1/statuses', { status: 'hello' })) as { id: string };
    const app = await call(server.url, viewer, 'POST', '/api/v1/apps', {
      client_name: 'every route',
      redirect_uris: 'https://example.org/',
      scopes: 'read write',
    });
    const env = { ...withoutSettings(), ...prefixed({ DATA_DIR: server.dataDir }) };
    const operator = (...args: string[]) => run(process.execPath, [program, 'instance', ...args], { env });
    await operator('add', 'rules', 'Be kind', '--hint', 'to everybody');
    await operator('add', 'terms', 'We all agree', '--from', '2026-01-01');
    await addOwl(server.dataDir, (...args) => run(process.execPath, [program, ...args], { env }));
    await operator('add', 'announcements', 'Welcome :owl: #birds');
    const { token: chiefToken = '' } = await operatorClient(server.dataDir)('account.create', {
      ...{ username: 'chief', email: 'chief@example.org', password: 'correct horse battery' },
      ...{ confirmed: true, role: 'owner', token: { scopes: 'read write follow admin:read admin:write' } },
    });
    const post = (who: Person, path: string) => call(server.url, who, 'POST', path);
    for (const verb of ['follow', 'mute']) await post(other, `/api/v1/accounts/${third.id}/${verb}`);
    await post(third, `/api/v1/accounts/${other.id}/follow`);
    for (const who of [other, third])
      await call(server.url, who, 'POST', '/api/v1/statuses', { status: '#birds https://news.example/birds' });
    await call(server.url, other, 'PATCH', '/api/v1/accounts/update_credentials', { discoverable: true });
    for (const verb of ['favourite', 'reblog']) await post(third, `/api/v1/statuses/${id}/${verb}`);
    for (const verb of ['mute', 'block']) await post(viewer, `/api/v1/accounts/${shunned.id}/${verb}`);
    const world = new EveryRoute(server, viewer, other, third, foe, id, app as App, chiefToken);
    await furnish({ url: server.url, viewer, other, third, shunned, chief: world.chief });
    return world;
  }

  /**
   * Returns the fitting request of a route. A route without an entry takes an id by its path and needs nothing else.
   */
  async fitting(route: AnyRoute): Promise<Fitting> {
    const { path } = route;
    const { moderation } = this;
    const entry =
      moderation.entries[nameOf(route)] ??
      this.entries[nameOf(route)] ??
      this.pages[nameOf(route)] ??
      this.ownAccount[nameOf(route)] ??
      this.collections[nameOf(route)] ??
      this.media[nameOf(route)];
    if (route.permission !== undefined)
      return { token: this.chiefToken, ...(await (entry?.() ?? moderation.moderated(route))) };
    if (entry !== undefined) return entry();
    if (!/:(?:id|name)/.test(path)) return {};
    if (path.startsWith('/api/v1/accounts/')) return { id: this.other.id };
    if (/^\/(?:api\/v1\/statuses|contexts)\//.test(path)) return { id: this.statusId };
    if (/^\/(?:users\/|@):name/.test(path)) return { id: this.other.name, rest: { id: this.statusId } };
    throw new Error(`no fitting request for ${nameOf(route)}: add an entry`);
  }

  /** The owner of the instance. */
  get chief(): Person {
    return { ...this.viewer, id: '', name: 'chief', token: this.chiefToken };
  }

  private thread: ReturnType<typeof keptThread> | undefined;
  private keptThread(): ReturnType<typeof keptThread> {
    this.thread ??= keptThread(this.server.url, this.viewer);
    return this.thread;
  }

  private moderationRequests: ModerationRequests | undefined;
  private get moderation(): ModerationRequests {
    const { server, viewer, other, statusId, application: app, chiefToken } = this;
    this.moderationRequests ??= new ModerationRequests({
      ...{ server, viewer, other, statusId, app, chiefToken },
      signIn: () => this.signIn(),
    });
    return this.moderationRequests;
  }

  private get ownAccount() {
    const { url } = this.server;
    this.ownRequests ??= ownAccountRequests({ url, viewer: this.viewer, other: this.other, statusId: this.statusId });
    return this.ownRequests;
  }

  private get collections() {
    this.collectingRequests ??= collectionRequests(this.server.url, this.viewer, this.other);
    return this.collectingRequests;
  }

  private readonly entries: Readonly<Record<string, () => Promise<Fitting>>> = {
    'POST /inbox': async () => ({ form: strangersEnd }),
    'POST /actor/inbox': async () => ({ form: strangersEnd }),
    'POST /users/:name/inbox': async () => ({ id: this.other.name, form: strangersEnd }),
    'GET /api/v1/accounts': async () => ({ query: `id[]=${this.other.id}` }),
    'GET /api/v1/accounts/relationships': async () => ({ query: `id[]=${this.other.id}` }),
    'GET /api/v1/statuses': async () => ({ query: `id[]=${this.statusId}` }),
    'GET /api/v1/follow_requests': async () => {
      await this.followRequest();
      return {};
    },
    'GET /api/v1/lists': async () => {
      await this.list();
      return {};
    },
    'GET /api/v1/instance/terms_of_service/:date': async () => ({ id: '2026-01-01' }),
    'GET /.well-known/webfinger': async () => {
      const { uri } = (await call(this.server.url, this.viewer, 'GET', `/api/v1/accounts/${this.other.id}`)) as {
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
    'GET /auth/mails/:list': async () => ({ id: 'reports', query: await this.unsubscribeQuery() }),
    'POST /auth/mails/:list': async () => ({ id: 'reports', query: await this.unsubscribeQuery(), body: {} }),
    'GET /auth/confirmation': async () => {
      this.confirmation ??= this.confirmationQuery();
      return { query: await this.confirmation };
    },
    'POST /auth/sign_in': async () => this.signIn(),
    'POST /auth/sessions/end_others': async () => {
      this.loner ??= makePeople(this.server.dataDir, ['loner']).then(([one]) => one as Person);
      return this.sessionOf(await this.loner);
    },
    'GET /oauth/authorize': async () => ({ query: new URLSearchParams(this.request).toString() }),
    'POST /oauth/authorize': async () => {
      const { headers, body } = await this.session();
      return { headers, body: { ...body, ...this.request, decision: 'authorize' } };
    },
    'POST /api/v1/apps': async () => ({ body: { client_name: 'one', redirect_uris: 'https://example.org/' } }),
    'POST /api/v1/accounts/:id/block': async () => ({ id: this.foe.id }),
    'POST /api/v1/accounts/:id/mute': async () => ({ id: this.foe.id, body: { duration: 60 } }),
    'POST /api/v1/accounts/:id/unmute': async () => ({ id: this.foe.id }),
    'POST /api/v1/accounts/:id/unblock': async () => ({ id: this.foe.id }),
    'POST /api/v1/lists': async () => ({ body: { title: 'one' } }),
    'GET /api/v1/lists/:id': async () => ({ id: await this.list() }),
    'PUT /api/v1/lists/:id': async () => ({ id: await this.list(), body: { title: 'another' } }),
    'DELETE /api/v1/lists/:id': async () => ({ id: await this.list() }),
    'GET /api/v1/lists/:id/accounts': async () => ({ id: await this.listOfOne() }),
    'POST /api/v1/lists/:id/accounts': async () => ({
      id: await this.list(),
      body: { account_ids: [this.viewer.id] },
    }),
    'DELETE /api/v1/lists/:id/accounts': async () => ({
      id: await this.list(),
      body: { account_ids: [this.viewer.id] },
    }),
    'GET /api/v1/timelines/tag/:hashtag': async () => ({ id: 'birds' }),
    'GET /api/v2/search': async () => ({ query: 'q=birds' }),
    'GET /api/v1/search': async () => ({ query: 'q=birds' }),
    'GET /api/v1/statuses/:id/context': async () => ({ id: (await this.keptThread()).middle }),
    'GET /api/v1/statuses/:id/history': async () => ({ id: (await this.keptThread()).first }),
    'GET /api/v1/markers': async () => ({ query: 'timeline[]=home&timeline[]=notifications' }),
    'GET /api/v1/notifications': async () => ({ query: 'supported_types[]=mention' }),
    'GET /api/v2/notifications': async () => ({ query: 'expand_accounts=partial_avatars&supported_types[]=mention' }),
    'GET /api/v1/accounts/search': async () => ({ query: 'q=ben' }),
    'GET /api/v1/timelines/link': async () => ({ query: 'url=https://news.example/birds' }),
    'GET /api/v1/followed_tags': async () => {
      await call(this.server.url, this.viewer, 'POST', '/api/v1/tags/birds/follow');
      return {};
    },
    'DELETE /api/v1/suggestions/:account_id': async () => ({ id: this.foe.id }),
    'GET /api/v1/tags/:name': async () => ({ id: 'birds' }),
    'GET /api/v1/accounts/:id/lists': async () => {
      await this.listOfOne();
      return { id: this.other.id };
    },
    'GET /api/v1/timelines/list/:id': async () => ({ id: await this.listOfOne() }),
    'POST /api/v1/tags/:name/follow': async () => ({ id: 'birds' }),
    'POST /api/v1/tags/:name/unfollow': async () => ({ id: 'birds' }),
    'POST /api/v1/statuses': async () => ({ body: { status: `post ${++this.made}` } }),
    'PUT /api/v1/statuses/:id': async () => ({ id: await this.ownStatus(), body: { status: 'edited' } }),
    'GET /api/v1_alpha/async_refreshes/:id': async () => ({ id: '1-1' }),
    'GET /api/v1/annual_reports/:year': async () => ({ id: '2026' }),
    'GET /api/v1/annual_reports/:year/state': async () => ({ id: '2026' }),
    'POST /api/v1/annual_reports/:year/generate': async () => ({ id: '2026' }),
    'POST /api/v1/annual_reports/:year/read': async () => ({ id: '2026' }),
    'GET /api/v1/polls/:id': async () => ({ id: await this.poll() }),
    'POST /api/v1/polls/:id/votes': async () => ({ id: await this.poll(), body: { choices: [0] } }),
    'GET /api/v1/scheduled_statuses/:id': async () => ({ id: await this.scheduled() }),
    'PUT /api/v1/scheduled_statuses/:id': async () => ({ id: await this.scheduled() }),
    'DELETE /api/v1/scheduled_statuses/:id': async () => ({ id: await this.scheduled() }),
    'PUT /api/v1/statuses/:id/interaction_policy': async () => ({ id: await this.ownStatus() }),
    'GET /api/v1/statuses/:id/quotes': async () => ({ id: (await this.quoted()).id }),
    'POST /api/v1/statuses/:id/quotes/:quote/revoke': async () => this.quoted(),
    'DELETE /api/v1/statuses/:id': async () => ({ id: await this.ownStatus() }),
    'POST /api/v1/statuses/:id/pin': async () => ({ id: await this.pinnable() }),
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
    'GET /api/v1/statuses/tag/:tag': async () => ({ id: 'owls' }),
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
    'POST /api/v1/follow_requests/:id/authorize': async () => ({ id: await this.followRequest() }),
    'POST /api/v1/follow_requests/:id/reject': async () => ({ id: await this.followRequest() }),
    'POST /oauth/token': async () => ({ body: { ...this.application, grant_type: 'client_credentials' } }),
    'POST /oauth/revoke': async () => ({ body: { ...this.application, token: 'unknown' } }),
  };

  private get media() {
    this.uploadRequests ??= mediaRequests(this.server.url, this.viewer);
    return this.uploadRequests;
  }

  private get request() {
    return {
      client_id: this.application.client_id,
      redirect_uri: 'https://example.org/',
      response_type: 'code',
      scope: 'read',
    };
  }

  private get pages() {
    const { other, foe, statusId } = this;
    this.pageRequests ??= pageRequests({
      ...{ other, foe, statusId },
      session: () => this.session(),
      visit: (path) => this.visit(path),
      followRequest: () => this.followRequest(),
      chiefSession: () => {
        this.chiefSession ??= this.sessionOf({ email: 'chief@example.org', password: 'correct horse battery' });
        return this.chiefSession;
      },
      report: () => this.moderation.report(),
    });
    return this.pageRequests;
  }

  private async visit(path: string) {
    const page = await fetch(`${this.server.url}${path}`);
    return { headers: { cookie: cookiesOf(page) }, csrf: csrfIn(await page.text()) };
  }

  /** Returns the submitted form of the sign-in page, with its cookie. */
  private async signIn({ email, password }: Pick<Person, 'email' | 'password'> = this.viewer) {
    const { headers, csrf } = await this.visit('/auth/sign_in');
    return { headers, body: { csrf, login: email, password } };
  }

  /** Returns a signed-in browser session with the fields of its forms; signs in again when it has ended. */
  private async session(): Promise<{ headers: { cookie: string }; body: { csrf: string } }> {
    const url = `${this.server.url}/auth/sign_in`;
    const page = await (await fetch(url, { headers: { cookie: this.cookies } })).text();
    if (!page.includes('/auth/sign_out')) {
      const { headers, body } = await this.signIn();
      const options = { method: 'POST', redirect: 'manual', body: new URLSearchParams(body), headers } as const;
      this.cookies = cookiesOf(await fetch(url, options));
      if (this.cookies === '') throw new Error('signing in gave no session');
      return this.session();
    }
    return { headers: { cookie: this.cookies }, body: { csrf: csrfIn(page) } };
  }

  /** Returns a new session of a person, with the fields of its forms. */
  private async sessionOf(person: Pick<Person, 'email' | 'password'>) {
    const url = `${this.server.url}/auth/sign_in`;
    const { headers, body } = await this.signIn(person);
    const options = { method: 'POST', redirect: 'manual', body: new URLSearchParams(body), headers } as const;
    const cookie = cookiesOf(await fetch(url, options));
    return { headers: { cookie }, body: { csrf: csrfIn(await (await fetch(url, { headers: { cookie } })).text()) } };
  }

  /** Returns the query from a confirmation mail; the link may be opened again. */
  private async confirmationQuery(): Promise<string> {
    const email = 'mailed@example.org';
    const mailed = { username: 'mailed', email, password: 'correct horse battery' };
    await operatorClient(this.server.dataDir)('account.create', mailed);
    return new URL(await confirmationLink(mailDirsOf(this.server), email)).search.slice(1);
  }

  /** Returns the query of the link that ends mails about reports, from a mail to the owner of the instance. */
  private async unsubscribeQuery(): Promise<string> {
    await call(this.server.url, this.viewer, 'POST', '/api/v1/reports', { account_id: this.other.id });
    return new URL(await unsubscribeLink(mailDirsOf(this.server), 'chief@example.org')).search.slice(1);
  }

  private async ownStatus(): Promise<string> {
    const status = `mine ${++this.made}`;
    return ((await call(this.server.url, this.viewer, 'POST', '/api/v1/statuses', { status })) as { id: string }).id;
  }

  /** Returns one of the viewer's statuses that another status quotes. */
  private async quoted(): Promise<{ id: string; rest: { quote: string } }> {
    const body = { status: `quote this ${++this.made}`, quote_approval_policy: 'public' };
    const { id } = (await call(this.server.url, this.viewer, 'POST', '/api/v1/statuses', body)) as { id: string };
    const quoting = { status: 'indeed', quoted_status_id: id };
    const made = (await call(this.server.url, this.other, 'POST', '/api/v1/statuses', quoting)) as { id: string };
    return { id, rest: { quote: made.id } };
  }

  /** Returns a scheduled status, each for another day: a day has a maximum number of them. */
  private async scheduled(): Promise<string> {
    const scheduled_at = new Date(Date.now() + (1 + (++this.made % 200)) * 86_400_000).toISOString();
    const body = { status: `later ${this.made}`, scheduled_at };
    return ((await call(this.server.url, this.viewer, 'POST', '/api/v1/statuses', body)) as { id: string }).id;
  }

  /** Returns a poll that the viewer has not answered. */
  private async poll(): Promise<string> {
    const body = { status: `question ${++this.made}`, poll: { options: ['yes', 'no'], expires_in: 3_600 } };
    return ((await call(this.server.url, this.other, 'POST', '/api/v1/statuses', body)) as { id: string }).id;
  }

  /** Returns the viewer's only status for pinning, unpinned: there is a maximum number of pinned ones. */
  private async pinnable(): Promise<string> {
    this.pinnedStatus ??= await this.ownStatus();
    await call(this.server.url, this.viewer, 'POST', `/api/v1/statuses/${this.pinnedStatus}/unpin`);
    return this.pinnedStatus;
  }

  private async notification(): Promise<string> {
    const status = await this.ownStatus();
    await call(this.server.url, this.other, 'POST', `/api/v1/statuses/${status}/favourite`);
    return until(
      'a notification of a favourite',
      async () => {
        const told = await call(this.server.url, this.viewer, 'GET', '/api/v1/notifications?types[]=favourite');
        return (told as { id: string; status: { id: string } }[]).find((one) => one.status.id === status)?.id;
      },
      NOTIFIED_MS_MAX,
    );
  }

  private async groupKey(): Promise<string> {
    const path = `/api/v1/notifications/${await this.notification()}`;
    return ((await call(this.server.url, this.viewer, 'GET', path)) as { group_key: string }).group_key;
  }

  /** Returns a conversation of the viewer with themselves. */
  private async conversation(): Promise<string> {
    const { url } = this.server;
    const first = async () =>
      ((await call(url, this.viewer, 'GET', '/api/v1/conversations')) as { id: string }[])[0]?.id;
    const present = await first();
    if (present !== undefined) return present;
    await call(url, this.viewer, 'POST', '/api/v1/statuses', { status: 'note to self', visibility: 'direct' });
    return until('a conversation', first, NOTIFIED_MS_MAX);
  }

  /** Returns a waiting request for notifications, or creates one by a private mention from a new account. */
  private async waiting(): Promise<string> {
    const { url } = this.server;
    const first = async () => {
      const waiting = await call(url, this.viewer, 'GET', '/api/v1/notifications/requests');
      return (waiting as { id: string }[])[0]?.id;
    };
    const present = await first();
    if (present !== undefined) return present;
    const [stranger] = await makePeople(this.server.dataDir, [`stranger_${++this.made}`]);
    if (stranger === undefined) throw new Error('nobody was made');
    await call(url, stranger, 'POST', '/api/v1/statuses', { status: '@ada psst', visibility: 'direct' });
    return until('a request for notifications', first, NOTIFIED_MS_MAX);
  }

  /** Returns an empty list; deletes the oldest to make room, because there is a maximum number. */
  private async list(): Promise<string> {
    const { url } = this.server;
    const oldest = this.lists.length < LISTS_KEPT_MAX ? undefined : this.lists.shift();
    const headers = { authorization: `Bearer ${this.viewer.token}` };
    // It may be gone already, because deletion is tested, too.
    if (oldest !== undefined) await fetch(`${url}/api/v1/lists/${oldest}`, { method: 'DELETE', headers });
    const title = `list ${++this.made}`;
    const { id } = (await call(url, this.viewer, 'POST', '/api/v1/lists', { title })) as { id: string };
    this.lists.push(id);
    return id;
  }

  /** Returns a list with an account that has posted. */
  private async listOfOne(): Promise<string> {
    const id = await this.list();
    const { url } = this.server;
    await call(url, this.viewer, 'POST', `/api/v1/accounts/${this.other.id}/follow`);
    await call(url, this.viewer, 'POST', `/api/v1/lists/${id}/accounts`, { account_ids: [this.other.id] });
    return id;
  }

  private async followRequest(): Promise<string> {
    const { url } = this.server;
    await call(url, this.viewer, 'PATCH', '/api/v1/accounts/update_credentials', { locked: true });
    await call(url, this.third, 'POST', `/api/v1/accounts/${this.viewer.id}/unfollow`);
    await call(url, this.third, 'POST', `/api/v1/accounts/${this.viewer.id}/follow`);
    return this.third.id;
  }
}

const cookiesOf = (response: Response): string =>
  response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';', 1)[0])
    .join('; ');
const csrfIn = (page: string): string => /name="csrf" value="([^"]+)"/.exec(page)?.[1] ?? '';
