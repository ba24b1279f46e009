import { Type } from '@sinclair/typebox';
import { problem } from '../../../../actors/domain/problem.js';
import { type AccountFacts, accountPage } from '../../../html/moderation/account-page.js';
import { accountsPage, ORIGINS, STATUSES } from '../../../html/moderation/accounts-page.js';
import { NO_ACTION } from '../../../html/moderation/actions.js';
import type { AnyRoute } from '../../../http/route.js';
import type { AdminAccount } from '../../../pages/account/admin.js';
import { idParams } from '../../../pages/answers.js';
import type { AdminAccountNote } from '../../../pages/report/notes.js';
import { idText, pageProperties } from '../../../paging/bounds.js';
import { linksOf } from '../../../paging/links.js';
import { notFound } from '../../../viewing/visible.js';
import { personalForm, personalPage } from '../personal.js';
import { after, decisionFields, faultOf, type Moderator, noteForm, read, refusedAct, reportsAbout } from './acting.js';

const PATH = '/moderation/accounts';
const API = '/api/v1/admin/accounts';
const permission = 'manage_users';
const PAGE = 40;
const REPORTS_MAX = 10;
/** Longest word of a search; longer than any name or address. */
const WORD_CHARS_MAX = 300;
/** Acts of buttons. Each but `delete` is a verb of the API. */
const ACTS = [
  ...(['approve', 'reject', 'enable', 'unsilence', 'unsuspend', 'unsensitive'] as const),
  ...(['delete', 'memorialize', 'unmemorialize'] as const),
];
/** After these acts the account may be gone. */
const ENDS: readonly string[] = ['reject', 'delete'];

const word = () => Type.String({ default: '', maxLength: WORD_CHARS_MAX });
const words = { username: word(), email: word(), by_domain: word(), ip: word() };
const choices = {
  origin: Type.Union(
    ORIGINS.map((origin) => Type.Literal(origin)),
    { default: '' },
  ),
  status: Type.Union(
    STATUSES.map((status) => Type.Literal(status)),
    { default: '' },
  ),
  permissions: Type.Union([Type.Literal(''), Type.Literal('staff')], { default: '' }),
};

const list = personalPage(
  {
    path: PATH,
    permission,
    query: Type.Object({
      ...pageProperties(PAGE, PAGE),
      ...words,
      ...choices,
      done: Type.Optional(Type.Boolean()),
    }),
  },
  async ({ site, reader, request, api }) => {
    const { done = false, ...asked } = request.query;
    // A form sends its empty fields too; the addresses of the next pages are shorter without them.
    const given = Object.entries(asked).filter(([, value]) => value !== undefined && value !== '');
    const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
    const { status, body, link } = await api<AdminAccount[]>({ method: 'GET', path: '/api/v2/admin/accounts', query });
    if (status !== 200) return problem('forbidden', 'This action is not allowed');
    return accountsPage(site, reader, { accounts: body, asked, isDone: done, ...linksOf(link, `${PATH}?${query}`) });
  },
);

type Typed = Partial<Pick<AccountFacts, 'fault' | 'isDone'>> & Partial<AccountFacts['typed']>;

/** Shows an account with the reports and notes about it, and its forms as they were typed. */
async function show(moderator: Moderator, id: string, typed: Typed = {}) {
  const { action = NO_ACTION, note = '', isDone = false, fault } = typed;
  const { site, reader } = moderator;
  const account = await read<AdminAccount>(moderator, `${API}/${id}`);
  if (account === undefined) return notFound();
  const [notes = [], reports] = await Promise.all([
    read<AdminAccountNote[]>(moderator, `${API}/${id}/notes`),
    reportsAbout(moderator, account.id, REPORTS_MAX),
  ]);
  return accountPage(site, reader, {
    account,
    reports,
    notes,
    isDone,
    typed: { action, note },
    ...(fault && { fault }),
  });
}

const one = personalPage(
  { path: `${PATH}/:id`, permission, params: idParams, query: Type.Object({ done: Type.Optional(Type.Boolean()) }) },
  (personal) => {
    const { refused, params, query } = personal.request;
    const { type, text = '', note = '' } = refused?.typed ?? {};
    const action = type === undefined ? undefined : { ...NO_ACTION, type, text };
    return show(personal, params.id, { isDone: query.done === true, note, ...(action && { action }) });
  },
);

const handle = personalForm(
  {
    path: `${PATH}/:id`,
    page: one,
    permission,
    params: idParams,
    body: { action: Type.Union(ACTS.map((name) => Type.Literal(name))) },
  },
  async (personal) => {
    const { action } = personal.request.body;
    const path = `${API}/${personal.request.params.id}`;
    const done = await personal.api(
      action === 'delete' ? { method: 'DELETE', path } : { method: 'POST', path: `${path}/${action}` },
    );
    const next = ENDS.includes(action) ? PATH : `${PATH}/${personal.request.params.id}`;
    return after(next, faultOf(done, personal.reader.texts), refusedAct);
  },
);

const decide = personalForm(
  {
    path: `${PATH}/:id/decision`,
    page: one,
    permission,
    params: idParams,
    body: decisionFields,
  },
  async (personal) => {
    const { id } = personal.request.params;
    const { type, text, send_email_notification: isMailed } = personal.request.body;
    const done = await personal.api({
      method: 'POST',
      path: `${API}/${id}/action`,
      body: { type, text, send_email_notification: isMailed },
    });
    const action = { type, text, isMailed, statusIds: [] };
    return after(`${PATH}/${id}`, faultOf(done, personal.reader.texts), (fault) =>
      show(personal, id, { action, fault: { form: 'action', text: fault } }),
    );
  },
);

const addNote = noteForm({ path: PATH, api: API, page: one, permission }, show);

const removeNote = personalForm(
  {
    path: `${PATH}/:id/notes/:note_id/delete`,
    page: one,
    permission,
    params: Type.Object({ id: idText(), note_id: idText() }),
    body: {},
  },
  async (personal) => {
    const { id, note_id: note } = personal.request.params;
    const done = await personal.api({ method: 'DELETE', path: `${API}/${id}/notes/${note}` });
    return after(`${PATH}/${id}`, faultOf(done, personal.reader.texts), refusedAct);
  },
);

/** Pages of accounts for moderators. */
export const accountPageRoutes: readonly AnyRoute[] = [list, one, handle, decide, addNote, removeNote];
