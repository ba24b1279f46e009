import { STYLE_PATH } from '../../../gateway/html/style/index.js';
import type { Person } from '../cluster/people.js';
import type { Fitting } from './fitting-request.js';
import { type ModerationStage, moderationPageRequests, multipart } from './moderation-page-requests.js';

/** The context of the requests. */
interface Stage extends ModerationStage {
  readonly other: Person;
  readonly foe: Person;
  readonly statusId: string;
  /** Returns the address of a person's page. */
  readonly pageOf: (person: Person) => Promise<string>;
  /** Returns a status of the signed-in person. */
  readonly ownStatus: () => Promise<string>;
  /** Returns the cookie of a signed-in browser, and the token of its forms. */
  readonly session: () => Promise<{
    readonly headers: { readonly cookie: string };
    readonly body: { readonly csrf: string };
  }>;
  /** Returns the cookie of a browser that is not signed in, and the token of a form at the path. */
  readonly visit: (path: string) => Promise<{ readonly headers: { readonly cookie: string }; readonly csrf: string }>;
  /** Returns the same for the owner of the instance. */
  readonly chiefSession: Stage['session'];
  /** Requests of the API about the signed-in person. */
  readonly ownAccount: Readonly<Record<string, () => Promise<Fitting>>>;
  /** Returns an account that waits to follow. */
  readonly followRequest: () => Promise<string>;
}

/** Returns fitting requests for pages and their forms, by the name of their route. */
export function pageRequests(stage: Stage): Readonly<Record<string, () => Promise<Fitting>>> {
  const { other, statusId, session, visit } = stage;
  let made = 0;
  const signed = async () => ({ headers: (await session()).headers });
  const sent = async (fields: object = {}) => {
    const { headers, body } = await session();
    return { headers, body: { ...body, ...fields } };
  };
  return {
    ...settingsRequests(stage, signed, sent),
    'GET /invite/:invite': async () => ({ id: 'forged' }),
    'GET /settings/invites': async () => ({ headers: (await stage.chiefSession()).headers }),
    'POST /settings/invites': async () => {
      const { headers, body } = await stage.chiefSession();
      return { headers, body: { ...body, max_uses: '1', lifetime: 'day' } };
    },
    'POST /settings/invites/revoke': stage.chiefSession,
    ...moderationPageRequests(stage),
    'GET /assets/:file': async () => ({ id: STYLE_PATH.slice('/assets/'.length) }),
    'GET /@:name/tagged/:tag': async () => ({ id: other.name, rest: { tag: 'birds' } }),
    'GET /api/docs/:area': async () => ({ id: 'accounts' }),
    'GET /tags/:name': async () => ({ id: 'birds' }),
    'GET /authorize_interaction': async () => ({
      ...(await signed()),
      query: `uri=${encodeURIComponent(await stage.pageOf(other))}`,
    }),
    'GET /web': signed,
    'GET /web/notifications': signed,
    'GET /web/search': signed,
    'GET /web/posts/:id': async () => ({ ...(await signed()), id: statusId }),
    'GET /web/posts/:id/history': async () => ({ ...(await signed()), id: statusId }),
    'GET /web/posts/:id/edit': async () => ({ ...(await signed()), id: await stage.ownStatus() }),
    'POST /web/posts/:id/edit': async () => ({
      ...(await sent({ status: `edited ${++made}` })),
      id: await stage.ownStatus(),
    }),
    'GET /web/people/:id': async () => ({ ...(await signed()), id: other.id }),
    'GET /oauth/authorize/native': async () => ({ query: `code=1.${'x'.repeat(43)}` }),
    'POST /auth/sign_out': session,
    'POST /auth/sessions/revoke': session,
    'POST /settings/otp': session,
    'POST /settings/otp/disable': session,
    'POST /settings/passkeys': () => sent({ name: 'Telephone' }),
    'POST /settings/passkeys/remove': () => sent({ id: 'unknown' }),
    ...clientForms(stage, sent),
    'POST /auth/sign_up': async () => {
      const { headers, csrf } = await visit('/auth/sign_up');
      const name = `page_${++made}`;
      const fields = {
        username: name,
        email: `${name}@example.org`,
        password: 'correct horse battery',
        agreement: true,
      };
      return { headers, body: { csrf, ...fields } };
    },
    'POST /auth/confirmation/again': async () => {
      const { headers, csrf } = await visit('/auth/sign_up');
      return { headers, body: { csrf, email: 'nobody@example.org' } };
    },
  };
}

/** Requests for the forms of the client in the browser. */
function clientForms(stage: Stage, sent: (fields?: object) => Promise<Fitting>) {
  return {
    'POST /web/notifications/read': () => sent({ last: '1' }),
    'POST /web/compose': () => sent({ status: `from the page` }),
    'POST /web/posts/:id/:verb': async () => ({ ...(await sent()), id: stage.statusId, rest: { verb: 'bookmark' } }),
    'POST /web/people/:id/:verb': async () => ({ ...(await sent()), id: stage.foe.id, rest: { verb: 'unmute' } }),
    'POST /web/announcements/:id/dismiss': async () => ({
      ...(await sent()),
      id: await stage.notice('announcements', false),
    }),
    'POST /web/requests/:id/:verb': async () => ({
      ...(await sent()),
      id: await stage.followRequest(),
      rest: { verb: 'reject' },
    }),
  };
}

function settingsRequests(
  { foe, ownAccount, pageOf }: Stage,
  signed: () => Promise<Fitting>,
  sent: (fields?: object) => Promise<Fitting>,
): Readonly<Record<string, () => Promise<Fitting>>> {
  const rule = { title: 'typed', context: ['home'], filter_action: 'warn', expires: 'never', words: 'unsaid' };
  const own = async (some: Promise<Fitting>) => {
    const { id = '' } = (await ownAccount['GET /api/v2/filters/:id']?.()) ?? {};
    return { ...(await some), id };
  };
  const undone = async () => ({ ...(await sent()), id: foe.id });
  return {
    'GET /settings/preferences': signed,
    'POST /settings/preferences': () => sent(),
    'GET /settings/profile': signed,
    'POST /settings/profile': () => sent(),
    'GET /settings/filters': signed,
    'GET /settings/filters/new': signed,
    'POST /settings/filters': () => sent(rule),
    'GET /settings/filters/:id': () => own(signed()),
    'POST /settings/filters/:id': () => own(sent(rule)),
    'POST /settings/filters/:id/delete': () => own(sent()),
    'GET /settings/archive': signed,
    'GET /settings/archive/download': signed,
    'POST /settings/archive': () => sent(),
    'GET /settings/suggestions': signed,
    'POST /settings/suggestions/:id/:verb': async () => ({ ...(await undone()), rest: { verb: 'dismiss' } }),
    'GET /settings/featured': signed,
    'POST /settings/featured/tags': () => sent({ name: 'typed' }),
    'POST /settings/featured/tags/:id/remove': async () => {
      const { id = '' } = (await ownAccount['DELETE /api/v1/featured_tags/:id']?.()) ?? {};
      return { ...(await sent()), id };
    },
    'POST /settings/featured/people': async () => {
      const { id = '' } = (await ownAccount['POST /api/v1/accounts/:id/endorse']?.()) ?? {};
      return sent({ acct: (await pageOf({ ...foe, id })).split('@').at(-1) });
    },
    'POST /settings/featured/people/:id/remove': undone,
    'GET /settings/applications': signed,
    'POST /settings/applications': () => sent({ client_name: 'typed', redirect_uris: 'https://example.org/' }),
    'POST /settings/applications/secret': () => sent({ client: 'unknown' }),
    'POST /settings/applications/delete': () => sent({ client: 'unknown' }),
    'POST /auth/sessions/push': () => sent({ token: 'unknown' }),
    'GET /settings/account': signed,
    'GET /auth/email/confirmation': async () => ({ query: 'token=forged' }),
    'POST /settings/account/email': () => sent({ email: 'other@example.org', current: 'wrong' }),
    'GET /settings/aliases': signed,
    'POST /settings/aliases': () => sent({ acct: foe.name }),
    'POST /settings/aliases/remove': () => sent({ uri: 'https://far.example/users/nobody' }),
    'GET /settings/migration': signed,
    'POST /settings/migration': () => sent({ acct: foe.name, current: 'wrong' }),
    'POST /settings/migration/end': () => sent(),
    'GET /settings/delete': signed,
    'POST /settings/delete': () => sent({ current: 'wrong' }),
    'GET /settings/export': signed,
    'GET /settings/exports/:file': async () => ({ ...(await signed()), id: 'follows.csv' }),
    'GET /settings/import': signed,
    'POST /settings/import': () =>
      multipart(sent({ kind: 'domain_blocks', mode: 'merge' }), { data: new Blob(['taken.example\n']) }),
    'POST /settings/import/cancel': () => sent({ file: 'unknown' }),
    'GET /settings/imports/:file': async () => ({ ...(await signed()), id: 'lists.csv' }),
    'GET /settings/mutes': signed,
    'POST /settings/mutes/:id/undo': undone,
    'GET /settings/blocks': signed,
    'POST /settings/blocks/:id/undo': undone,
    'GET /settings/domain_blocks': signed,
    'POST /settings/domain_blocks': () => sent({ domain: 'typed.example' }),
    'POST /settings/domain_blocks/undo': () => sent({ domain: 'typed.example' }),
  };
}
