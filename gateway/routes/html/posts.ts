import { Type } from '@sinclair/typebox';
import { isProblem, type Problem } from '../../../actors/domain/problem.js';
import { documentOrPage } from '../../activitypub/signer.js';
import { statusDocument } from '../../activitypub/statuses.js';
import { embedPage, historyPage, type Thread, threadPage, type Version } from '../../html/pages/thread-page.js';
import { postPath } from '../../html/parts/post.js';
import { siteOf } from '../../html/site.js';
import { type Answer, type AnyRoute, type Request, route } from '../../http/route.js';
import type { Services } from '../../http/services.js';
import type { Status } from '../../pages/status/status.js';
import { boundText, idText } from '../../paging/bounds.js';
import { PLACES } from '../../viewing/judge.js';
import { notFound, visibleById, visibleStatus } from '../../viewing/visible.js';
import { personParams } from './finding.js';
import { readerOf } from './reader.js';

/** Posts above and below that one page shows. */
const ANCESTORS_MAX = 20;
const DESCENDANTS_MAX = 40;

const params = Type.Object({ ...personParams, id: idText() });
const query = Type.Object({ after: Type.Optional(boundText()) });
type Asked = Request<{ readonly name: string; readonly id: string }, { readonly after?: string }, unknown>;

/**
 * Returns a post that everybody may see, at the address of its author. Private, direct and missing posts, and those of
 * others, get the same 404.
 */
async function publicPost(services: Services, { name, id }: Asked['params']): Promise<Status | Problem> {
  const seen = await visibleStatus(services, undefined, id);
  if (isProblem(seen)) return seen;
  const status = await services.pages.entity(services, undefined, seen);
  if (status === undefined) return notFound();
  const own = services.instance.domain.toLowerCase();
  const wanted = name.toLowerCase();
  const acct = status.account.acct.toLowerCase();
  return wanted === acct || wanted === `${acct}@${own}` ? status : notFound();
}

async function page(request: Asked): Promise<Answer | Problem> {
  const { services } = request;
  const status = await publicPost(services, request.params);
  if (isProblem(status)) return status;
  const [site, reader, thread] = await Promise.all([siteOf(services), readerOf(request), threadOf(request, status)]);
  return isProblem(thread) ? thread : threadPage(site, reader, { status, ...thread });
}

/** Loads the part of the thread around a post that fits on a page. */
async function threadOf({ services, query, url }: Asked, status: Status): Promise<Omit<Thread, 'status'> | Problem> {
  const shown = status.reblog ?? status;
  const seen = await visibleStatus(services, undefined, shown.id);
  if (isProblem(seen)) return seen;
  const thread = await services.askConversation(seen.record.conversationId, 'context', { statusId: seen.record.id });
  if (isProblem(thread)) return thread;
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
  params,
  query,
  handle: documentOrPage<Asked['params'], Asked['query'], unknown>(statusDocument('object'), page),
});

const embed = route({
  method: 'GET',
  path: '/@:name/:id/embed',
  auth: 'none',
  params,
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
  params,
  handle: async (request) => {
    const { services, api } = request;
    const status = await publicPost(services, request.params);
    if (isProblem(status)) return status;
    const path = `/api/v1/statuses/${status.id}/history`;
    const versions = await api<Version[]>(undefined, { method: 'GET', path });
    if (versions.status !== 200) return notFound();
    return historyPage(await siteOf(services), await readerOf(request), status, versions.body);
  },
});

/** Pages of posts. */
export const postPageRoutes: readonly AnyRoute[] = [post, embed, history];
