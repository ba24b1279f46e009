import { operatorClient } from '../../../cli/operator-socket.js';
import { confirmationLink, unsubscribeLink } from '../clients/mail.js';
import { call, makePeople, type Person } from '../cluster/people.js';
import { mailDirsOf } from '../worlds/node-address.js';
import type { BrowserSessions } from './browser-sessions.js';
import type { Cast, Requests } from './fitting-request.js';

/** Fitting requests for signing in, OAuth and the links of mails. */
export class SignInRequests {
  private confirmation: Promise<string> | undefined;
  /** A person whose tokens nothing else uses. */
  private loner: Promise<Person> | undefined;

  constructor(
    private readonly stage: Pick<Cast, 'url' | 'viewer' | 'other' | 'server' | 'application'>,
    private readonly browser: BrowserSessions,
  ) {}

  readonly entries: Requests = {
    'GET /auth/mails/:list': async () => ({ id: 'reports', query: await this.unsubscribeQuery() }),
    'POST /auth/mails/:list': async () => ({ id: 'reports', query: await this.unsubscribeQuery(), body: {} }),
    'GET /auth/confirmation': async () => {
      this.confirmation ??= this.confirmationQuery();
      return { query: await this.confirmation };
    },
    'POST /auth/sign_in': async () => this.browser.signIn(),
    'POST /auth/sessions/end_others': async () => {
      this.loner ??= makePeople(this.stage.server.dataDir, ['loner']).then(([one]) => one as Person);
      return this.browser.sessionOf(await this.loner);
    },
    'GET /oauth/authorize': async () => ({ query: new URLSearchParams(this.request).toString() }),
    'POST /oauth/authorize': async () => {
      const { headers, body } = await this.browser.session();
      return { headers, body: { ...body, ...this.request, decision: 'authorize' } };
    },
    'POST /api/v1/apps': async () => ({ body: { client_name: 'one', redirect_uris: 'https://example.org/' } }),
    'POST /oauth/token': async () => ({ body: { ...this.stage.application, grant_type: 'client_credentials' } }),
    'POST /oauth/revoke': async () => ({ body: { ...this.stage.application, token: 'unknown' } }),
  };

  private get request() {
    return {
      client_id: this.stage.application.client_id,
      redirect_uri: 'https://example.org/',
      response_type: 'code',
      scope: 'read',
    };
  }

  /** Returns the query from a confirmation mail; the link may be opened again. */
  private async confirmationQuery(): Promise<string> {
    const email = 'mailed@example.org';
    const mailed = { username: 'mailed', email, password: 'correct horse battery' };
    await operatorClient(this.stage.server.dataDir)('account.create', mailed);
    return new URL(await confirmationLink(mailDirsOf(this.stage.server), email)).search.slice(1);
  }

  /** Returns the query of the link that ends mails about reports, from a mail to the owner of the instance. */
  private async unsubscribeQuery(): Promise<string> {
    await call(this.stage.url, this.stage.viewer, 'POST', '/api/v1/reports', { account_id: this.stage.other.id });
    return new URL(await unsubscribeLink(mailDirsOf(this.stage.server), 'chief@example.org')).search.slice(1);
  }
}
