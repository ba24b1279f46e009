import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { operatorClient } from '../../../cli/operator-socket.js';
import type { AnyRoute } from '../../../gateway/http/route.js';
import { prefixed, program, withoutSettings } from '../../kit/services/server-process.js';
import { call, makePeople, type Person } from '../cluster/people.js';
import type { Place } from '../worlds/node-address.js';
import { addOwl, furnish } from '../worlds/set-up-world.js';
import { AccountRequests } from './account-requests.js';
import { type BrowserSession, BrowserSessions } from './browser-sessions.js';
import { collectionRequests } from './collection-requests.js';
import type { App, Cast, Fitting, Requests } from './fitting-request.js';
import { ListRequests } from './list-requests.js';
import { mediaRequests } from './media-requests.js';
import { ModerationRequests } from './moderation-requests.js';
import { NotificationRequests } from './notification-requests.js';
import { ownAccountRequests } from './own-account-requests.js';
import { pageRequests } from './page-requests.js';
import { SignInRequests } from './sign-in-requests.js';
import { StatusRequests } from './status-requests.js';

const run = promisify(execFile);
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
  // The archive is being built, and there can be one in 7 days.
  ['POST /settings/archive', 422],
  ['GET /settings/archive/download', 404],
  // Nobody has imported lists: gateway/html/transfer.test.ts.
  ['GET /settings/imports/:file', 404],
  // Client ids are known to their owners alone: gateway/html/featured-and-apps.test.ts.
  ['POST /settings/applications/secret', 404],
  // The session of the test must live on with its address: gateway/html/own-account.test.ts.
  ['POST /settings/account/email', 422],
  ['POST /settings/migration', 422],
  ['POST /settings/delete', 422],
  ['GET /auth/email/confirmation', 422],
  // A right code belongs to a secret of the moment: gateway/routes/oauth/second-factor.test.ts.
  ['POST /auth/sign_in/code', 403],
  ['POST /settings/otp', 422],
  // A browser answers a challenge of the moment: gateway/routes/oauth/passkeys.test.ts.
  ['POST /auth/sign_in/passkey', 403],
  ['POST /settings/passkeys', 422],
  ['POST /settings/otp/disable', 422],
]);

/** People and data for requests to every route; the file of an area has the requests of its routes. */
export class EveryRoute {
  private readonly entries: Requests;
  private readonly moderation: ModerationRequests;

  private constructor(
    private readonly cast: Cast,
    private readonly chiefToken: string,
  ) {
    const { server, url, viewer, other, statusId, application: app } = cast;
    const browser = new BrowserSessions(url, viewer);
    const statuses = new StatusRequests(cast);
    const accounts = new AccountRequests(cast);
    const ownStatus = () => statuses.ownStatus();
    this.moderation = new ModerationRequests({
      ...{ server, viewer, other, statusId, app, chiefToken },
      signIn: () => browser.signIn(),
    });
    const ownAccount = ownAccountRequests(cast);
    this.entries = {
      ...mediaRequests(url, viewer),
      ...collectionRequests(url, viewer, other),
      ...ownAccount,
      ...pageRequests(pageStage(cast, browser, { ownAccount, ownStatus, accounts, moderation: this.moderation })),
      ...accounts.entries,
      ...statuses.entries,
      ...new ListRequests(cast).entries,
      ...new NotificationRequests({ ...cast, ownStatus }).entries,
      ...new SignInRequests(cast, browser).entries,
      ...this.moderation.entries,
    };
  }

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
    const world = new EveryRoute(
      { server, url: server.url, viewer, other, third, foe, statusId: id, application: app as App },
      chiefToken,
    );
    await furnish({ url: server.url, viewer, other, third, shunned, chief: world.chief });
    return world;
  }

  get viewer(): Person {
    return this.cast.viewer;
  }

  get other(): Person {
    return this.cast.other;
  }

  get application(): App {
    return this.cast.application;
  }

  /** The owner of the instance. */
  get chief(): Person {
    return { ...this.viewer, id: '', name: 'chief', token: this.chiefToken };
  }

  /**
   * Returns the fitting request of a route. A route without an entry takes an id by its path and needs nothing else.
   */
  async fitting(route: AnyRoute): Promise<Fitting> {
    const { path } = route;
    const { other, statusId } = this.cast;
    const entry = this.entries[nameOf(route)];
    if (route.permission !== undefined)
      return { token: this.chiefToken, ...(await (entry?.() ?? this.moderation.moderated(route))) };
    if (entry !== undefined) return entry();
    if (!/:(?:id|name)/.test(path)) return {};
    if (path.startsWith('/api/v1/accounts/')) return { id: other.id };
    if (/^\/(?:api\/v1\/statuses|contexts)\//.test(path)) return { id: statusId };
    if (/^\/(?:users\/|@):name/.test(path)) return { id: other.name, rest: { id: statusId } };
    throw new Error(`no fitting request for ${nameOf(route)}: add an entry`);
  }
}

/** Returns the context of the requests for pages. */
function pageStage(
  { url, other, foe, statusId }: Cast,
  browser: BrowserSessions,
  areas: {
    readonly ownAccount: Requests;
    readonly ownStatus: () => Promise<string>;
    readonly accounts: AccountRequests;
    readonly moderation: ModerationRequests;
  },
): Parameters<typeof pageRequests>[0] {
  let chiefSession: Promise<BrowserSession> | undefined;
  return {
    ...{ other, foe, statusId, ownAccount: areas.ownAccount, ownStatus: areas.ownStatus },
    pageOf: async (person) =>
      ((await call(url, person, 'GET', `/api/v1/accounts/${person.id}`)) as { readonly url: string }).url,
    session: () => browser.session(),
    visit: (path) => browser.visit(path),
    followRequest: () => areas.accounts.followRequest(),
    chiefSession: () => {
      chiefSession ??= browser.sessionOf({ email: 'chief@example.org', password: 'correct horse battery' });
      return chiefSession;
    },
    report: () => areas.moderation.report(),
    noted: () => areas.moderation.noted(),
    entry: (collection, isOwn) => areas.moderation.kept(collection, isOwn),
    notice: (collection, isOwn) => areas.moderation.notice(collection, isOwn),
    emoji: (cookie) => areas.moderation.emoji(cookie),
    trend: (kind) => areas.moderation.trend(kind),
  };
}
