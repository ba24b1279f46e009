import { Type } from '@sinclair/typebox';
import { acctOf } from '../../../actors/domain/addresses.js';
import { isProblem, type Problem } from '../../../actors/domain/problem.js';
import { documentOrPage } from '../../activitypub/signer.js';
import { statusDocument } from '../../activitypub/statuses.js';
import { cachedPage } from '../../html/cached-page.js';
import { embedPage, historyPage, type Thread, threadPage } from '../../html/pages/thread-page.js';
import { postPath } from '../../html/parts/post.js';
import type { StatusPieces } from '../../html/posts.js';
import { siteOf } from '../../html/site.js';
import { type Answer, type AnyRoute, type Request, route } from '../../http/route.js';
import type { Services } from '../../http/services.js';
import type { Status } from '../../pages/status/status.js';
import type { StatusEdit } from '../../pages/status/status-history.js';
import { boundText, idText } from '../../paging/bounds.js';
import { withGrafts } from '../../viewing/grafts.js';
import { PLACES } from '../../viewing/judge.js';
import { loadAccounts } from '../../viewing/people-at-hand.js';
import { notFound, visibleById, visibleStatus } from '../../viewing/visible.js';
import { personParams } from './finding.js';
import { readerOf } from './reader.js';

/** Posts above and below that one page shows. */
const ANCESTORS_MAX = 20;
const DESCENDANTS_MAX = 40;

export const postParams = Type.Object({ ...personParams, id: idText() });
const query = Type.Object({ after: Type.Optional(boundText()) });
type Asked = Request<{ readonly name: string; readonly id: string }, { readonly after?: string }, unknown>;

/**
 * Returns the JSON of a post that everybody may see, at the address of its author. Private, direct and missing posts, and
 * those of others, get the same 404.
 */
async function publicPieces(services: Services, { name, id }: Asked['params']): Promise<StatusPieces | Problem> {
  const seen = await visibleStatus(services, undefined, id);
  if (isProblem(seen)) return seen;
  const [pieces] = await services.pages.pieces(services, undefined, [seen]);
  const author = (await loadAccounts(services, [seen.record.accountId])).get(seen.record.accountId);
  if (pieces === undefined || author === undefined) return notFound();
  const [wanted, acct] = [name.toLowerCase(), acctOf(author).toLowerCase()];
  const own = services.instance.domain.toLowerCase();
  return wanted === acct || wanted === `${acct}@${own}` ? pieces : notFound();
}

const statusOf = (pieces: StatusPieces): Status => JSON.parse(Buffer.concat(pieces).toString()) as Status;

/** Returns a post that everybody may see, as `publicPieces` does. @throws Unavailable */
export async function publicPost(services: Services, params: Asked['params']): Promise<Status | Problem> {
  const pieces = await publicPieces(services, params);
  return isProblem(pieces) ? pieces : statusOf(pieces);
}

async function page(request: Asked): Promise<Answer | Problem> {
  const { services, params } = request;
  const pieces = await publicPieces(services, params);
  if (isProblem(pieces)) return pieces;
  const [site, reader, thread] = await Promise.all([siteOf(services), readerOf(request), threadOf(request)]);
  if (isProblem(thread)) return thread;
  const { ancestors, descendants, above, below } = thread;
  const around = [
    'above',
    ...ancestors.flatMap((one) => one ?? []),
    'below',
    ...descendants.flatMap((one) => one ?? []),
  ];
  const parts = [above, below, ...pieces, ...around];
  return cachedPage({ site, reader, parts }, (to) => threadPage(site, to, { status: statusOf(pieces), ...thread }));
}

/** Loads the part of the thread around a post that fits on a page. */
async function threadOf({ services, params, query, url }: Asked): Promise<Omit<Thread, 'status'> | Problem> {
  const seen = await visibleStatus(services, undefined, params.id);
  if (isProblem(seen)) return seen;
  const root = seen.original ?? seen.record;
  const own = await services.askConversation(root.conversationId, 'context', { statusId: root.id });
  if (isProblem(own)) return own;
  const thread = await withGrafts(services, root, own);
  const path = url.split('?', 1)[0] ?? '';
  const start = query.after === undefined ? 0 : thread.descendants.indexOf(query.after) + 1;
  const above = query.after === undefined ? thread.ancestors.slice(-ANCESTORS_MAX) : [];
  const below = thread.descendants.slice(start, start + DESCENDANTS_MAX);
  const visible = await visibleById(services, undefined, [...above, ...below], PLACES.thread);
  const pieces = await services.pages.pieces(services, undefined, visible);
  const isCut = query.after === undefined && above.length < thread.ancestors.length;
  const first = isCut ? visible.find((one) => one !== undefined) : undefined;
  const earliest = first && (await services.pages.entity(services, undefined, first));
  const last = below.at(-1);
  return {
    ancestors: pieces.slice(0, above.length).filter((one) => one !== undefined),
    descendants: pieces.slice(above.length).filter((one) => one !== undefined),
    above: earliest && postPath(earliest),
    below: start + below.length < thread.descendants.length ? `${path}?after=${last}` : undefined,
  };
}

const post = route({
  method: 'GET',
  path: '/@:name/:id',
  auth: 'none',
  params: postParams,
  query,
  handle: documentOrPage<Asked['params'], Asked['query'], unknown>(statusDocument('object'), page),
});

const embed = route({
  method: 'GET',
  path: '/@:name/:id/embed',
  auth: 'none',
  params: postParams,
  handle: async (request) => {
    const status = await publicPost(request.services, request.params);
    if (isProblem(status)) return status;
    return embedPage(await siteOf(request.services), await readerOf(request), status);
  },
});

const history = route({
  method: 'GET',
  path: '/@:name/:id/history',
  auth: 'none',
  params: postParams,
  handle: async (request) => {
    const { services, api } = request;
    const status = await publicPost(services, request.params);
    if (isProblem(status)) return status;
    const path = `/api/v1/statuses/${status.id}/history`;
    const versions = await api<StatusEdit[]>(undefined, { method: 'GET', path });
    if (versions.status !== 200) return notFound();
    return historyPage(await siteOf(services), await readerOf(request), status, versions.body);
  },
});

/** Pages of posts. */
export const postPageRoutes: readonly AnyRoute[] = [post, embed, history];
