import { Type } from '@sinclair/typebox';
import { type Problem, problem } from '../../../actors/domain/problem.js';
import {
  homePage,
  type Notice,
  notificationsPage,
  ownPersonPage,
  ownThreadPage,
  searchPage,
} from '../../html/web/pages.js';
import type { Answer, AnyRoute } from '../../http/route.js';
import type { Account } from '../../pages/account/account.js';
import type { Relationship } from '../../pages/account/relationship.js';
import { idParams } from '../../pages/answers.js';
import type { Status } from '../../pages/status/status.js';
import { pageQuery } from '../../paging/bounds.js';
import { linksOf } from '../../paging/links.js';
import { notFound } from '../../viewing/visible.js';
import { type Personal, personalPage } from '../html/personal.js';
import { type Written, written } from './draft.js';

type Own = Personal<unknown, unknown, unknown>;

const paged = pageQuery();

/** Reads a list of the API; empty if it is refused. */
async function listed<T>({ api, request }: Own, path: string, query = request.url.split('?', 2)[1] ?? '') {
  const { status, body, link } = await api<T[]>({ method: 'GET', path, query });
  return { items: status === 200 ? body : [], ...linksOf(link, request.url) };
}

/** Shows home, with the form of a new post as it was typed. */
export async function showHome(personal: Own, typed: Written = {}): Promise<Answer> {
  const { site, reader, session } = personal;
  const { account } = session;
  const { items, ...links } = await listed<Status>(personal, '/api/v1/timelines/home');
  const draft = { ...written(typed), visibility: typed.visibility ?? (account.profile?.privacy || 'public') };
  return homePage(site, reader, { posts: items, viewer: account.id, draft, ...links });
}

const home = personalPage({ path: '/web', query: paged }, showHome);

/** Shows a thread, with the form of a reply as it was typed. */
export async function showThread(personal: Own, id: string, typed: Written = {}): Promise<Answer | Problem> {
  const { api, site, reader, session } = personal;
  const path = `/api/v1/statuses/${id}`;
  const [status, context] = await Promise.all([
    api<Status>({ method: 'GET', path }),
    api<{ readonly ancestors: Status[]; readonly descendants: Status[] }>({ method: 'GET', path: `${path}/context` }),
  ]);
  if (status.status !== 200 || context.status !== 200) return notFound();
  const shown = status.body.reblog ?? status.body;
  const viewer = session.account.id;
  const draft = {
    ...written({ status: greeting(shown, viewer), spoiler_text: shown.spoiler_text, ...typed }),
    visibility: typed.visibility ?? shown.visibility,
    inReplyToId: shown.id,
  };
  return ownThreadPage(site, reader, { status: status.body, ...context.body, draft, viewer });
}

/** Returns the mentions with which a reply begins: the author and all whom the post mentions, but not the reader. */
function greeting({ account, mentions }: Status, viewer: string): string {
  const named = [account, ...mentions].filter(({ id }) => id !== viewer).map(({ acct }) => `@${acct} `);
  return [...new Set(named)].join('');
}

const thread = personalPage({ path: '/web/posts/:id', params: idParams }, (personal) =>
  showThread(personal, personal.request.params.id),
);

const person = personalPage({ path: '/web/people/:id', params: idParams, query: paged }, async (personal) => {
  const { api, site, reader, session, request } = personal;
  const { id } = request.params;
  const viewer = session.account.id;
  const [account, relationships, posts] = await Promise.all([
    api<Account>({ method: 'GET', path: `/api/v1/accounts/${id}` }),
    api<Relationship[]>({ method: 'GET', path: '/api/v1/accounts/relationships', query: `id[]=${id}` }),
    listed<Status>(personal, `/api/v1/accounts/${id}/statuses`),
  ]);
  if (account.status !== 200 || account.body.suspended === true) return notFound();
  const { items, ...links } = posts;
  const relationship = account.body.id === viewer || relationships.status !== 200 ? undefined : relationships.body[0];
  return ownPersonPage(site, reader, { account: account.body, relationship, posts: items, viewer, ...links });
});

const notifications = personalPage({ path: '/web/notifications', query: paged }, async (personal) => {
  const { site, reader, session } = personal;
  const [notices, requests] = await Promise.all([
    listed<Notice>(personal, '/api/v1/notifications'),
    listed<Account>(personal, '/api/v1/follow_requests', 'limit=40'),
  ]);
  const { items, ...links } = notices;
  const lists = { notices: items, requests: requests.items, viewer: session.account.id };
  return notificationsPage(site, reader, { ...lists, ...links });
});

/** Longest question; the API's is as long. */
const QUESTION_CHARS_MAX = 500;

const search = personalPage(
  { path: '/web/search', query: Type.Object({ q: Type.String({ default: '', maxLength: QUESTION_CHARS_MAX }) }) },
  async (personal) => {
    const { api, site, reader, session, request } = personal;
    const question = request.query.q.trim();
    const found = { accounts: [] as Account[], statuses: [] as Status[], hashtags: [] as { name: string }[] };
    if (question !== '') {
      const query = new URLSearchParams({ q: question, resolve: 'true' }).toString();
      const { status, body } = await api<typeof found>({ method: 'GET', path: '/api/v2/search', query });
      if (status !== 200) return problem('invalid', 'This search is not possible');
      Object.assign(found, body);
    }
    return searchPage(site, reader, { question, ...found, viewer: session.account.id });
  },
);

/** Pages of the built-in client. */
export const webPageRoutes: readonly AnyRoute[] = [home, thread, person, notifications, search];
