import { Type } from '@sinclair/typebox';
import { isProblem, problem } from '../../../actors/domain/problem.js';
import { followPage, interactPage, type Way } from '../../html/pages/elsewhere-page.js';
import { siteOf } from '../../html/site.js';
import { type AnyRoute, redirect, route } from '../../http/route.js';
import type { Account } from '../../pages/account/account.js';
import type { Status } from '../../pages/status/status.js';
import { notFound } from '../../viewing/visible.js';
import { personNamed, personParams, shownAccount } from './finding.js';
import { personalPage } from './personal.js';
import { postParams, publicPost } from './posts.js';
import { readerOf } from './reader.js';

/** Longest address that somebody types. */
const ADDRESS_CHARS_MAX = 300;
/** Longest address of a person or a post that another server sends; the API's search reads as much. */
const URI_CHARS_MAX = 500;

const query = Type.Object({ from: Type.Optional(Type.String({ maxLength: ADDRESS_CHARS_MAX })) });

/** Leads people of other servers to their own server, where they can follow. */
const follow = route({
  method: 'GET',
  path: '/@:name/follow',
  auth: 'none',
  params: Type.Object(personParams),
  query,
  handle: async (request) => {
    const { services, params } = request;
    const record = await personNamed(services, params.name);
    if (isProblem(record)) return record;
    const account = await shownAccount(services, record);
    const [site, reader] = await Promise.all([siteOf(services), readerOf(request)]);
    const { acct } = account;
    const address = acct.includes('@') ? acct : `${acct}@${services.instance.domain}`;
    return followPage(site, reader, account, { address, ...wayTo(request.query.from, address) });
  },
});

/** Leads people of other servers to their own server, where they can reply. */
const interact = route({
  method: 'GET',
  path: '/@:name/:id/interact',
  auth: 'none',
  params: postParams,
  query,
  handle: async (request) => {
    const status = await publicPost(request.services, request.params);
    if (isProblem(status)) return status;
    const [site, reader] = await Promise.all([siteOf(request.services), readerOf(request)]);
    const address = status.url ?? status.uri;
    return interactPage(site, reader, status, { address, ...wayTo(request.query.from, status.uri) });
  },
});

/** Returns the page of the reader's server that takes up an address, or what is wrong with the name of the server. */
function wayTo(typed: string | undefined, uri: string): Omit<Way, 'address'> {
  if (typed === undefined) return {};
  const host = /^@?[\w.-]+@([\w.-]+(?::\d{1,5})?)$/.exec(typed.trim())?.[1];
  if (host === undefined || !URL.canParse(`https://${host}`)) return { typed, isWrong: true };
  return { typed, target: new URL(`https://${host}/authorize_interaction?uri=${encodeURIComponent(uri)}`) };
}

/** Person of another server, or a page. A word alone is nobody: the API's search would find people by it. */
const ADDRESS = /^(?:@?[^\s@/]+@[^\s@/]+|https?:\/\/\S+)$/i;

/** Shows to somebody of this server the person or the post that they found on another server. */
const authorizeInteraction = personalPage(
  {
    path: '/authorize_interaction',
    query: Type.Object({ uri: Type.String({ default: '', maxLength: URI_CHARS_MAX }) }),
  },
  async ({ api, request }) => {
    const q = request.query.uri.trim().replace(/^acct:/i, '');
    if (!ADDRESS.test(q)) return notFound();
    const { status, body } = await api<{ readonly accounts: Account[]; readonly statuses: Status[] }>({
      method: 'GET',
      path: '/api/v2/search',
      query: new URLSearchParams({ q, resolve: 'true', limit: '1' }).toString(),
    });
    if (status === 429) return problem('rate_limited', 'Too many requests');
    if (status !== 200) return status >= 500 ? problem('unavailable', 'Please try again') : notFound();
    const { accounts, statuses } = body;
    if (statuses[0] !== undefined) return redirect(`/web/posts/${statuses[0].id}`);
    return accounts[0] === undefined ? notFound() : redirect(`/web/people/${accounts[0].id}`);
  },
);

/** Ways from a page here to a reader's own server, and from other servers to here. */
export const elsewhereRoutes: readonly AnyRoute[] = [follow, interact, authorizeInteraction];
