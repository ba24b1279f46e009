import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { operatorClient } from '../../../cli/operator-socket.js';
import type { AnyRoute } from '../../../gateway/http/route.js';
import { prefixed, program, withoutSettings } from '../../kit/services/server-process.js';
import { until } from '../../kit/time/until.js';
import { resetLink, wasChanged } from '../clients/mail.js';
import { call, type Person } from '../cluster/people.js';
import { mailDirsOf, type Place } from '../worlds/node-address.js';
import type { Fitting } from './fitting-request.js';

const run = promisify(execFile);
/** Timeout of trends: they are cached for longer when computing them takes long. */
const TRENDING_MS_MAX = 60_000;

/** The context of moderators' requests. */
export interface Moderated {
  readonly server: Place;
  readonly viewer: Person;
  readonly other: Person;
  readonly statusId: string;
  readonly app: { readonly client_id: string; readonly client_secret: string };
  /** Token of the owner of the instance. */
  readonly chiefToken: string;
  signIn(): Promise<{ headers: { cookie: string }; body: { csrf: string } }>;
}

/** Returns the period of a dashboard: the last days. */
function period() {
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  return { start_at: daysAgo(3), end_at: daysAgo(0) };
}

/** Requests of moderators, and of the accounts that they moderate. */
export class ModerationRequests {
  private made = 0;

  constructor(private readonly world: Moderated) {}

  readonly entries: Readonly<Record<string, () => Promise<Fitting>>> = {
    'POST /api/v1/announcements/:id/dismiss': async () => ({ id: await this.announcement() }),
    'PUT /api/v1/announcements/:id/reactions/:name': async () => ({
      id: await this.announcement(),
      rest: { name: '%F0%9F%91%8D' },
    }),
    'DELETE /api/v1/announcements/:id/reactions/:name': async () => ({
      id: await this.announcement(),
      rest: { name: '%F0%9F%91%8D' },
    }),
    'POST /api/v1/reports': async () => ({
      body: { account_id: this.world.other.id, status_ids: [this.world.statusId], comment: 'not nice' },
    }),
    'GET /api/v1/admin/accounts': async () => ({}),
    'GET /api/v2/admin/accounts': async () => ({}),
    'POST /api/v1/admin/accounts/:id/action': async () => ({ id: await this.newcomer(), body: { type: 'silence' } }),
    'POST /api/v1/admin/accounts/:id/reject': async () => ({ id: await this.applicant() }),
    'POST /api/v1/admin/accounts/:id/notes': async () => ({ id: await this.newcomer(), body: { content: 'seen' } }),
    'DELETE /api/v1/admin/accounts/:id/notes/:note_id': () => this.noted(),
    'DELETE /api/v1/admin/accounts/:id': async () => ({ id: await this.suspended() }),
    'GET /api/v1/admin/reports': async () => {
      await this.report();
      return {};
    },
    'GET /api/v1/admin/reports/:id': async () => ({ id: await this.report() }),
    'PUT /api/v1/admin/reports/:id': async () => ({ id: await this.report(), body: { category: 'spam' } }),
    'GET /api/v1/admin/reports/:id/notes': async () => ({ id: await this.report() }),
    'POST /api/v1/admin/reports/:id/notes': async () => ({ id: await this.report(), body: { content: 'looked at' } }),
    'POST /api/v1/admin/reports/:id/assign_to_self': async () => ({ id: await this.report() }),
    'POST /api/v1/admin/reports/:id/unassign': async () => ({ id: await this.report() }),
    'POST /api/v1/admin/reports/:id/resolve': async () => ({ id: await this.report() }),
    'POST /api/v1/admin/reports/:id/reopen': async () => ({ id: await this.report() }),
    'GET /api/v1/admin/trends/tags': async () => ({}),
    'GET /api/v1/admin/trends/statuses': async () => ({}),
    'GET /api/v1/admin/trends/links': async () => ({}),
    'POST /api/v1/admin/trends/tags/:id/approve': async () => ({ id: await this.trend('tags') }),
    'POST /api/v1/admin/trends/tags/:id/reject': async () => ({ id: await this.trend('tags') }),
    'POST /api/v1/admin/trends/links/:id/approve': async () => ({ id: await this.trend('links') }),
    'POST /api/v1/admin/trends/links/:id/reject': async () => ({ id: await this.trend('links') }),
    'POST /api/v1/admin/trends/statuses/:id/approve': async () => ({ id: this.world.statusId }),
    'POST /api/v1/admin/trends/statuses/:id/reject': async () => ({ id: this.world.statusId }),
    'POST /api/v1/admin/measures': async () => ({
      body: {
        keys: ['active_users', 'interactions', 'tag_uses', 'instance_media_attachments'],
        ...period(),
        tag_uses: { id: 'birds' },
        instance_media_attachments: { domain: 'other.example' },
      },
    }),
    'POST /api/v1/admin/dimensions': async () => ({
      body: { keys: ['languages', 'sources', 'servers', 'software_versions'], ...period() },
    }),
    'POST /api/v1/admin/retention': async () => ({ body: { ...period(), frequency: 'day' } }),
    'POST /api/v1/admin/canonical_email_blocks/test': async () => ({ body: { email: 'a@example.org' } }),
    'POST /api/v1/admin/ip_blocks': async () => ({
      body: { ip: `10.0.${Math.floor(++this.made / 250)}.${this.made % 250}`, severity: 'sign_up_block' },
    }),
    'POST /api/v1/admin/canonical_email_blocks': async () => ({ body: { email: `x${++this.made}@example.org` } }),
    'POST /api/v1/admin/domain_blocks': async () => ({ body: { domain: `d${++this.made}.example` } }),
    'POST /api/v1/admin/email_domain_blocks': async () => ({ body: { domain: `e${++this.made}.example` } }),
    'POST /api/v1/admin/domain_allows': async () => ({ body: { domain: 'good.example' } }),
    'POST /api/v1/emails/confirmations': async () => ({ token: await this.unconfirmed() }),
    'POST /auth/password': async () => {
      const { headers, body } = await this.world.signIn();
      return { headers, body: { csrf: body.csrf, email: 'nobody@example.org' } };
    },
    'POST /auth/password/edit': async () => this.forgotten(),
    'POST /auth/password/change': async () => this.changing(),
  };

  /** Runs a command of the command line. */
  private async operator(...args: string[]): Promise<string> {
    const env = { ...withoutSettings(), ...prefixed({ DATA_DIR: this.world.server.dataDir }) };
    return (await run(process.execPath, [program, ...args], { env })).stdout;
  }

  readonly moderated = async (route: AnyRoute): Promise<Fitting> => {
    const [, collection] = /^\/api\/v1\/admin\/(\w+_(?:blocks|allows))\b/.exec(route.path) ?? [];
    if (collection === undefined) return { id: await this.newcomer() };
    return { id: await this.kept(collection, route.method === 'DELETE') };
  };

  private readonly held = new Map<string, string>();
  /** Returns an entry of a collection; a separate one for requests that delete it. */
  async kept(collection: string, isOwn: boolean): Promise<string> {
    const known = this.held.get(collection);
    if (known !== undefined && !isOwn) return known;
    const make = { method: 'POST', path: `/api/v1/admin/${collection}` } as AnyRoute;
    const { body } = (await this.entries[`${make.method} ${make.path}`]?.()) ?? {};
    const chief = { ...this.world.viewer, token: this.world.chiefToken };
    const { id } = (await call(this.world.server.url, chief, 'POST', make.path, body)) as { id: string };
    if (!isOwn) this.held.set(collection, id);
    return id;
  }

  /** Returns a rule or an announcement; a separate one for requests that delete it. */
  async notice(collection: 'rules' | 'announcements', isOwn: boolean): Promise<string> {
    const known = this.held.get(collection);
    if (known !== undefined && !isOwn) return known;
    const text = `notice ${++this.made}`;
    const { id } = await operatorClient(this.world.server.dataDir)('instance.put', { collection, text });
    if (!isOwn) this.held.set(collection, id);
    return id;
  }

  /** Returns the id of a new emoji, which only the page for moderators names. */
  async emoji(cookie: string): Promise<string> {
    const { url, dataDir } = this.world.server;
    const shortcode = `owl_${++this.made}`;
    await operatorClient(dataDir)('emoji.add', { shortcode, path: join(dataDir, 'owl.gif') });
    const page = await fetch(`${url}/moderation/custom_emojis`, { headers: { cookie, accept: 'text/html' } });
    const rows = (await page.text()).split('<form').filter((form) => form.includes(`:${shortcode}:`));
    return /custom_emojis\/(\d+)\/delete/.exec(rows[0] ?? '')?.[1] ?? '';
  }

  /** Waits until statuses of two people appear among the trends. */
  trend(kind: 'tags' | 'links'): Promise<string> {
    const { server, viewer, chiefToken } = this.world;
    const chief = { ...viewer, token: chiefToken };
    return until(
      `${kind} that trend`,
      async () => {
        const all = (await call(server.url, chief, 'GET', `/api/v1/admin/trends/${kind}`)) as { id: string }[];
        return all[0]?.id;
      },
      TRENDING_MS_MAX,
    );
  }

  private fresh: Promise<string> | undefined;
  /** Returns an account for any action of moderators. */
  /** Returns an account with a new note. */
  readonly noted = async () => {
    const id = await this.newcomer();
    const chief = { ...this.world.viewer, token: this.world.chiefToken };
    const path = `/api/v1/admin/accounts/${id}/notes`;
    const made = (await call(this.world.server.url, chief, 'POST', path, { content: 'seen' })) as { id: string };
    return { id, rest: { note_id: made.id } };
  };

  private newcomer(): Promise<string> {
    this.fresh ??= this.operated('newcomer');
    return this.fresh;
  }

  private async operated(name: string, pending = false): Promise<string> {
    const identity = { username: name, email: `${name}@example.org`, password: 'correct horse battery' };
    const operate = operatorClient(this.world.server.dataDir);
    return (await operate('account.create', { ...identity, confirmed: true, pending })).id;
  }

  private applied: Promise<string> | undefined;
  /** Returns an account that waits for approval; a new one once the last was rejected. */
  private async applicant(): Promise<string> {
    const id = await this.applied;
    const headers = { authorization: `Bearer ${this.world.chiefToken}` };
    const path = `${this.world.server.url}/api/v1/admin/accounts/${id}`;
    if (id === undefined || (await fetch(path, { headers })).status === 404)
      this.applied = this.operated(`applicant_${++this.made}`, true);
    return this.applied ?? '';
  }

  private gone: Promise<string> | undefined;
  private suspended(): Promise<string> {
    this.gone ??= this.operated('gone').then(async (id) => {
      const chief = { ...this.world.viewer, token: this.world.chiefToken };
      await call(this.world.server.url, chief, 'POST', `/api/v1/admin/accounts/${id}/action`, { type: 'suspend' });
      return id;
    });
    return this.gone;
  }

  private reported: Promise<string> | undefined;
  /** Returns the id of a report. */
  report(): Promise<string> {
    const body = { account_id: this.world.other.id, status_ids: [this.world.statusId] };
    this.reported ??= call(this.world.server.url, this.world.viewer, 'POST', '/api/v1/reports', body).then(
      (made) => (made as { id: string }).id,
    );
    return this.reported;
  }

  private announced: Promise<string> | undefined;
  private announcement(): Promise<string> {
    this.announced ??= this.operator('instance', 'add', 'announcements', 'Back at noon').then(
      (printed) => (JSON.parse(printed) as { id: string }).id,
    );
    return this.announced;
  }

  private mailed: Promise<string> | undefined;
  /** Returns the token of an account that signed up with an application, and has not opened the link. */
  private unconfirmed(): Promise<string> {
    const post = async (path: string, body: object, token?: string) => {
      const headers = { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) };
      const answer = await fetch(this.world.server.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
      return ((await answer.json()) as { access_token: string }).access_token;
    };
    this.mailed ??= post('/oauth/token', {
      ...this.world.app,
      grant_type: 'client_credentials',
      scope: 'read write',
    }).then((token) =>
      post(
        '/api/v1/accounts',
        { username: 'late', email: 'late@example.org', password: 'correct horse battery', agreement: true },
        token,
      ),
    );
    return this.mailed;
  }

  private changer: Promise<string> | undefined;
  /** Returns the form of a password change; that ends all sessions, so each request has its own. */
  private async changing(): Promise<Fitting> {
    this.changer ??= this.operated('changer');
    await this.changer;
    const { headers, body } = await this.world.signIn();
    const password = 'correct horse battery';
    const form = new URLSearchParams({ csrf: body.csrf, next: '', login: 'changer@example.org', password });
    const { url } = this.world.server;
    const signed = await fetch(`${url}/auth/sign_in`, { method: 'POST', redirect: 'manual', body: form, headers });
    const cookie = signed.headers.getSetCookie().map((one) => one.split(';', 1)[0]);
    const page = await fetch(`${url}/auth/password/change`, { headers: { cookie: cookie.join('; ') } });
    const csrf = /name="csrf" value="([^"]+)"/.exec(await page.text())?.[1] ?? '';
    return { headers: { cookie: cookie.join('; ') }, body: { csrf, current: password, password } };
  }

  private link: Promise<{ name: string; token: string }> | undefined;
  /** Returns the form of the page behind a mailed link, until the link was used. */
  private async forgotten(): Promise<Fitting> {
    const known = await this.link;
    if (known === undefined || (await wasChanged(mailDirsOf(this.world.server), known.name)))
      this.link = this.askLink();
    const { headers, body } = await this.world.signIn();
    const { token = '' } = (await this.link) ?? {};
    return { headers, body: { csrf: body.csrf, reset_password_token: token, password: 'another horse battery' } };
  }

  private async askLink(): Promise<{ name: string; token: string }> {
    const name = `forgetful_${++this.made}`;
    await this.operated(name);
    const { headers, body } = await this.world.signIn();
    const { server } = this.world;
    const form = new URLSearchParams({ csrf: body.csrf, email: `${name}@example.org` });
    await fetch(`${server.url}/auth/password`, { method: 'POST', body: form, headers });
    const link = new URL(await resetLink(mailDirsOf(server), `${name}@example.org`));
    return { name, token: link.searchParams.get('reset_password_token') ?? '' };
  }
}
