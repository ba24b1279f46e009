import { Type } from '@sinclair/typebox';
import { makeId } from '../../../../actors/domain/ids.js';
import { type Problem, problem } from '../../../../actors/domain/problem.js';
import { type Client, UNREAD_MAX } from '../../../html/web/frame.js';
import {
  homePage,
  type Notice,
  notificationsPage,
  ownPersonPage,
  ownThreadPage,
  searchPage,
} from '../../../html/web/pages.js';
import type { Answer, AnyRoute } from '../../../http/route.js';
import type { Account } from '../../../pages/account/account.js';
import type { Relationship } from '../../../pages/account/relationship.js';
import { idParams } from '../../../pages/answers.js';
import type { Announcement } from '../../../pages/instance/announcement.js';
import type { Status } from '../../../pages/status/status.js';
import { pageQuery } from '../../../paging/bounds.js';
import { linksOf } from '../../../paging/links.js';
import { notFound } from '../../../viewing/visible.js';
import { type Personal, personalPage } from '../personal.js';
import { draftOf, startOf, type Typed } from './draft.js';

type Own = Personal<unknown, unknown, unknown>;

const paged = pageQuery();

/** Reads a list of the API; empty if it is refused. */
async function listed<T>({ api, request }: Own, path: string, query = request.url.split('?', 2)[1] ?? '') {
  const { status, body, link } = await api<T[]>({ method: 'GET', path, query });
  return { items: status === 200 ? body : [], ...linksOf(link, request.url) };
}

/**
 * Returns what each page of the client shows. Nothing is unread while the API cannot say so. The stream of the page begins
 * before anything else is read: nothing is missed between the page and its stream.
 */
export async function clientOf({
  api,
  site,
  reader,
  session,
  request,
}: Pick<Own, 'api' | 'site' | 'reader' | 'session' | 'request'>): Promise<Client> {
  const since = makeId(request.services.idClock.nowMs(), 0, 0);
  const path = '/api/v1/notifications/unread_count';
  const { status, body } = await api<{ readonly count: number }>({
    method: 'GET',
    path,
    query: `limit=${UNREAD_MAX + 1}`,
  });
  return { site, reader, viewer: session.account.id, unread: status === 200 ? body.count : 0, since };
}

/** Shows home, with the form of a new post as it was typed. */
export async function showHome(personal: Own, typed: Typed = {}, fault?: string): Promise<Answer> {
  const [client, { items, ...links }, notices, draft] = await Promise.all([
    clientOf(personal),
    listed<Status>(personal, '/api/v1/timelines/home'),
    listed<Announcement>(personal, '/api/v1/announcements', ''),
    draftOf(personal, { ...startOf(personal.session.account), ...typed }),
  ]);
  const announcements = links.newer === undefined ? notices.items.filter(({ read }) => read !== true) : [];
  return homePage(client, { announcements, posts: items, draft: { ...draft, fault }, ...links });
}

/** Page of home. */
export const home = personalPage({ path: '/web', query: paged }, (personal) =>
  showHome(personal, personal.request.refused?.typed),
);

/** Shows a thread, with the form of a reply as it was typed. */
export async function showThread(
  personal: Own,
  id: string,
  typed: Typed = {},
  fault?: string,
): Promise<Answer | Problem> {
  const { api, session } = personal;
  const path = `/api/v1/statuses/${id}`;
  const [client, status, context] = await Promise.all([
    clientOf(personal),
    api<Status>({ method: 'GET', path }),
    api<{ readonly ancestors: Status[]; readonly descendants: Status[] }>({ method: 'GET', path: `${path}/context` }),
  ]);
  if (status.status !== 200 || context.status !== 200) return notFound();
  const shown = status.body.reblog ?? status.body;
  const { spoiler_text, visibility } = shown;
  const begun = { status: greeting(shown, session.account.id), spoiler_text, visibility };
  const filled = await draftOf(personal, { ...startOf(session.account), ...begun, ...typed });
  const draft = { ...filled, inReplyToId: shown.id, fault };
  return ownThreadPage(client, { status: status.body, ...context.body, draft });
}

/** Returns the mentions with which a reply begins: the author and all whom the post mentions, but not the reader. */
function greeting({ account, mentions }: Status, viewer: string): string {
  const named = [account, ...mentions].filter(({ id }) => id !== viewer).map(({ acct }) => `@${acct} `);
  return [...new Set(named)].join('');
}

/** Page of a thread. */
export const thread = personalPage({ path: '/web/posts/:id', params: idParams }, (personal) =>
  showThread(personal, personal.request.params.id),
);

const person = personalPage({ path: '/web/people/:id', params: idParams, query: paged }, async (personal) => {
  const { api, session, request } = personal;
  const { id } = request.params;
  const [client, account, relationships, posts] = await Promise.all([
    clientOf(personal),
    api<Account>({ method: 'GET', path: `/api/v1/accounts/${id}` }),
    api<Relationship[]>({ method: 'GET', path: '/api/v1/accounts/relationships', query: `id[]=${id}` }),
    listed<Status>(personal, `/api/v1/accounts/${id}/statuses`),
  ]);
  if (account.status !== 200 || account.body.suspended === true) return notFound();
  const { items, ...links } = posts;
  const relationship =
    account.body.id === session.account.id || relationships.status !== 200 ? undefined : relationships.body[0];
  return ownPersonPage(client, { account: account.body, relationship, posts: items, ...links });
});

/** Page of notifications. */
export const notifications = personalPage({ path: '/web/notifications', query: paged }, async (personal) => {
  const [client, notices, requests] = await Promise.all([
    clientOf(personal),
    listed<Notice>(personal, '/api/v1/notifications'),
    listed<Account>(personal, '/api/v1/follow_requests', 'limit=40'),
  ]);
  const { items, ...links } = notices;
  return notificationsPage(client, { notices: items, requests: requests.items, ...links });
});

/** Longest question; the API's is as long. */
const QUESTION_CHARS_MAX = 500;

const search = personalPage(
  { path: '/web/search', query: Type.Object({ q: Type.String({ default: '', maxLength: QUESTION_CHARS_MAX }) }) },
  async (personal) => {
    const { api, request } = personal;
    const question = request.query.q.trim();
    const found = { accounts: [] as Account[], statuses: [] as Status[], hashtags: [] as { name: string }[] };
    if (question !== '') {
      const query = new URLSearchParams({ q: question, resolve: 'true' }).toString();
      const { status, body } = await api<typeof found>({ method: 'GET', path: '/api/v2/search', query });
      if (status !== 200) return problem('invalid', 'This search is not possible');
      Object.assign(found, body);
    }
    return searchPage(await clientOf(personal), { question, ...found });
  },
);

/** Pages of the built-in client. */
export const webPageRoutes: readonly AnyRoute[] = [home, thread, person, notifications, search];
